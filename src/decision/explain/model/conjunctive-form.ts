/** A policy on a day -> the conjunctions of the rules that count, and what each cell of each fact leaves of them. */

import { type Axis, Cells } from '../../../policy/cells/cells.ts';
import { Conjunctions } from '../../../policy/cells/conjunctions.ts';
import { type Condition, isActive, type Policy, type Rule, testsOf } from '../../../policy/language.ts';
import { drawAxes, firstBits } from '../../matcher/program.ts';
import { boundsOf, type TruthBounds } from './truth-bounds.ts';

/** One way in which the rules look at facts. */
export interface View {
  /** An axis; or a condition that is evaluated whole, since its disjunctive form would be too large. */
  readonly source: Axis | Condition;
  /** By cell: of an axis its own, of a condition `DIRECT_CELLS`. */
  readonly leeways: readonly TruthBounds[];
}

/** The rules that count, in a form in which facts can be open. */
export interface ConjunctiveForm {
  readonly policy: Policy;
  /** Of the tests of all active rules. */
  readonly cells: Cells;
  /** The active rules without the shadow rules, in the policy's order. */
  readonly rules: readonly Rule[];
  /** By conjunction, the index of its rule; those of a rule stand together. */
  readonly ruleOf: readonly number[];
  /** The conjunctions that some facts make possible, as a vector. */
  readonly mask: Int32Array;
  /** Those whose cells do not all leave the same. */
  readonly views: readonly View[];
}

const latest = new WeakMap<Policy, { readonly day: string; readonly form: ConjunctiveForm }>();

/** The form of a policy on a day; that of the latest day is kept. */
export function conjunctiveFormOf(policy: Policy, day: string): ConjunctiveForm {
  const known = latest.get(policy);
  if (known?.day === day) return known.form;
  const form = draw(policy, day);
  latest.set(policy, { day, form });
  return form;
}

function draw(policy: Policy, day: string): ConjunctiveForm {
  const active = policy.rules.filter((rule) => isActive(rule, day));
  const rules = active.filter(({ shadow }) => !shadow);
  const tests = active.flatMap(({ when }) => [...testsOf(when)]);
  const cells = new Cells(tests, policy.facts);
  const conjunctions = new Conjunctions(cells);
  const drafts = rules.flatMap(({ when }, rule) =>
    (conjunctions.drafts(when) ?? [when]).map((draft) => ({ draft, rule })),
  );
  const words = Math.ceil(drafts.length / 32);
  const mask = firstBits(drafts.length, words);
  const axes = drawAxes(
    drafts.map(({ draft }) => draft),
    words,
    mask,
  );
  const drawn = [...axes].map(([source, bits]) => ({ source, leeways: leewaysOf(bits, words) }));
  return { policy, cells, rules, ruleOf: drafts.map(({ rule }) => rule), mask, views: telling(drawn, mask) };
}

/** Cell by cell. */
function leewaysOf(bits: Int32Array, words: number): readonly TruthBounds[] {
  const cells = bits.length / (2 * words);
  return Array.from({ length: cells }, (_, cell) => boundsOf(bits.subarray(cell * 2 * words, (cell + 1) * 2 * words)));
}

/** Views that say something of the facts; what the others rule out goes from the mask. */
function telling(views: readonly View[], mask: Int32Array): readonly View[] {
  return views.filter(({ leeways: [first, ...others] }) => {
    if (!first || others.some((leeway) => !isSame(leeway, first))) return true;
    for (const i of mask.keys()) mask[i] = (mask[i] as number) & (first[i] as number);
    return false;
  });
}

function isSame(one: TruthBounds, other: TruthBounds): boolean {
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}
