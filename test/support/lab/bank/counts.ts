/** Invented applicants in the order of time, and what was decided of each then -> what each has before it, by hand. */

import { DAY, type Invented } from './applicants.ts';
import type { Past } from './history.ts';
import type { Counts, Edition, Outcome } from './rules.ts';

/** What a velocity of the policy counts. */
interface Counting {
  readonly by: (facts: Invented['facts']) => unknown;
  readonly days: number;
  /** Different values of a fact in place of applications. */
  readonly of?: string;
  /** Whether an earlier one counts, as of a time. */
  readonly isMeant?: (earlier: Invented, now: number) => boolean;
}

/** What is known of an applicant by now: what was decided, and what became known later, in the order of days. */
export interface Seen {
  readonly outcome?: Outcome | undefined;
  readonly labels?: Past['labels'];
}

/**
 * Looks at all applicants before each one.
 *
 * @param hasLabels whether labels are read; without any, nobody knows who was a fraud
 */
export function countBefore(
  applicants: readonly Invented[],
  seen: ReadonlyMap<string, Seen>,
  { phoneDays }: Pick<Edition, 'phoneDays'>,
  hasLabels = false,
): ReadonlyMap<string, Counts> {
  const network = (address: unknown) => (typeof address === 'string' ? address.replace(/\.\d+$/, '') : undefined);
  // A label is known once its day is over, and is of nobody who comes after it.
  const labelOf = ({ reference, time }: Invented, now: number) => {
    const ends = (seen.get(reference)?.labels ?? []).map(({ is, on }) => ({ is, end: Date.parse(on) + DAY }));
    return ends.findLast(({ end }) => end > time && end <= now)?.is;
  };
  const wanted: Readonly<Record<string, Counting>> = {
    ip1h: { by: (facts) => facts['applicant.ip'], days: 1 / 24 },
    phones7d: { by: (facts) => network(facts['applicant.ip']), days: 7, of: 'applicant.phoneNo' },
    phone30d: { by: (facts) => facts['applicant.phoneNo'], days: phoneDays },
    device7d: { by: (facts) => facts['context.device'], days: 7, of: 'applicant.email' },
    rejected30d: {
      by: (facts) => facts['applicant.email'],
      days: 30,
      isMeant: ({ reference }) => seen.get(reference)?.outcome === 'reject',
    },
    fraud90d: {
      by: (facts) => (hasLabels ? facts['context.device'] : undefined),
      days: 90,
      isMeant: (earlier, now) => labelOf(earlier, now) === 'fraud',
    },
  };
  return new Map(
    applicants.map(({ reference, time, facts }, at) => {
      const count = ({ by, days, of, isMeant = () => true }: Counting): number | undefined => {
        const key = by(facts);
        if (key === undefined) return undefined;
        const found: unknown[] = [];
        for (let i = at - 1; i >= 0; i--) {
          const earlier = applicants[i] as Invented;
          if (earlier.time <= time - days * DAY) break;
          if (by(earlier.facts) === key && isMeant(earlier, time)) found.push(of ? earlier.facts[of] : i);
        }
        return new Set(found).size;
      };
      return [reference, Object.fromEntries(Object.entries(wanted).map(([name, each]) => [name, count(each)]))];
    }),
  );
}
