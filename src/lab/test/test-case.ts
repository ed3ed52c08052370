/** One case of a file of tests: facts on a day, what is expected of the decision, and how a decision differs. */

import { type Matcher, matcherOf } from '../../decision/matcher/matcher.ts';
import type { OutcomeAndScore, Score } from '../../decision/meaning/outcome.ts';
import { firedReasons, type Verdict } from '../../decision/meaning/verdict.ts';
import { noticesOf } from '../../decision/notices.ts';
import type { Place } from '../../diagnostics.ts';
import type { Facts } from '../../facts/fact.ts';
import type { Mapping } from '../../facts/mapping/mapping.ts';
import { type Notice, noticeTexts, type Outcome, type ParameterValue, type Policy } from '../../policy/language.ts';

/** What is expected of a decision. What is absent is not compared. */
export interface Expectation {
  readonly outcome?: Outcome;
  /** The reason codes of all rules that fire, in any order. */
  readonly reasons?: readonly string[];
  /** Reason codes; no rule with one of them fires. */
  readonly not?: readonly string[];
  /** The points; two numbers where rules with points are undetermined. */
  readonly score?: number | readonly [least: number, most: number];
  /** What the applicant may be told: `any` notice, `none`, a text, or a text by language. */
  readonly notice?: Notice;
  /** The ids of all rules that fire, and of all that are undetermined, in any order. */
  readonly rules?: readonly string[];
  readonly undetermined?: readonly string[];
}

/** A policy that a file of tests names, and what it is read with. */
export interface TestedPolicy {
  readonly path: string;
  readonly mapping: Mapping;
  /** With its own values of its parameters. One object for all files that name it with this mapping. */
  readonly policy: Policy;
}

/** A score as `expect` has it: the points, or both ends. */
export function expectedScore({ least, most }: Score): Required<Expectation>['score'] {
  return least === most ? least : [least, most];
}

/** A case, ready to be decided by any policy that has its facts. */
export interface TestCase {
  /** The name of its test; of a row also its number or name. */
  readonly name: string;
  /** Where its test or row stands. */
  readonly place: Place;
  /** The policy that is tested, with the parameters of the case. */
  readonly policy: Policy;
  /** The same as its files have it. */
  readonly tested: TestedPolicy;
  /** The values that the case sets for parameters of the policy. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** The day of the decision, yyyy-MM-dd. */
  readonly at: string;
  /** As `readFacts` gives them. */
  readonly facts: Facts;
  readonly expect: Expectation;
  /** Why it is not run; undefined for a case that is run. */
  readonly skip: string | undefined;
  /** Whether cases without this mark are left out. */
  readonly only: boolean;
}

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
function outcomeDifferencesIn(
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
  reasons: (verdict, expected) => compareNames(firedReasons(verdict), ({ code }) => code, expected),
  not: (verdict, expected) => {
    const codes = new Set(firedReasons(verdict).map(({ code }) => code));
    const forbidden = expected.filter((code) => codes.has(code));
    return forbidden.length === 0 ? undefined : forbidden;
  },
  score: ({ score }, expected) => {
    const [low, high] = typeof expected === 'number' ? [expected, expected] : expected;
    return score.least === low && score.most === high ? undefined : expectedScore(score);
  },
  notice: compareNotice,
  rules: (verdict, expected) => compareNames(firedReasons(verdict), ({ rule }) => rule, expected),
  undetermined: ({ undetermined }, expected) => compareNames(undetermined, ({ rule }) => rule, expected),
};

/** The names of some things, each once, unless they are those expected, in any order. */
function compareNames<Thing>(things: readonly Thing[], nameOf: (thing: Thing) => string, expected: readonly string[]) {
  const names = new Set(things.map(nameOf));
  const isSame = names.size === expected.length && expected.every((name) => names.has(name));
  return isSame ? undefined : [...names];
}

function compareNotice(verdict: Verdict, expected: Notice): unknown {
  const told: Notice[] = [];
  for (const reason of verdict.reasons) {
    if (reason.decisive && 'notice' in reason && reason.notice !== undefined) told.push(reason.notice);
  }
  const words = told.length === 0 ? 'none' : told;
  if (expected === 'none') return told.length === 0 ? undefined : words;
  if (expected === 'any') return told.length > 0 ? undefined : words;
  const isTold = noticeTexts(expected).every(({ language, text }) =>
    language === undefined
      ? told.some((notice) => noticeTexts(notice).some((each) => each.text === text))
      : noticesOf(verdict, language).some((each) => each.text === text),
  );
  return isTold ? undefined : words;
}
