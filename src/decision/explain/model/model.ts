/** A policy, facts and a day -> every fact that could count, with all that it could be as far as the rules can tell. */

import type { FactTable } from '../../../facts/catalog.ts';
import { type Fact, type Facts, isMissing } from '../../../facts/fact.ts';
import type { Axis } from '../../../policy/cells/cells.ts';
import { type Condition, factsOf, type Policy } from '../../../policy/language.ts';
import { findCell } from '../../matcher/find-cell.ts';
import { factAt } from '../../meaning/truth.ts';
import { type ConjunctiveForm, conjunctiveFormOf } from './conjunctive-form.ts';
import { type Constraint, constraintsAmong } from './constraints.ts';
import { type JointTest, jointTestOf } from './joint-tests.ts';
import { createJudge, type Judge } from './judge.ts';
import { bothOf, boundsOf, eitherOf, type TruthBounds } from './truth-bounds.ts';
import { type FoundValues, findValues } from './value-axes.ts';

import type { AxisView, Choice, Variable } from './variable.ts';

/** All that could count for an outcome. */
export interface Model {
  readonly policy: Policy;
  readonly form: ConjunctiveForm;
  readonly judge: Judge;
  readonly variables: readonly Variable[];
  readonly ties: readonly JointTest[];
  readonly relations: readonly Constraint[];
}

/** Reads what could count. `facts` are as `readFacts` gives them. */
export function createModel(policy: Policy, facts: Facts, day: string): Model {
  const form = conjunctiveFormOf(policy, day);
  const { rules, views, mask } = form;
  const read = new Set(rules.flatMap(({ when }) => [...factsOf(when)]));
  const table: FactTable = new Map([...policy.facts].filter(([path]) => read.has(path)));
  const relations = constraintsAmong(read, facts);
  const values = findValues({ table, rules, views, relations, facts, day });
  const variables = [...table].flatMap(([path, definition]): Variable[] => {
    const axes = views.flatMap(({ source, leeways }) =>
      isAlone(source) && source.fact === path ? { axis: source, leeways } : [],
    );
    const isTied = views.some(({ source }) => !isAlone(source) && pathsOf(source).has(path));
    const isPlain = !isTied && !relations.some((relation) => relation.facts.includes(path));
    if (axes.length === 0 && isPlain) return [];
    const found = values.get(path) ?? { values: [], isComplete: true, inside: [], isCompared: false };
    const choices = choicesOf(factAt(facts, path), axes, found, { mask, day, isPlain });
    const any = eitherOf(choices.map(({ leeway }) => leeway));
    return [{ path, definition, axes, choices, any, isHeld: definition.origin === 'applicant', isPlain }];
  });
  const ties = views.flatMap(({ source, leeways }) =>
    isAlone(source) ? [] : jointTestOf(source, leeways, variables, facts, day),
  );
  return { policy, form, judge: createJudge(form), variables, ties, relations };
}

function isAlone(source: Axis | Condition): source is Axis {
  return !('kind' in source) && source.other === undefined;
}

function pathsOf(source: Axis | Condition): ReadonlySet<string> {
  if ('kind' in source) return factsOf(source);
  return new Set(source.other === undefined ? [source.fact] : [source.fact, source.other]);
}

interface ChoiceSetting {
  readonly mask: Int32Array;
  readonly day: string;
  readonly isPlain: boolean;
}

const MISSING: Fact = { missing: 'notGiven' };

/** What a fact can be, each once as far as the rules can tell. */
function choicesOf(
  present: Fact,
  axes: readonly AxisView[],
  { values, isComplete, inside, isCompared }: FoundValues,
  { mask, day, isPlain }: ChoiceSetting,
): readonly Choice[] {
  const choices: Choice[] = [];
  const seen = new Set<string>();
  const facts = [present, ...values.map((value) => ({ value })), ...(isMissing(present) ? [] : [MISSING])];
  for (const fact of facts) {
    const cells = axes.map(({ axis, leeways }) => leeways[findCell(axis, fact, undefined, day)] as TruthBounds);
    const leeway = boundsOf(meetBits(cells, mask));
    const missing = isMissing(fact) && !isPlain;
    const beside = inside.map((axis) => findCell(axis, fact, undefined, day));
    const exact = isCompared && !isMissing(fact) ? JSON.stringify(fact.value) : '';
    const look = `${missing} ${beside.join()} ${exact} ${leeway.subarray(0, 2 * mask.length).join()}`;
    if (seen.has(look)) continue;
    seen.add(look);
    choices.push({ fact, leeway });
  }
  if (!isComplete) {
    const known = axes.map(({ axis, leeways }) => eitherOf(leeways.slice(axis.firstValue)));
    choices.push({ fact: undefined, leeway: bothOf(known, mask) });
  }
  return choices;
}

/** What one value leaves on all axes of its fact: what is possible, then what is certain. */
function meetBits(leeways: readonly TruthBounds[], mask: Int32Array): Int32Array {
  const bits = Int32Array.from([...mask, ...mask]);
  for (const leeway of leeways) {
    for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] as number) & (leeway[i] as number);
  }
  return bits;
}
