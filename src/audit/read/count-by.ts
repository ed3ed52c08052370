/** Decisions that a search found, and keys -> how many have each combination of values. */

import type { NoteBody } from '../entry/body.ts';
import type { NoteFields } from '../entry/entry.ts';
import type { SearchableFields } from '../entry/searchable.ts';
import type { Judgement } from './judgement.ts';

type CountedFields = Pick<SearchableFields, 'at' | 'outcome' | 'reasons' | 'rules' | 'policy'>;

/** A note that counts; `by` and `why` where they were read. */
export type CountedNote = Pick<NoteFields, 'at' | 'disposition' | 'resolves'> & Partial<NoteBody>;

/** When each case was opened that is not the review of a decision. */
type Openings = ReadonlyMap<string, string>;

/** What a decision has of a key: one value or several; null if its record does not say. */
type Values = string | readonly string[] | null;

/**
 * What decisions can be counted by. Months and days are UTC; reasons decided, rules fired, and people judged. A person
 * and why are of the review, or of the label of what nobody reviewed.
 */
const COLUMNS = {
  month: ({ at }) => at.slice(0, 7),
  day: ({ at }) => at.slice(0, 10),
  outcome: ({ outcome }) => outcome,
  reason: ({ reasons }) => reasons?.decisive ?? null,
  rule: ({ rules }) => rules,
  policy: ({ policy }) => `${policy.name}@${policy.version}`,
  review: (_, { review }) => review?.disposition ?? [],
  label: (_, { label }) => label?.disposition ?? [],
  disposition: (_, { review, label }) => (label ?? review)?.disposition ?? [],
  person: (_, { review, label }) => (review ?? label)?.by ?? [],
  why: (_, { review, label }) => (review ?? label)?.why ?? [],
  waited: (decision, { review }, opened) => (review && waitedFor(review, decision, opened)) ?? [],
} as const satisfies Record<string, (...of: Parameters<Tally['addDecision']>) => Values>;

export type CountKey = keyof typeof COLUMNS;

export const COUNT_KEYS = Object.keys(COLUMNS) as readonly CountKey[];

/** Whether a key asks what people say of decisions. */
export function asksPeople(key: CountKey): boolean {
  return ['review', 'label', 'disposition', 'waited'].includes(key) || asksWords(key);
}

/** Whether a key asks who said it, or why, which is encrypted. */
export function asksWords(key: CountKey): boolean {
  return key === 'person' || key === 'why';
}

const HOUR_MS = 3_600_000;
const WAITS = Object.entries({ 1: 'under 1 hour', 4: 'under 4 hours', 24: 'under 1 day' });

/** How long the case waited that a review resolves; undefined if it resolves none. */
function waitedFor({ at, resolves }: CountedNote, { outcome, at: decidedAt }: CountedFields, opened: Openings) {
  const from = opened.get(resolves?.case ?? '') ?? (outcome === 'review' ? decidedAt : undefined);
  if (from === undefined) return undefined;
  const hours = (Date.parse(at) - Date.parse(from)) / HOUR_MS;
  return WAITS.find(([end]) => hours < Number(end))?.[1] ?? '1 day or longer';
}

/** How many decisions have these values, in the order of the keys; null where a decision has no value. */
export interface CountRow {
  readonly values: readonly (string | null)[];
  readonly decisions: number;
}

export interface Counts {
  readonly keys: readonly CountKey[];
  /** By each key in turn: times in their order, all else the most frequent value first. */
  readonly rows: readonly CountRow[];
  /** How many decisions are in the rows. One with several decisive reasons or rules is in several rows. */
  readonly decisions: number;
  /** How many further decisions have a record of the earlier form, which does not say what decided. */
  readonly earlier: number;
}

/** Counts decisions. Memory grows with the combinations of values. */
export class Tally {
  readonly keys: readonly CountKey[];
  readonly #combinations = new Map<string, number>();

  constructor(keys: readonly CountKey[]) {
    this.keys = keys;
  }

  addDecision(decision: CountedFields, judgement: Judgement<CountedNote>, opened: Openings): void {
    const combination = JSON.stringify(this.keys.map((key) => COLUMNS[key](decision, judgement, opened)));
    this.#combinations.set(combination, (this.#combinations.get(combination) ?? 0) + 1);
  }

  counts(): Counts {
    const rows = new Map<string, number>();
    let [decisions, earlier] = [0, 0];
    for (const [combination, n] of this.#combinations) {
      const values = JSON.parse(combination) as Values[];
      if (values.includes(null)) earlier += n;
      else {
        decisions += n;
        for (const row of rowsOf(values)) rows.set(row, (rows.get(row) ?? 0) + n);
      }
    }
    const counted = [...rows].map(([row, n]): CountRow => ({ values: JSON.parse(row), decisions: n }));
    return { keys: this.keys, rows: sortRows(counted, this.keys), decisions, earlier };
  }
}

/** A row for each choice of one value a key, as JSON: each once, also in a record that repeats a value. */
function rowsOf(values: readonly Values[]): Set<string> {
  const rows = values.reduce<(string | null)[][]>(
    (before, value) => {
      const choices = typeof value === 'string' ? [value] : value?.length ? value : [null];
      return before.flatMap((row) => choices.map((choice) => [...row, choice]));
    },
    [[]],
  );
  return new Set(rows.map((row) => JSON.stringify(row)));
}

function sortRows(rows: readonly CountRow[], keys: readonly CountKey[]): CountRow[] {
  const totals = keys.map((key, i) => {
    const sums = new Map<string | null, number>();
    const isTime = key === 'month' || key === 'day';
    for (const { values, decisions } of isTime ? [] : rows) {
      const value = values[i] ?? null;
      sums.set(value, (sums.get(value) ?? 0) + decisions);
    }
    return sums;
  });
  return [...rows].sort(({ values: one }, { values: other }) => {
    const i = keys.findIndex((_, at) => one[at] !== other[at]);
    const [left, right] = [one[i] ?? null, other[i] ?? null];
    const difference = (totals[i]?.get(right) ?? 0) - (totals[i]?.get(left) ?? 0);
    return difference || ((left ?? '') < (right ?? '') ? -1 : 1);
  });
}
