/** Invented applicants in the order of time, and what was decided of each then -> what each has before it, by hand. */

import { DAY, type Invented } from './applicants.ts';
import type { Counts, Edition, Outcome } from './rules.ts';

/** What a velocity of the policy counts. */
interface Counting {
  readonly by: (facts: Invented['facts']) => unknown;
  readonly days: number;
  /** Different values of a fact in place of applications. */
  readonly of?: string;
  readonly isMeant?: (reference: string) => boolean;
}

/** Looks at all applicants before each one. */
export function countBefore(
  applicants: readonly Invented[],
  outcomes: ReadonlyMap<string, Outcome>,
  { phoneDays }: Pick<Edition, 'phoneDays'>,
): ReadonlyMap<string, Counts> {
  const network = (address: unknown) => (typeof address === 'string' ? address.replace(/\.\d+$/, '') : undefined);
  const wanted: Readonly<Record<string, Counting>> = {
    ip1h: { by: (facts) => facts['applicant.ip'], days: 1 / 24 },
    phones7d: { by: (facts) => network(facts['applicant.ip']), days: 7, of: 'applicant.phoneNo' },
    phone30d: { by: (facts) => facts['applicant.phoneNo'], days: phoneDays },
    device7d: { by: (facts) => facts['context.device'], days: 7, of: 'applicant.email' },
    rejected30d: {
      by: (facts) => facts['applicant.email'],
      days: 30,
      isMeant: (reference) => outcomes.get(reference) === 'reject',
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
          if (by(earlier.facts) === key && isMeant(earlier.reference)) found.push(of ? earlier.facts[of] : i);
        }
        return new Set(found).size;
      };
      return [reference, Object.fromEntries(Object.entries(wanted).map(([name, each]) => [name, count(each)]))];
    }),
  );
}
