/** A set of facts that leads to an outcome -> the values each fact would need, in words and by an example. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { setComputed } from '../../facts/compute.ts';
import { type Fact, type Facts, type FactValue, isMissing } from '../../facts/fact.ts';
import type { Axis } from '../../policy/cells/cells.ts';
import { isPersonal } from '../../policy/identities.ts';
import { type Outcome, type Policy, testsOf } from '../../policy/language.ts';
import { findCell } from '../matcher/cell-lookup.ts';
import { outcomeBit } from '../meaning/outcome-range.ts';
import { factAt } from '../meaning/truth.ts';
import type { ChangeSet } from './counterfactuals.ts';
import { ANY_DAY, describeCells, NEVER_CELL } from './describe-cells.ts';
import type { NeededFact, Remedy } from './explanation.ts';
import type { JointTest } from './model/joint-tests.ts';
import { boundsIn, type Model, present } from './model/model.ts';
import { bothOf, eitherOf, type TruthBounds } from './model/truth-bounds.ts';
import type { Variable } from './model/variable.ts';
import type { Limit, Steps } from './steps.ts';
import { stateOf } from './unfired-rules.ts';

/** The facts with the changes of a set applied. */
export function withChanges(facts: Facts, { variables }: Model, set: ChangeSet): Facts {
  const changed = new Map(facts);
  for (const [index, choice] of set) {
    const variable = variables[index];
    const fact = variable?.choices[choice]?.fact;
    if (variable && fact) changed.set(variable.path, fact);
  }
  return changed;
}

/** How to obtain a fact that is missing for a cause. */
const REMEDIES_BY_CAUSE: { readonly [Cause in Extract<Fact, { missing: unknown }>['missing']]: Remedy } = {
  notRequested: 'askAgain',
  sourceFailed: 'askAgain',
  notReturned: 'askAgain',
  unmapped: 'mapping',
  invalid: 'mapping',
  notGiven: 'give',
  incomplete: 'wait',
  noneSeen: 'wait',
};

function remedyFor(now: Fact, { inputs = [] }: FactDefinition, table: FactTable): Remedy {
  const isOwn = inputs.length > 0 && inputs.every((path) => table.get(path)?.origin === 'applicant');
  // The input is present but yields no value: no mapping is involved.
  if (isOwn && (!isMissing(now) || now.missing === 'invalid')) return 'another';
  return isMissing(now) ? REMEDIES_BY_CAUSE[now.missing] : 'otherwise';
}

/** The outcome that a set leads to on a day, and the limit of the search for values. */
interface Request {
  readonly to: Outcome;
  readonly day: string;
  readonly limit: Limit;
}

/** The values that the facts of a set would need. */
export function* describeNeeds(model: Model, set: ChangeSet, request: Request): Steps<readonly NeededFact[]> {
  const phrases = yield* phrasesFor(model, set, request);
  const hidden = hiddenFacts(model.policy);
  return [...set].flatMap(([index, choice]) => {
    const variable = model.variables[index];
    const [now, then] = [variable?.choices[0]?.fact, variable?.choices[choice]?.fact];
    if (!variable || !now || !then || isMissing(then)) return [];
    const { path: fact } = variable;
    const remedy = remedyFor(now, variable.definition, model.policy.facts);
    const is = stateOf(fact, now, { table: model.policy.facts });
    if (hidden.has(fact)) return [{ fact, is, needs: ANOTHER_VALUE, example: NOT_SHOWN, remedy }];
    const needs = joinPhrases(phrases.get(index) ?? [showValue(then.value)]) || ANY_VALUE;
    return [{ fact, is, needs, example: then.value, remedy }];
  });
}

/**
 * Personal facts, and facts that a test compares with personal ones. An example could reveal a literal of the policy,
 * such as the email of another person, or the value of the other fact of a test.
 */
function hiddenFacts({ facts, rules }: Policy): ReadonlySet<string> {
  const hidden = new Set([...facts.keys()].filter((path) => isPersonal(path, facts)));
  const compared = rules.flatMap(({ when }) => [...testsOf(when)]).filter(({ other }) => other !== undefined);
  for (const { fact, other = fact } of compared) {
    if (isPersonal(fact, facts) || isPersonal(other, facts)) hidden.add(fact).add(other);
  }
  return hidden;
}

/** The text of `needs` if every value leads to the outcome. */
export const ANY_VALUE = 'any value';

/** The text of `needs`, and of the example, if they are hidden. */
export const ANOTHER_VALUE = 'another value';
export const NOT_SHOWN = '(not shown)';

/** Phrases that contain alternatives are separated by a semicolon. */
function joinPhrases(phrases: readonly string[]): string {
  return phrases.join(phrases.some((each) => each.includes(' or ')) ? '; and ' : ' and ');
}

function showValue(value: FactValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * By variable, the values it may have, in words; an empty list if it may have any. Axis by axis, cells are added as
 * long as every combination of the values added so far leads to the outcome. A fact of which only the example was
 * checked is left out.
 */
function* phrasesFor(
  model: Model,
  set: ChangeSet,
  { to, day, limit }: Request,
): Steps<ReadonlyMap<number, readonly string[]>> {
  const { variables, judge, form, jointTests } = model;
  const at = present(model).map((choice, i) => set.get(i) ?? choice);
  const bounds = boundsIn(model, at);
  const isReached = () => judge.possible(bounds) === outcomeBit(to);
  const phrases = new Map<number, readonly string[]>();
  /** Opens a joint test if the outcome is reached for every result of it. */
  const openIfPossible = (joint: number): boolean => {
    const index = variables.length + joint;
    const closed = bounds[index] as TruthBounds;
    bounds[index] = (jointTests[joint] as JointTest).anyBounds;
    if (isReached()) return true;
    bounds[index] = closed;
    return false;
  };
  // The result of a condition that is evaluated as a whole does not follow from the cells of other values.
  const exampleOnly = new Set<number>();
  for (const [joint, { source, indexes }] of jointTests.entries()) {
    if ('kind' in source && indexes.some((each) => set.has(each)) && !openIfPossible(joint))
      for (const index of indexes) exampleOnly.add(index);
  }
  for (const [index, choice] of set) {
    if (exampleOnly.has(index)) continue;
    const variable = variables[index] as Variable;
    const fact = variable.choices[choice]?.fact as Fact;
    const allowed = variable.axes.map(({ axis }) => [findCell(axis, fact, undefined, day)]);
    /** By axis, the bounds over the cells that are allowed so far. */
    const parts = variable.axes.map(({ cellBounds }, i) => cellBounds[allowed[i]?.[0] as number] as TruthBounds);
    const update = () => {
      bounds[index] = bothOf(parts, form.mask);
    };
    for (const [i, { axis, cellBounds }] of variable.axes.entries()) {
      for (const cell of neighboursFirst(axis, (allowed[i] as number[])[0] as number)) {
        yield;
        if (limit.isReached()) break;
        const before = parts[i] as TruthBounds;
        parts[i] = eitherOf([before, cellBounds[cell] as TruthBounds]);
        update();
        if (isReached()) allowed[i]?.push(cell);
        else parts[i] = before;
      }
      update();
    }
    // At the limit, cells that were not checked may be allowed too, so words for the checked ones would be wrong.
    if (!limit.isReached()) phrases.set(index, phrasesOf(variable, allowed));
  }
  for (const [joint, { source, indexes }] of jointTests.entries()) {
    const index = indexes.find((each) => set.has(each) && !exampleOnly.has(each));
    const phrase = index === undefined ? undefined : phrases.get(index);
    if (index === undefined || !phrase || 'kind' in source || openIfPossible(joint)) continue;
    const words = source.cells[cellOfPair(source, model, at, day)]?.words ?? '';
    const isSubject = variables[index]?.path === source.fact;
    const such = `such that ${source.fact} ${source.other === undefined ? `is ${words}` : words}`;
    phrases.set(index, [...phrase, isSubject ? words : such]);
  }
  return phrases;
}

/** The allowed cells of each axis, in words. A date that never happened is in the `never` cell of all its axes. */
function phrasesOf({ axes, definition }: Variable, allowed: readonly (readonly number[])[]): readonly string[] {
  const isDate = definition.type === 'date';
  const hasNever = isDate && axes.every((_, i) => allowed[i]?.includes(NEVER_CELL));
  const cells = allowed.map((all) => all.filter((cell) => !isDate || hasNever || cell !== NEVER_CELL));
  const words = axes.flatMap(
    ({ axis }, i) =>
      describeCells(
        axis,
        (cells[i] as number[]).sort((a, b) => a - b),
      ) ?? [],
  );
  const telling = words.filter((each) => each !== ANY_DAY);
  return telling.length === 0 ? words.slice(0, 1) : telling;
}

/** The other cells of known values, nearest first. */
function neighboursFirst({ cells }: Axis, cell: number): readonly number[] {
  const knownCells = Array.from({ length: cells.length - 1 }, (_, i) => i + 1).filter((other) => other !== cell);
  return knownCells.sort((one, other) => Math.abs(one - cell) - Math.abs(other - cell));
}

/** The cell of two facts, or of a computed one. */
function cellOfPair({ fact, other, find }: Axis, model: Model, at: readonly number[], day: string): number {
  const { variables, policy } = model;
  const facts = new Map<string, Fact>();
  for (const [i, { path, choices }] of variables.entries()) {
    const fact = choices[at[i] as number]?.fact;
    if (fact) facts.set(path, fact);
  }
  setComputed(facts, policy.facts);
  return find(factAt(facts, fact), other === undefined ? undefined : factAt(facts, other), day) ?? 0;
}
