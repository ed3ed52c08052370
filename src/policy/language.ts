/** The policy language as types: a policy as read, with every name resolved and every literal folded. */

import type { FactTable, FactType } from '../facts/catalog.ts';
import { withOperands } from '../facts/compute.ts';
import { cached } from '../platform/cached.ts';
import type { IdentityVariable } from '../signals/variables.ts';
import type { Argument, NamedList } from './arguments.ts';
import type { OperatorName } from './operators.ts';

/** The version of the language that this engine reads; part of every decision. */
export const LANGUAGE_VERSION = 2;

/** The outcomes of a decision, mildest first. */
export const OUTCOMES = ['accept', 'review', 'reject'] as const;

/** The outcome of a decision. */
export type Outcome = (typeof OUTCOMES)[number];

/** What a person did after a review, or a label that came later: what the applicant turned out to be. */
export const DISPOSITIONS = ['approve', 'decline', 'fraud', 'genuine'] as const;

/** A disposition of a decision. */
export type Disposition = (typeof DISPOSITIONS)[number];

/** The two questions about a decision that dispositions answer. */
export const ANSWERS = {
  review: ['approve', 'decline'],
  label: ['fraud', 'genuine'],
} as const satisfies Record<string, readonly Disposition[]>;

/** The question that a disposition answers. */
export function questionOf(disposition: Disposition): keyof typeof ANSWERS {
  return ANSWERS.review.some((each) => each === disposition) ? 'review' : 'label';
}

/** How strict an outcome is: accept 0, review 1, reject 2; -1 for none. */
export function strictness(outcome: Outcome | null | undefined): number {
  return outcome === null || outcome === undefined ? -1 : OUTCOMES.indexOf(outcome);
}

/** A cell of a table that does not test the fact of its column. */
export const ANY_CELL = 'any';

/** A cell of the column `then`, in a row that only adds points. */
export const NONE_CELL = 'none' as const;

/** What an undetermined rule asks for if it would otherwise ask for review or reject; `ignore` asks for nothing. */
export const WHEN_UNKNOWN = ['review', 'ignore'] as const;

/** What an undetermined rule asks for. */
export type WhenUnknown = (typeof WHEN_UNKNOWN)[number];

/** One operator with its argument, on one fact. */
export interface Test {
  readonly kind: 'test';
  readonly fact: string;
  readonly type: FactType;
  readonly operator: OperatorName;
  /** The argument, folded and parsed; undefined if the test is against another fact. */
  readonly argument: Argument | undefined;
  /** The other fact; undefined unless the test is against a fact. */
  readonly other: string | undefined;
  /** The argument as written, as JSON data. */
  readonly expected: unknown;
  /** Equal for tests of the same fact, operator and folded argument; see `testKey`. */
  readonly key: string;
}

/**
 * A condition. The children of a map are in the order of its keys (UTF-16 code units), the operators of one fact in the
 * order of the operator table, so every walk over a condition is in the order of evidence.
 */
export type Condition =
  | Test
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: readonly [Condition] }
  | { readonly kind: 'atLeastOf'; readonly count: number; readonly of: readonly Condition[] }
  | { readonly kind: 'named'; readonly name: string; readonly of: readonly [Condition] };

/** The value of a parameter. */
export type ParameterValue = string | number | boolean;

/** A parameter, written `$name` in the policy; the value is already inserted in every place. */
export interface Parameter {
  readonly value: ParameterValue;
  /** Whether the policy uses it. */
  readonly isUsed: boolean;
  /** The facts that its value is compared with. */
  readonly facts: ReadonlySet<string>;
}

/** A part of a message: a text, or a placeholder for a fact's value or for the days since a date. */
export type MessagePart = string | { readonly fact: string; readonly place: 'value' | 'daysSince' };

/** What the applicant may be told: one text, or a text for each language, by BCP 47 tag as written. */
export type Notice = string | { readonly [language: string]: string };

/** A text of a notice, and its language as written; undefined where the notice is one text. */
export interface NoticeText {
  readonly language: string | undefined;
  readonly text: string;
}

/** The texts of a notice, by language in UTF-16 code units. */
export function noticeTexts(notice: Notice): readonly NoticeText[] {
  if (typeof notice === 'string') return [{ language: undefined, text: notice }];
  const languages = Object.keys(notice).sort();
  return languages.map((language) => ({ language, text: notice[language] as string }));
}

/** A rule. */
export interface Rule {
  readonly id: string;
  readonly when: Condition;
  /** Absent for a rule that only adds points. */
  readonly then: Outcome | undefined;
  readonly reason: string;
  readonly message: readonly MessagePart[] | undefined;
  readonly points: number | undefined;
  readonly final: boolean;
  readonly whenUnknown: WhenUnknown;
  readonly notice: Notice | undefined;
  /** Evaluated and recorded, without effect on outcome or score. */
  readonly shadow: boolean;
  /** The first and the last day on which it is active, yyyy-MM-dd; undefined without such a limit. */
  readonly from: string | undefined;
  readonly until: string | undefined;
  readonly description: string | undefined;
  readonly owner: string | undefined;
  readonly tags: readonly string[];
}

/** What a guarantee can claim about the outcome: never this one, always this one, or this one or a stricter one. */
export const CLAIMS = ['never', 'always', 'atLeast'] as const;

/** The claim of a guarantee about the outcome. */
export type Claim = (typeof CLAIMS)[number];

/** A property that all decisions of a policy must have. It does not change decisions: `verdict prove` checks it. */
export interface Guarantee {
  readonly id: string;
  readonly description: string | undefined;
  readonly claim: Claim;
  readonly outcome: Outcome;
  /** The guarantee is about all applicants for whom this is true. */
  readonly when: Condition;
}

/** Whether an outcome satisfies a guarantee whose condition is true. */
export function keepsTo({ claim, outcome }: Pick<Guarantee, 'claim' | 'outcome'>, decided: Outcome): boolean {
  if (claim === 'atLeast') return strictness(decided) >= strictness(outcome);
  return (decided === outcome) === (claim === 'always');
}

/** An outcome that the score can ask for. */
export type Band = 'review' | 'reject';

/** The codes of reasons that do not come from a rule: those of the score and the default. Rules must not use them. */
export const SCORE_CODES = ['SCORE', 'SCORE_UNDETERMINED'] as const;
export const DEFAULT_CODE = 'DEFAULT';
export const RESERVED_CODES: readonly string[] = [...SCORE_CODES, DEFAULT_CODE];

/** The bands of the score: the least points at which the score asks for review and for reject. */
export interface ScoreBands {
  readonly review: number | undefined;
  readonly reject: number | undefined;
}

/** The band that a number of points reaches; null for none. */
export function bandOf({ review, reject }: ScoreBands, points: number): Band | null {
  if (reject !== undefined && points >= reject) return 'reject';
  return review !== undefined && points >= review ? 'review' : null;
}

/** The stricter band that only the greater of two numbers of points reaches; undefined for none. */
export function bandAbove(bands: ScoreBands, least: number, most: number): Band | undefined {
  const above = bandOf(bands, most);
  return above === null || above === bandOf(bands, least) ? undefined : above;
}

/** A policy without errors. Immutable, and shared freely between decisions. */
export interface Policy {
  readonly name: string;
  readonly version: string;
  readonly description: string | undefined;
  readonly default: Outcome;
  /** The IANA name of the zone in which the day of a decision is; UTC unless the policy says otherwise. */
  readonly timeZone: string;
  /** The catalog and the policy's own facts. */
  readonly facts: FactTable;
  /** In the policy's order: the file's own rules, its tables row by row, then each rule set in the same way. */
  readonly rules: readonly Rule[];
  readonly guarantees: readonly Guarantee[];
  /** The named conditions and lists of all its files. */
  readonly conditions: ReadonlyMap<string, Condition>;
  readonly lists: ReadonlyMap<string, NamedList>;
  /** The parameters of all its files, with the values in force. */
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** The identity variables of each call to the service; undefined for one call that asks for all. */
  readonly stages: readonly (readonly IdentityVariable[])[] | undefined;
  readonly score: ScoreBands;
  /** What the applicant may be told if the score is a reason, by the band that it asks for. */
  readonly scoreNotices: Readonly<Record<Band, Notice | undefined>>;
  /** What the applicant may be told if the default is a reason. */
  readonly defaultNotice: Notice | undefined;
  /** The digest of the policy as data, with its rule sets and list files inlined. */
  readonly digest: string;
}

/** Whether a rule is active on a day. */
export function isActive({ from, until }: Rule, day: string): boolean {
  return (from === undefined || from <= day) && (until === undefined || day <= until);
}

/** Whether two rules are active on some day. */
export function areActiveTogether(one: Rule, other: Rule): boolean {
  const [from, until] = [latest(one.from, other.from), [one.until, other.until]];
  return from === undefined || until.every((last) => last === undefined || from <= last);
}

function latest(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}

/** The rules that can have an effect on a day: active ones that are not in shadow mode. */
export function rulesInEffect({ rules }: Policy, day: string): readonly Rule[] {
  return rules.filter((rule) => !rule.shadow && isActive(rule, day));
}

/** The conditions of all rules, including those in shadow mode and of other days. */
export function conditionsOf({ rules }: Policy): readonly Condition[] {
  return rules.map(({ when }) => when);
}

/** Whether the score can ask for anything; otherwise points do not change the outcome. */
export function hasBands({ score }: Policy): boolean {
  return score.review !== undefined || score.reject !== undefined;
}

/** The tests of a condition, in its order; a test that occurs several times is given each time. */
export function* testsOf(condition: Condition): Generator<Test> {
  if (condition.kind === 'test') yield condition;
  else for (const child of condition.of) yield* testsOf(child);
}

/** The facts that a condition reads, each once, in the order of its tests, each before the one compared with it. */
export function factsOf(condition: Condition, into: Set<string> = new Set()): Set<string> {
  if (condition.kind === 'test') {
    into.add(condition.fact);
    if (condition.other !== undefined) into.add(condition.other);
  } else {
    for (const child of condition.of) factsOf(child, into);
  }
  return into;
}

/** The facts that the conditions of these rules read, each once, in the order of the rules. */
export function conditionFacts(rules: readonly Rule[]): Set<string> {
  return rules.reduce((paths, { when }) => factsOf(when, paths), new Set<string>());
}

/** The facts that the messages of these rules name, each once, in the order of the rules. */
export function messageFacts(rules: readonly Rule[]): Set<string> {
  const parts = rules.flatMap(({ message }) => message ?? []);
  return new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [part.fact])));
}

/**
 * The facts that a policy reads, in conditions, messages and as operands of facts that it computes, in the order of its
 * table.
 */
export const policyFacts = cached((policy: Policy): ReadonlySet<string> => {
  const paths = withOperands(conditionFacts(policy.rules).union(messageFacts(policy.rules)), policy.facts);
  return new Set([...policy.facts.keys()].filter((path) => paths.has(path)));
});

/** The variables that have to be sent for a fact; `composite` if another service provides it. */
export function variablesOf(path: string, facts: FactTable): readonly (IdentityVariable | 'composite')[] {
  const { origin, inputs = [], variable, composite } = facts.get(path) ?? {};
  if (origin === 'derived') return inputs.flatMap((input) => variablesOf(input, facts));
  return composite ? ['composite'] : variable === undefined ? [] : [variable];
}
