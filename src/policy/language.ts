/** The policy language as types: what a policy is once it has been read, every name resolved and every literal folded. */

import type { FactTable, FactType } from '../facts/catalog.ts';
import type { IdentityVariable } from '../signals/variables.ts';
import type { Argument, NamedList, OperatorName } from './operators.ts';

/** The version of the language that this engine reads; part of every decision. */
export const LANGUAGE_VERSION = 1;

/** What a decision can be, mildest first. */
export const OUTCOMES = ['accept', 'review', 'reject'] as const;

/** What a decision can be. */
export type Outcome = (typeof OUTCOMES)[number];

/** What an undetermined rule asks for, where it would have asked for review or reject. */
export const WHEN_UNKNOWN = ['review', 'ignore'] as const;

/** What an undetermined rule asks for. */
export type WhenUnknown = (typeof WHEN_UNKNOWN)[number];

/** One operator with its value, on one fact. */
export interface Test {
  readonly kind: 'test';
  readonly fact: string;
  readonly type: FactType;
  readonly operator: OperatorName;
  /** The argument, folded and parsed; undefined where the test is against another fact. */
  readonly argument: Argument | undefined;
  /** The other fact of a test against a fact. */
  readonly other: string | undefined;
  /** The argument as written, as JSON data. */
  readonly expected: unknown;
  /** Equal for tests of the same fact, operator and folded argument. */
  readonly key: string;
}

/**
 * A condition. The children of a map stand in the order of its keys (UTF-16 code units), the operators of one fact in the
 * order of the operator table, so that every walk over a condition is in the order of evidence.
 */
export type Condition =
  | Test
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: readonly [Condition] }
  | { readonly kind: 'atLeastOf'; readonly count: number; readonly of: readonly Condition[] }
  | { readonly kind: 'named'; readonly name: string; readonly of: readonly [Condition] };

/** A part of a message: a text, a fact's value, or the days since a date. */
export type MessagePart = string | { readonly fact: string; readonly place: 'value' | 'daysSince' };

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
  /** What the applicant may be told. */
  readonly notice: string | undefined;
  /** Evaluated and recorded, without effect on outcome or score. */
  readonly shadow: boolean;
  /** The first and the last day on which it is active, yyyy-MM-dd; undefined where there is no such limit. */
  readonly from: string | undefined;
  readonly until: string | undefined;
  readonly description: string | undefined;
  readonly owner: string | undefined;
  readonly tags: readonly string[];
}

/** The bands of the score: the points from which on review and reject are asked for. */
export interface ScoreBands {
  readonly review: number | undefined;
  readonly reject: number | undefined;
}

/** A policy without errors. Immutable, and shared freely between decisions. */
export interface Policy {
  readonly name: string;
  readonly version: string;
  readonly description: string | undefined;
  readonly default: Outcome;
  /** The catalog and the policy's own facts. */
  readonly facts: FactTable;
  /** In the policy's order: the file's own rules, then its tables row by row, then those of each rule set in the same way. */
  readonly rules: readonly Rule[];
  /** The named conditions and lists of all its files. */
  readonly conditions: ReadonlyMap<string, Condition>;
  readonly lists: ReadonlyMap<string, NamedList>;
  /** Which identity variables to ask for, call by call; undefined for one call that asks for all. */
  readonly stages: readonly (readonly IdentityVariable[])[] | undefined;
  readonly score: ScoreBands;
  /** Of the policy as data, with its rule sets and list files in their places. */
  readonly digest: string;
}

/** Whether a rule is active on a day. */
export function isActive({ from, until }: Rule, day: string): boolean {
  return (from === undefined || from <= day) && (until === undefined || day <= until);
}

/** What a rule asks for when it cannot be decided: review, or nothing. */
export function asksWhenUnknown(rule: Rule): 'review' | null {
  const asks = rule.then === 'review' || rule.then === 'reject';
  return asks && rule.whenUnknown !== 'ignore' ? 'review' : null;
}

/** The tests of a condition, in its order; one that stands at several places at each of them. */
export function* testsOf(condition: Condition): Generator<Test> {
  if (condition.kind === 'test') yield condition;
  else for (const child of condition.of) yield* testsOf(child);
}

/** The facts that a condition reads, each once, in the order of its tests, the subject before the other. */
export function factsOf(condition: Condition, into: Set<string> = new Set()): Set<string> {
  if (condition.kind === 'test') {
    into.add(condition.fact);
    if (condition.other !== undefined) into.add(condition.other);
  } else {
    for (const child of condition.of) factsOf(child, into);
  }
  return into;
}
