/** A case and a policy -> how the decision differs from what is expected. */

import { type Matcher, matcherOf } from '../../decision/matcher/matcher.ts';
import type { OutcomeAndScore } from '../../decision/meaning/outcome.ts';
import { firedReasons, type Verdict } from '../../decision/meaning/verdict.ts';
import { noticesOf } from '../../decision/notices.ts';
import { type Notice, noticeTexts } from '../../policy/language.ts';
import { type Expectation, expectedScore, type TestCase } from './test-case.ts';

/** One thing that was expected, and what was found in its place: as JSON data. */
export interface Difference {
  readonly key: keyof Expectation;
  readonly expected: unknown;
  readonly found: unknown;
}

/**
 * How the decision on a case differs from what is expected of it; empty if it does not. `matcher` is that of the
 * policy that is to be tested: by default the case's own.
 */
export function differencesOf(
  testCase: TestCase,
  matcher: Matcher = matcherOf(testCase.policy),
): readonly Difference[] {
  const { facts, at, expect } = testCase;
  // An outcome alone takes a fraction of the time of a verdict.
  const isCoarse = Object.keys(expect).every((name) => name === 'outcome' || name === 'score');
  if (isCoarse) return outcomeDifferencesIn(matcher.outcome(facts, at), expect);
  return differencesIn(matcher.verdict(facts, at), expect);
}

const NOTHING_FOUND: Omit<Verdict, 'outcome' | 'score'> = { reasons: [], undetermined: [], shadow: [] };

/** How an outcome and a score differ from what is expected of them. */
export function outcomeDifferencesIn(
  { outcome, score }: OutcomeAndScore,
  expect: Pick<Expectation, 'outcome' | 'score'>,
): readonly Difference[] {
  const asked = {
    ...(expect.outcome === undefined ? {} : { outcome: expect.outcome }),
    ...(expect.score === undefined ? {} : { score: expect.score }),
  };
  return differencesIn({ ...NOTHING_FOUND, outcome, score }, asked);
}

/** How a verdict differs from what is expected. */
export function differencesIn(verdict: Verdict, expect: Expectation): readonly Difference[] {
  const differences: Difference[] = [];
  for (const name of Object.keys(expect) as (keyof Expectation)[]) {
    const expected = expect[name];
    const compare = COMPARISONS[name] as Comparison<unknown>;
    const found = compare(verdict, expected);
    if (found !== undefined) differences.push({ key: name, expected, found });
  }
  return differences;
}

/** What a verdict has in place of what is expected; undefined if it has that. */
type Comparison<Expected> = (verdict: Verdict, expected: Expected) => unknown;

const COMPARISONS: { readonly [Key in keyof Required<Expectation>]: Comparison<Required<Expectation>[Key]> } = {
  outcome: ({ outcome }, expected) => (outcome === expected ? undefined : outcome),
  reasons: (verdict, expected) => unlike(firedReasons(verdict), ({ code }) => code, expected),
  not: (verdict, expected) => {
    const codes = new Set(firedReasons(verdict).map(({ code }) => code));
    const found = expected.filter((code) => codes.has(code));
    return found.length === 0 ? undefined : found;
  },
  score: ({ score }, expected) => {
    const [low, high] = typeof expected === 'number' ? [expected, expected] : expected;
    return score.least === low && score.most === high ? undefined : expectedScore(score);
  },
  notice: compareNotice,
  rules: (verdict, expected) => unlike(firedReasons(verdict), ({ rule }) => rule, expected),
  undetermined: ({ undetermined }, expected) => unlike(undetermined, ({ rule }) => rule, expected),
};

/** The names of some things, each once, unless they are those expected, in any order. */
function unlike<Thing>(things: readonly Thing[], nameOf: (thing: Thing) => string, expected: readonly string[]) {
  const found = new Set(things.map(nameOf));
  const isSame = found.size === expected.length && expected.every((name) => found.has(name));
  return isSame ? undefined : [...found];
}

function compareNotice(verdict: Verdict, expected: Notice): unknown {
  const told: Notice[] = [];
  for (const reason of verdict.reasons) {
    if (reason.decisive && 'notice' in reason && reason.notice !== undefined) told.push(reason.notice);
  }
  const found = told.length === 0 ? 'none' : told;
  if (expected === 'none') return told.length === 0 ? undefined : found;
  if (expected === 'any') return told.length > 0 ? undefined : found;
  const isTold = noticeTexts(expected).every(({ language, text }) =>
    language === undefined
      ? told.some((notice) => noticeTexts(notice).some((each) => each.text === text))
      : noticesOf(verdict, language).some((each) => each.text === text),
  );
  return isTold ? undefined : found;
}
