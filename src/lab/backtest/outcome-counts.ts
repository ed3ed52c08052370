/** Applicants by their outcomes, of all and of groups -> counts. */

import { daysBetween } from '../../facts/day.ts';
import type { Fact } from '../../facts/fact.ts';
import { OUTCOMES, type Outcome, strictness } from '../../policy/language.ts';
import { MOST_VALUES_COUNTED } from '../limits.ts';
import { applicantsIn, type ChangeCount, changesOf, type Flow, type OutcomeChange } from './applicants.ts';

/** How many applicants have each outcome. */
export type OutcomeCounts = Readonly<Record<Outcome, number>>;

/** The counts of applicants with one value. */
export interface GroupCount {
  readonly applicants: number;
  readonly outcomes: OutcomeCounts;
  readonly before?: OutcomeCounts;
  readonly changed: number;
  /** The changes that occur, the worst first; with outcomes before. */
  readonly changes?: readonly ChangeCount[];
}

/** The counts by a fact, or by `week` or `month`. */
export interface Grouped {
  readonly by: string;
  /** The commonest values first, weeks and months in their order; `null` for a missing fact. */
  readonly values: readonly (GroupCount & { readonly value: string | null })[];
  /** All values beyond these. */
  readonly others?: GroupCount & { readonly values: number };
}

export function noOutcomes(): Record<Outcome, number> {
  return { accept: 0, review: 0, reject: 0 };
}

export function outcomesOf(changes: ReadonlyMap<string, number>, end: 'from' | 'to'): OutcomeCounts {
  const outcomes = noOutcomes();
  for (const [change, applicants] of changes) {
    const [from, to] = change.split(' ') as [Outcome, Outcome];
    outcomes[end === 'from' ? from : to] += applicants;
  }
  return outcomes;
}

export function add(counts: Map<string, number>, name: string, n: number): Map<string, number> {
  return counts.set(name, (counts.get(name) ?? 0) + n);
}

/** How two policies decide the same applicants. */
export interface Compared {
  /** By the policy before. */
  readonly before: OutcomeCounts;
  /** Those whose outcome changes. */
  readonly changed: number;
  /** All nine, from mild to strict. */
  readonly flows: readonly Flow[];
}

/** Applicants by their outcomes, and their days. */
export interface Totals extends Partial<Compared> {
  readonly decided: number;
  /** From the first day of an applicant to the last; absent without any. */
  readonly period?: { readonly from: string; readonly to: string; readonly days: number };
  readonly outcomes: OutcomeCounts;
}

/** `counts`: applicants by their outcomes, such as `accept review`; `compares`: whether there is a policy before. */
export function totalsOf(
  counts: ReadonlyMap<string, number>,
  [from, to]: readonly string[],
  compares: boolean,
): Totals {
  const decided = [...counts.values()].reduce((sum, n) => sum + n, 0);
  return {
    decided,
    ...(from === undefined || to === undefined ? {} : { period: { from, to, days: daysBetween(from, to) + 1 } }),
    outcomes: outcomesOf(counts, 'to'),
    ...(compares ? comparedBy(counts, decided) : {}),
  };
}

function comparedBy(counts: ReadonlyMap<string, number>, all: number): Compared {
  const flows = OUTCOMES.flatMap((from) =>
    OUTCOMES.map((to) => {
      const applicants = counts.get(`${from} ${to}`) ?? 0;
      return { from, to, applicants, share: all === 0 ? 0 : applicants / all };
    }),
  );
  const changed = applicantsIn(flows.filter(({ from, to }) => from !== to));
  return { before: outcomesOf(counts, 'from'), changed, flows };
}

/** Counts applicants by two outcomes. */
export class OutcomePairs {
  /** By three times the strictness of the one plus that of the other. */
  readonly #counts = new Float64Array(OUTCOMES.length ** 2);

  add({ from, to }: OutcomeChange, n = 1): void {
    const at = OUTCOMES.length * strictness(from) + strictness(to);
    this.#counts[at] = (this.#counts[at] as number) + n;
  }

  of({ from, to }: OutcomeChange): number {
    return this.#counts[OUTCOMES.length * strictness(from) + strictness(to)] as number;
  }

  countIf(isMeant: (outcomes: OutcomeChange) => boolean): number {
    const counts = OUTCOMES.flatMap((from) =>
      OUTCOMES.map((to) => (isMeant({ from, to }) ? this.of({ from, to }) : 0)),
    );
    return counts.reduce((sum, n) => sum + n);
  }

  /** The changes that occur, the worst first. */
  changes(): readonly ChangeCount[] {
    return changesOf((change) => this.of(change));
  }
}

/** The value of a fact, or the month or the first day of the week; null for none. */
export function groupValue(by: string, day: string, factOf: (path: string) => Fact | undefined): string | null {
  if (by === 'month') return day.slice(0, 'yyyy-MM'.length);
  if (by === 'week') return weekOf(day);
  const fact = factOf(by);
  return fact && 'value' in fact ? String(fact.value) : null;
}

/** The Monday of a day's week. */
function weekOf(day: string): string {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, day.length);
}

const IN_ORDER = ['week', 'month'];

/** `counts`: for each value the applicants by the names of their outcomes, before and now. */
export function groupedBy(
  by: string,
  counts: ReadonlyMap<string | null, ReadonlyMap<string, number>>,
  compares: boolean,
): Grouped {
  const groupOf = (changes: ReadonlyMap<string, number>): GroupCount => {
    const outcomes = outcomesOf(changes, 'to');
    const applicants = OUTCOMES.reduce((sum, each) => sum + outcomes[each], 0);
    const same = OUTCOMES.reduce((sum, each) => sum + (changes.get(`${each} ${each}`) ?? 0), 0);
    const before = compares ? { before: outcomesOf(changes, 'from') } : {};
    const worst = compares ? { changes: changesOf(({ from, to }) => changes.get(`${from} ${to}`)) } : {};
    return { applicants, outcomes, ...before, changed: applicants - same, ...worst };
  };
  const all = [...counts].map(([value, counted]) => ({ value, counted, ...groupOf(counted) }));
  const isInOrder = IN_ORDER.includes(by);
  all.sort((one, other) => {
    const more = isInOrder ? 0 : other.applicants - one.applicants;
    // Values that are as common have an order that does not depend on that of the applicants.
    return more || (String(one.value) < String(other.value) ? -1 : 1);
  });
  const most = isInOrder ? all.length : MOST_VALUES_COUNTED;
  const rest = all.slice(most);
  const joined = new Map<string, number>();
  for (const { counted } of rest) for (const [change, n] of counted) add(joined, change, n);
  return {
    by,
    values: all.slice(0, most).map(({ counted: _, ...group }) => group),
    ...(rest.length > 0 ? { others: { values: rest.length, ...groupOf(joined) } } : {}),
  };
}
