/** Sets of facts that lead to an outcome -> what each fact would have to be, in words and by an example, decided again. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { type Fact, type Facts, type FactValue, isMissing } from '../../facts/fact.ts';
import type { Axis } from '../../policy/cells/cells.ts';
import type { Outcome } from '../../policy/language.ts';
import { findCell } from '../matcher/find-cell.ts';
import type { ChangeSet } from './counterfactuals.ts';
import { cellWords } from './describe-cells.ts';
import type { NeededFact, Remedy } from './explanation.ts';
import { boundsIn, present } from './model/assignment.ts';
import type { JointTest } from './model/joint-tests.ts';
import { outcomeBit } from './model/judge.ts';
import type { Model } from './model/model.ts';
import { bothOf, eitherOf, type TruthBounds } from './model/truth-bounds.ts';
import type { AxisView, Variable } from './model/variable.ts';
import { stateOf } from './unfired-rules.ts';

/** The facts with those of a set as it would have them. */
export function withChanges(facts: Facts, { variables }: Model, set: ChangeSet): Facts {
  const changed = new Map(facts);
  for (const [place, choice] of set) {
    const variable = variables[place];
    const fact = variable?.choices[choice]?.fact;
    if (variable && fact) changed.set(variable.path, fact);
  }
  return changed;
}

/** How to come by a fact that is missing for a cause; one that is known would have to be otherwise. */
const REMEDIES_BY_CAUSE: { readonly [Cause in Extract<Fact, { missing: unknown }>['missing']]: Remedy } = {
  notRequested: 'askAgain',
  sourceFailed: 'askAgain',
  notReturned: 'askAgain',
  unmapped: 'mapping',
  invalid: 'mapping',
  notGiven: 'give',
};

function remedyFor(now: Fact, { inputs = [] }: FactDefinition, table: FactTable): Remedy {
  const isOwn = inputs.length > 0 && inputs.every((path) => table.get(path)?.origin === 'applicant');
  // An input that is there, and leads to nothing: no mapping has anything to do with it.
  if (isOwn && (!isMissing(now) || now.missing === 'invalid')) return 'another';
  return isMissing(now) ? REMEDIES_BY_CAUSE[now.missing] : 'otherwise';
}

/** What the facts of a set would have to be. */
export function describeNeeds(model: Model, set: ChangeSet, to: Outcome, day: string): readonly NeededFact[] {
  const words = wordsFor(model, set, to, day);
  return [...set].flatMap(([place, choice]) => {
    const variable = model.variables[place];
    const [now, then] = [variable?.choices[0]?.fact, variable?.choices[choice]?.fact];
    if (!variable || !now || !then || isMissing(then)) return [];
    const { path: fact } = variable;
    const remedy = remedyFor(now, variable.definition, model.policy.facts);
    const is = stateOf(fact, now, { table: model.policy.facts });
    const needs = joined(words.get(place) ?? []) || showValue(then.value);
    return [{ fact, is, needs, example: then.value, remedy }];
  });
}

/** Each of several words that have alternatives of their own stands apart. */
function joined(words: readonly string[]): string {
  return words.join(words.some((each) => each.includes(' or ')) ? '; and ' : ' and ');
}

function showValue(value: FactValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * By variable, the words of all that it may be: axis by axis, cells are added as long as the outcome stays the same for
 * everything that has been added so far. None for a fact of which nothing but its example was looked at.
 */
function wordsFor(model: Model, set: ChangeSet, to: Outcome, day: string): ReadonlyMap<number, readonly string[]> {
  const { variables, judge, form, ties } = model;
  const at = present(model).map((choice, place) => set.get(place) ?? choice);
  const leeways = boundsIn(model, at);
  const isStill = () => judge.possible(leeways) === outcomeBit(to);
  const words = new Map<number, string[]>();
  const isStillWith = (tie: number) => {
    const known = leeways[variables.length + tie] as TruthBounds;
    leeways[variables.length + tie] = (ties[tie] as JointTest).leeway(
      (ties[tie] as JointTest).variables.map(() => undefined),
    );
    if (isStill()) return true;
    leeways[variables.length + tie] = known;
    return false;
  };
  // What a condition that is evaluated whole would make of other values is not known from their cells.
  const fixed = new Set<number>();
  for (const [i, { source, variables: places }] of ties.entries()) {
    if ('kind' in source && places.some((each) => set.has(each)) && !isStillWith(i))
      for (const place of places) fixed.add(place);
  }
  for (const [place, choice] of set) {
    if (fixed.has(place)) continue;
    const variable = variables[place] as Variable;
    const fact = variable.choices[choice]?.fact as Fact;
    const allowed = variable.axes.map(({ axis }) => [findCell(axis, fact, undefined, day)]);
    const draw = () => {
      leeways[place] = bothOf(
        variable.axes.map((view, i) => leewayOfCells(view, allowed[i] as number[])),
        form.mask,
      );
    };
    for (const [i, { axis }] of variable.axes.entries()) {
      for (const cell of neighboursFirst(axis, (allowed[i] as number[])[0] as number)) {
        const before = allowed[i] as number[];
        allowed[i] = [...before, cell].sort((a, b) => a - b);
        draw();
        if (!isStill()) allowed[i] = before;
      }
      draw();
    }
    const said = variable.axes.flatMap(({ axis }, i) => cellWords(axis, allowed[i] as number[]) ?? []);
    words.set(place, said);
  }
  for (const [i, { source, variables: places }] of ties.entries()) {
    const place = places.find((each) => set.has(each) && !fixed.has(each));
    if (place === undefined || 'kind' in source || isStillWith(i)) continue;
    const cell = cellOfPair(source, model, at, day);
    const said = source.cells[cell]?.words ?? '';
    const isSubject = variables[place]?.path === source.fact;
    words.set(place, [...(words.get(place) ?? []), isSubject ? said : `such that ${source.fact} ${said}`]);
  }
  return words;
}

function leewayOfCells({ leeways }: AxisView, cells: readonly number[]): TruthBounds {
  return eitherOf(cells.map((cell) => leeways[cell] as TruthBounds));
}

/** The other cells of what is known, those next to it first. */
function neighboursFirst({ cells }: Axis, cell: number): readonly number[] {
  const known = Array.from({ length: cells.length - 1 }, (_, i) => i + 1).filter((other) => other !== cell);
  return known.sort((one, other) => Math.abs(one - cell) - Math.abs(other - cell));
}

function cellOfPair({ fact, other, find }: Axis, { variables }: Model, at: readonly number[], day: string): number {
  const chosen = (path: string | undefined): Fact => {
    const place = variables.findIndex((variable) => variable.path === path);
    return variables[place]?.choices[at[place] as number]?.fact ?? { missing: 'notGiven' };
  };
  return find(chosen(fact), chosen(other), day) ?? 0;
}
