/** A policy on a day -> the conjunctions of its rules, and the bounds that each cell of each fact sets on them. */

import { type Axis, Cells } from '../../../policy/cells/cells.ts';
import { Conjunctions } from '../../../policy/cells/conjunctions.ts';
import { type Condition, isActive, type Policy, type Rule, testsOf } from '../../../policy/language.ts';
import { buildVectors, countCells, firstBits } from '../../matcher/program.ts';
import { boundsOf, type TruthBounds } from './truth-bounds.ts';

/** An axis or a condition, with the bounds of each of its cells. */
export interface View {
  /** An axis, or a condition that is evaluated as a whole because its disjunctive form would be too large. */
  readonly source: Axis | Condition;
  /** By cell: the axis's own cells, or `DIRECT_CELLS` for a condition. */
  readonly cellBounds: readonly TruthBounds[];
}

/** The rules that can affect the outcome, in a form in which facts can be open. */
export interface ConjunctiveForm {
  readonly policy: Policy;
  /** The cells of the tests of all active rules. */
  readonly cells: Cells;
  /** The active rules without the shadow rules, in the policy's order. */
  readonly rules: readonly Rule[];
  /** By conjunction, the index of its rule. The conjunctions of a rule are adjacent. */
  readonly ruleOf: readonly number[];
  /** The conjunctions that some facts make possible, as a bit vector. */
  readonly mask: Int32Array;
  /** The views whose cells differ in their bounds. */
  readonly views: readonly View[];
}

/** The cells of a policy on a day, and its form; undefined if it would be too large. */
export interface FormAndCells {
  readonly cells: Cells;
  readonly form: ConjunctiveForm | undefined;
}

/** The most words of all vectors of a form: 64 MB. Thousands of rules with thousands of values of a fact need more. */
const MOST_WORDS = 2 ** 24;
/** The vectors of a cell: two at first, then the five of its bounds, and five of a choice of its fact. */
const VECTORS = 12;

const latest = new WeakMap<Policy, { readonly day: string; readonly result: FormAndCells }>();

/** The form of a policy on a day. The form of the latest day is cached. */
export function conjunctiveFormOf(policy: Policy, day: string): FormAndCells {
  const cached = latest.get(policy);
  if (cached?.day === day) return cached.result;
  const result = createForm(policy, day);
  latest.set(policy, { day, result });
  return result;
}

function createForm(policy: Policy, day: string): FormAndCells {
  const active = policy.rules.filter((rule) => isActive(rule, day));
  const rules = active.filter(({ shadow }) => !shadow);
  const tests = active.flatMap(({ when }) => [...testsOf(when)]);
  const cells = new Cells(tests, policy.facts);
  const conjunctions = new Conjunctions(cells);
  const drafts = rules.flatMap(({ when }, rule) =>
    (conjunctions.drafts(when) ?? [when]).map((draft) => ({ draft, rule })),
  );
  const words = Math.ceil(drafts.length / 32);
  if (words * VECTORS * countCells(drafts.map(({ draft }) => draft)) > MOST_WORDS) return { cells, form: undefined };
  const mask = firstBits(drafts.length, words);
  const axes = buildVectors(
    drafts.map(({ draft }) => draft),
    words,
    mask,
  );
  const views = [...axes].map(([source, bits]) => ({ source, cellBounds: cellBoundsOf(bits, words) }));
  const ruleOf = drafts.map(({ rule }) => rule);
  return { cells, form: { policy, cells, rules, ruleOf, mask, views: withoutConstant(views, mask) } };
}

function cellBoundsOf(bits: Int32Array, words: number): readonly TruthBounds[] {
  const cells = bits.length / (2 * words);
  return Array.from({ length: cells }, (_, cell) => boundsOf(bits.subarray(cell * 2 * words, (cell + 1) * 2 * words)));
}

/** The views whose cells differ. The conjunctions that a constant view rules out are removed from the mask. */
function withoutConstant(views: readonly View[], mask: Int32Array): readonly View[] {
  return views.filter(({ cellBounds: [first, ...others] }) => {
    if (!first || others.some((bounds) => bounds.some((word, i) => word !== first[i]))) return true;
    for (const i of mask.keys()) mask[i] = (mask[i] as number) & (first[i] as number);
    return false;
  });
}
