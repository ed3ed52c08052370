/** What is counted: parts of a policy, each with the goals that a case can reach. */

import { bitOf, FALSE, TRUE, type Truth, UNKNOWN } from '../../../decision/meaning/truth.ts';
import type { Place } from '../../../diagnostics.ts';
import type { Condition, Rule, Test } from '../../../policy/language.ts';
import type { DayCounts } from './counters.ts';

/** What is counted, in the order of reports, in words. */
export const KINDS = {
  rule: 'rules',
  row: 'rows of tables',
  test: 'tests',
  border: 'borders',
  condition: 'named conditions',
  band: 'score bands',
  final: 'final rules',
  notice: 'notices',
} as const;

/** What the name of an item is the name of, where it does not say so itself. */
const NAMES: Readonly<Record<CoverageKind, string>> = {
  ...{ rule: 'rule ', row: 'row ', test: '', border: 'border of ', condition: 'condition ' },
  ...{ band: 'score, ', final: 'final rule ', notice: 'notice of ' },
};

/** An item in words: `rule voip`, `border of phone.score: below 80 and 80`. */
export function itemWords({ kind, name }: Pick<Item, 'kind' | 'name'>): string {
  return `${NAMES[kind]}${name}`;
}

/** A kind of what is counted. */
export type CoverageKind = keyof typeof KINDS;

/** Something that a case should reach. */
export interface Goal {
  readonly name: string;
  /** The truth that the subject of the item has then; undefined if it is about something else. */
  readonly truth?: Truth;
  /** How many of the cases of a day reached it. */
  countOn(day: DayCounts): number;
}

/** A part of a policy, with everything that can happen to it. */
export interface Item {
  /** Unique, and equal for the same part of a policy with other values of its parameters. */
  readonly key: string;
  readonly kind: CoverageKind;
  /** In words; the place tells items of one name apart. */
  readonly name: string;
  readonly place: Place | undefined;
  /** The indexes of the rules that it belongs to; undefined for the score and the default, which are of all days. */
  readonly rules: readonly number[] | undefined;
  /** What it is about: a rule, a test or a named condition. */
  readonly subject: Rule | Test | Condition | undefined;
  readonly goals: readonly Goal[];
}

/** An item of no rule: it is counted on all days. */
export const OF_ALL_DAYS = { place: undefined, rules: undefined, subject: undefined } as const;

/** By the number of a truth, plus 1. */
type TruthNames = readonly [ifFalse: string, ifUnknown: string, ifTrue: string];

/** In the order in which goals are listed. */
const TRUTHS = [TRUE, FALSE, UNKNOWN] as const;

/** A goal for each of the truths that are possible. */
export function truthGoals(
  names: TruthNames,
  possible: number,
  countOn: (truth: Truth, day: DayCounts) => number,
): Goal[] {
  return TRUTHS.filter((truth) => possible & bitOf(truth)).map((truth) => ({
    name: names[truth + 1] as string,
    truth,
    countOn: (day) => countOn(truth, day),
  }));
}
