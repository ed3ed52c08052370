/** Invented applicants and editions of the policy -> what each decides, and how often, counted by hand. */

import { dayOf, type Invented } from './applicants.ts';
import { type Counts, type Edition, type Outcome, outcomeOf, type Said, saidOf } from './rules.ts';

/** What an edition says of an applicant. */
export interface Decided {
  readonly applicant: Invented;
  readonly outcome: Outcome;
  readonly said: readonly Said[];
}

/** @param counts what each has before it, by reference */
export function decideAll(
  applicants: readonly Invented[],
  counts: ReadonlyMap<string, Counts>,
  edition: Edition,
): readonly Decided[] {
  return applicants.map((applicant) => {
    const said = saidOf(applicant, counts.get(applicant.reference) ?? {}, edition);
    return { applicant, outcome: outcomeOf(said, edition), said };
  });
}

export const OUTCOMES = ['accept', 'review', 'reject'] as const satisfies readonly Outcome[];

/** How many there are of each name. */
function tally<Name extends string>(names: Iterable<Name>): Partial<Record<Name, number>> {
  const counts: Partial<Record<Name, number>> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** How many have each outcome. */
export function outcomesOf(decided: readonly Decided[]): Record<Outcome, number> {
  return { accept: 0, review: 0, reject: 0, ...tally(decided.map(({ outcome }) => outcome)) };
}

/** How many go from one outcome to another one, as `accept to review`. */
export function changesFrom(before: readonly Decided[], now: readonly Decided[]): Partial<Record<string, number>> {
  const changes = now.map(({ outcome }, i) => `${before[i]?.outcome} to ${outcome}`);
  return tally(changes.filter((change) => new Set(change.split(' to ')).size > 1));
}

/** For how many a rule fired or is open, and whose outcome is another one without it; of a shadow rule, with it. */
export function ruleNumbers(decided: readonly Decided[], id: string, edition: Edition) {
  let [fired, undetermined, alone] = [0, 0, 0];
  for (const { said, outcome } of decided) {
    const own = said.find((each) => each.id === id);
    if (!own || own.truth === false) continue;
    if (own.truth === undefined) undetermined += 1;
    else {
      fired += 1;
      const others = own.isShadow
        ? said.map((each) => (each === own ? { ...each, isShadow: false } : each))
        : said.filter((each) => each !== own);
      if (outcomeOf(others, edition) !== outcome) alone += 1;
    }
  }
  return { fired, undetermined, alone };
}

/** The outcomes of each month. */
export function byMonth(decided: readonly Decided[]): readonly (readonly [month: string, Record<Outcome, number>])[] {
  const months = Map.groupBy(decided, ({ applicant }) => dayOf(applicant.time).slice(0, 7));
  return [...months].map(([month, those]) => [month, outcomesOf(those)]);
}
