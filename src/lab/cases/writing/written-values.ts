/** A fact, and the verdict on an applicant -> how a test writes them. */

import { firedReasons, type Verdict } from '../../../decision/meaning/verdict.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import { dayNumber, dayWithYears } from '../../../facts/day.ts';
import { type Fact, isMissing, NEVER, shownValue } from '../../../facts/fact.ts';
import { hasBands, type Policy } from '../../../policy/language.ts';
import { count } from '../../../text.ts';
import { expectedScore } from '../../test/test-case.ts';

/** Older days are written as dates, or in whole years. */
const MOST_DAYS_AGO = 400;

/** A fact as a test has it; a day is relative to that of the decision. */
export function writtenFact(path: string, fact: Fact, at: string, facts: FactTable): unknown {
  if (isMissing(fact)) return { missing: fact.missing };
  const value = shownValue(fact);
  if (facts.get(path)?.type !== 'date' || value === NEVER) return value;
  const day = dayNumber(String(value));
  const days = dayNumber(at) - day;
  if (days === 0) return 'today';
  if (days > 0 && days <= MOST_DAYS_AGO) return `${count(days, 'day')} ago`;
  const years = Number(at.slice(0, 4)) - Number(String(value).slice(0, 4));
  return years > 0 && dayWithYears(years, at) === day ? `${count(years, 'year')} ago` : value;
}

/** What suggested and recorded tests expect, in the order of columns. */
export const EXPECTED = ['outcome', 'reasons', 'score', 'undetermined'] as const;

type Expected = Partial<Record<(typeof EXPECTED)[number], unknown>>;

/** More undetermined rules are not listed: the outcome says more to a reader. */
const MOST_UNDETERMINED = 4;

/** What is expected of a decision like this one. */
export function expectationOf({ outcome, score, undetermined, ...verdict }: Verdict, policy: Policy): Expected {
  const open = undetermined.map(({ rule }) => rule);
  return {
    outcome,
    reasons: [...new Set(firedReasons({ reasons: verdict.reasons }).map(({ code }) => code))],
    ...(hasBands(policy) ? { score: expectedScore(score) } : {}),
    ...(open.length > 0 && open.length <= MOST_UNDETERMINED ? { undetermined: open } : {}),
  };
}
