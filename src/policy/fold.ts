/** A condition and the meanings of its tests -> its meaning, by one recursion over all kinds of conditions. */

import type { Condition, Test } from './language.ts';

/**
 * Defines meanings of conditions: their truth, a formula, SQL. Every condition but a test and `not` requires a number
 * of its parts to hold: `all` requires all of them (a row of a table without tests has none, and is true), `any` one,
 * `atLeastOf` its count. A named condition has the meaning of its content.
 */
export interface Logic<Meaning> {
  test(test: Test): Meaning;
  not(part: Meaning): Meaning;
  atLeast(count: number, parts: readonly Meaning[]): Meaning;
  /** Shorter forms, for meanings that have them. */
  all?(parts: readonly Meaning[]): Meaning;
  any?(parts: readonly Meaning[]): Meaning;
  named?(name: string, part: Meaning): Meaning;
}

/** The meaning of a condition. */
export function fold<Meaning>(condition: Condition, logic: Logic<Meaning>): Meaning {
  const meaningOf = (part: Condition): Meaning => foldParts(part, logic, meaningOf);
  return meaningOf(condition);
}

/** The meaning of a condition. The caller supplies the meanings of its parts, which it may cache or postpone. */
export function foldParts<Meaning>(
  condition: Condition,
  logic: Logic<Meaning>,
  meaningOf: (part: Condition) => Meaning,
): Meaning {
  if (condition.kind === 'test') return logic.test(condition);
  const parts = condition.of.map(meaningOf);
  const [first] = parts as [Meaning];
  if (condition.kind === 'not') return logic.not(first);
  if (condition.kind === 'named') return logic.named ? logic.named(condition.name, first) : first;
  if (condition.kind === 'all' && logic.all) return logic.all(parts);
  if (condition.kind === 'any' && logic.any) return logic.any(parts);
  return logic.atLeast(countNeeded(condition), parts);
}

/** How many parts of a condition have to hold: the only difference between its kinds, apart from `not`. */
export function countNeeded(condition: Exclude<Condition, Test>): number {
  switch (condition.kind) {
    case 'all':
      return condition.of.length;
    case 'any':
    case 'named':
    case 'not':
      return 1;
    case 'atLeastOf':
      return condition.count;
  }
}

/** Meanings of conditions in which every `not` is pushed down to the tests: a literal is a test or its negation. */
export interface LiteralLogic<Meaning> {
  literal(test: Test, isPositive: boolean): Meaning;
  atLeast(count: number, parts: readonly Meaning[]): Meaning;
}

/** The meaning of a condition being true, or being false. */
export type SignedMeaning<Meaning> = (isPositive: boolean) => Meaning;

/** Pushes every `not` down to the tests, which Kleene's logic allows. */
export function pushDown<Meaning>({ literal, atLeast }: LiteralLogic<Meaning>): Logic<SignedMeaning<Meaning>> {
  return {
    test: (test) => (isPositive) => literal(test, isPositive),
    not: (part) => (isPositive) => part(!isPositive),
    // Fewer than k of n parts hold if and only if more than n - k do not hold.
    atLeast: (count, parts) => (isPositive) =>
      atLeast(
        isPositive ? count : parts.length - count + 1,
        parts.map((part) => part(isPositive)),
      ),
  };
}
