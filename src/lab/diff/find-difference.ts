/** Two policies on a day -> one applicant whose outcome differs, or the proof that there is none. */

import { readFacts } from '../../facts/read.ts';
import { optionsReader } from '../../given/options.ts';
import type { Outcome, Policy } from '../../policy/language.ts';
import { type ExampleLine, exampleLine, findApplicant } from '../question/find-applicant.ts';
import { outcomesDiffer } from '../question/outcome-change.ts';
import { checkPolicies, QUESTION_OPTIONS } from '../question/reasoner.ts';
import { type OutcomeFormulas, outcomeFormulas } from '../solver/encode.ts';

import type { Change } from './parts.ts';
import { createSearch, ownRulesDiffer } from './search.ts';

export interface DifferenceOptions {
  /** The day of the decisions, yyyy-MM-dd. */
  readonly at: string;
  /** The longest time, in milliseconds. 10,000 by default. */
  readonly timeoutMs?: number;
}

/** An applicant whose outcome differs; `same` if there is proof that there is none; `undecided` if none was found. */
export type Difference =
  | (Change & { readonly kind: 'different'; readonly example: ExampleLine })
  | { readonly kind: 'same' | 'undecided' };

const readOptions = optionsReader<DifferenceOptions>('the options of the comparison', QUESTION_OPTIONS);

/**
 * Finds an applicant whom two policies decide differently, with as few facts as possible. The matcher has decided the
 * example. Throws as `diffPolicies` does.
 */
export async function findDifference(old: Policy, now: Policy, options: DifferenceOptions): Promise<Difference> {
  const { at, timeoutMs = 10_000 } = readOptions(options);
  checkPolicies(old, now);
  const endsAt = performance.now() + timeoutMs;
  const search = await createSearch(old, now, at);
  const { space, encoding, matchers } = search;
  const [before, after] = space.sides.map((side) => outcomeFormulas(side, encoding));
  const differ = outcomesDiffer(before as OutcomeFormulas, after as OutcomeFormulas);
  const outcomesOf = (given: Parameters<typeof readFacts>[0]) =>
    matchers.map(({ policy, outcome }) => outcome(readFacts(given, policy.facts, at), at).outcome);
  const isDifferent = (given: Parameters<typeof readFacts>[0]) => new Set(outcomesOf(given)).size > 1;
  // Where the own rules agree, so do the policies: that is far easier to prove, and says the same.
  const asked = [ownRulesDiffer(search), differ];
  const given = await findApplicant(search, asked, isDifferent, { timeoutMs, endsAt }, 1);
  if (given === 'none') return { kind: 'same' };
  if (!given) return { kind: 'undecided' };
  const [from, to] = outcomesOf(given) as [Outcome, Outcome];
  return { kind: 'different', from, to, example: exampleLine(given, now.facts) };
}
