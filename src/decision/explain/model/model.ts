/** A policy, facts and a day -> every fact that can affect the outcome, with the states that rules distinguish. */

import type { FactTable } from '../../../facts/catalog.ts';
import { givenFacts } from '../../../facts/compute.ts';
import { type Fact, type Facts, isMissing } from '../../../facts/fact.ts';
import type { Geodata } from '../../../platform/formats/geo/geodata.ts';
import type { Axis } from '../../../policy/cells/cells.ts';
import { type Condition, factsOf, type Policy } from '../../../policy/language.ts';
import { findCell } from '../../matcher/cell-lookup.ts';
import { factAt } from '../../meaning/truth.ts';
import type { Steps, Work } from '../steps.ts';
import type { ConjunctiveForm } from './conjunctive-form.ts';
import { type Constraint, constraintsAmong } from './constraints.ts';
import { type FoundValues, findValues } from './find-values.ts';
import { type JointTest, jointTestOf } from './joint-tests.ts';
import { createJudge, type Judge } from './judge.ts';
import { bothOf, boundsOf, eitherOf, type TruthBounds } from './truth-bounds.ts';
import type { AxisView, Choice, Variable } from './variable.ts';

/** A policy on a day, and the facts of one applicant, in the form that the searches of an explanation use. */
export interface Model {
  readonly policy: Policy;
  readonly form: ConjunctiveForm;
  readonly judge: Judge;
  readonly work: Work;
  readonly variables: readonly Variable[];
  readonly jointTests: readonly JointTest[];
  readonly constraints: readonly Constraint[];
}

/** The further inputs of a model. */
interface ModelContext {
  readonly day: string;
  readonly work: Work;
  readonly geodata: Geodata | undefined;
}

/** Builds the model. `facts` are as `readFacts` returns them. */
export function* createModel(form: ConjunctiveForm, facts: Facts, { day, work, geodata }: ModelContext): Steps<Model> {
  const { policy, rules, views, mask } = form;
  // A computed fact changes only through its operands.
  const read = givenFacts(new Set(rules.flatMap(({ when }) => [...factsOf(when)])), policy.facts);
  const isSingle = (source: Axis | Condition): source is Axis => isOfOne(source, policy.facts);
  const pathsOf = (source: Axis | Condition) => givenFacts(pathsIn(source), policy.facts);
  const table: FactTable = new Map([...policy.facts].filter(([path]) => read.has(path)));
  const constraints = constraintsAmong(read, facts, geodata);
  const values = findValues({ table, declared: policy.facts, rules, views, constraints, facts, day });
  const variables: Variable[] = [];
  for (const [path, definition] of table) {
    const axes = views.flatMap(({ source, cellBounds }) =>
      isSingle(source) && source.fact === path ? { axis: source, cellBounds } : [],
    );
    const isJoint = views.some(({ source }) => !isSingle(source) && pathsOf(source).has(path));
    const isRelated = isJoint || constraints.some((constraint) => constraint.facts.includes(path));
    if (axes.length === 0 && !isRelated) continue;
    const foundValues = values.get(path) ?? { values: [], isComplete: true, innerAxes: [], isCompared: false };
    const choices = yield* choicesOf(factAt(facts, path), axes, foundValues, { mask, day, isRelated });
    const anyBounds = eitherOf(choices.map(({ bounds }) => bounds));
    variables.push({ path, definition, axes, choices, anyBounds, isFixed: definition.origin === 'applicant' });
  }
  const jointTests = views.flatMap(({ source, cellBounds }) =>
    isSingle(source) ? [] : jointTestOf(source, cellBounds, variables, { day, work, table: policy.facts }),
  );
  return { policy, form, judge: createJudge(form, work), work, variables, jointTests, constraints };
}

/** By variable: the index of its choice, or the bounds of an open fact. */
export type Assignment = readonly (number | TruthBounds)[];

/** The bounds of every fact, then those of every joint test. */
export function boundsIn({ variables, jointTests }: Model, assignment: Assignment): TruthBounds[] {
  const bounds = variables.map(({ choices }, i) => {
    const assigned = assignment[i] as number | TruthBounds;
    return typeof assigned === 'number' ? (choices[assigned]?.bounds as TruthBounds) : assigned;
  });
  const choiceOf = (assigned: Assignment[number] | undefined) => (typeof assigned === 'number' ? assigned : undefined);
  for (const joint of jointTests) bounds.push(joint.boundsFor(joint.indexes.map((i) => choiceOf(assignment[i]))));
  return bounds;
}

/** Every fact as it is now. */
export function present({ variables }: Model): number[] {
  return variables.map(() => 0);
}

/** Whether a source is an axis of one fact alone, which is not computed from others. */
function isOfOne(source: Axis | Condition, table: FactTable): source is Axis {
  return !('kind' in source) && source.other === undefined && !table.get(source.fact)?.compute;
}

function pathsIn(source: Axis | Condition): ReadonlySet<string> {
  if ('kind' in source) return factsOf(source);
  return new Set(source.other === undefined ? [source.fact] : [source.fact, source.other]);
}

interface ChoiceContext {
  readonly mask: Int32Array;
  readonly day: string;
  /** Whether a joint test or a constraint reads the fact, so that its cells alone do not tell its states apart. */
  readonly isRelated: boolean;
}

const MISSING: Fact = { missing: 'notGiven' };

/** The states of a fact, one for each that the rules can tell apart. */
function* choicesOf(
  now: Fact,
  axes: readonly AxisView[],
  { values, isComplete, innerAxes, isCompared }: FoundValues,
  { mask, day, isRelated }: ChoiceContext,
): Steps<readonly Choice[]> {
  const choices: Choice[] = [];
  const seen = new Set<string>();
  const facts = [now, ...values.map((value) => ({ value })), ...(isMissing(now) ? [] : [MISSING])];
  for (const fact of facts) {
    yield;
    const cells = axes.map(({ axis, cellBounds }) => cellBounds[findCell(axis, fact, undefined, day)] as TruthBounds);
    const bounds = boundsOf(meetBits(cells, mask));
    const missing = isMissing(fact) && isRelated;
    const inner = innerAxes.map((axis) => findCell(axis, fact, undefined, day));
    const exact = isCompared && !isMissing(fact) ? JSON.stringify(fact.value) : '';
    const signature = `${missing} ${inner.join()} ${exact} ${bounds.subarray(0, 2 * mask.length).join()}`;
    if (seen.has(signature)) continue;
    seen.add(signature);
    choices.push({ fact, bounds });
  }
  // A source that answers brings a value, even if no rule distinguishes it from a missing fact.
  const [value] = values;
  if (value !== undefined && choices.every(({ fact }) => fact && isMissing(fact))) {
    choices.push({ fact: { value }, bounds: (choices[0] as Choice).bounds });
  }
  if (!isComplete) {
    const knownBounds = axes.map(({ axis, cellBounds }) => eitherOf(cellBounds.slice(axis.firstValue)));
    choices.push({ fact: undefined, bounds: bothOf(knownBounds, mask) });
  }
  return choices;
}

/** The conjunctions that one value leaves possible on all axes of its fact, then those that it leaves certain. */
function meetBits(cells: readonly TruthBounds[], mask: Int32Array): Int32Array {
  const bits = Int32Array.from([...mask, ...mask]);
  for (const bounds of cells) {
    for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] as number) & (bounds[i] as number);
  }
  return bits;
}
