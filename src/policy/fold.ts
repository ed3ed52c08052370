/** A condition, and what tests mean -> what the whole means, by one recursion over all kinds of conditions. */

import type { Condition, Test } from './language.ts';

/**
 * What conditions mean: their truth, a formula, SQL. Everything but a test and `not` says that at least so many of some
 * parts hold: `all` of them (of none in a row of a table that tests nothing, which is true), `any`: one, `atLeastOf`:
 * its count. A name means what it stands for.
 */
export interface Logic<Meaning> {
  test(test: Test): Meaning;
  not(part: Meaning): Meaning;
  atLeast(count: number, parts: readonly Meaning[]): Meaning;
  /** Shorter ways to say it, for meanings that have one. */
  all?(parts: readonly Meaning[]): Meaning;
  any?(parts: readonly Meaning[]): Meaning;
  named?(name: string, part: Meaning): Meaning;
}

/** The meaning of a condition. */
export function fold<Meaning>(condition: Condition, logic: Logic<Meaning>): Meaning {
  const meaningOf = (part: Condition): Meaning => foldParts(part, logic, meaningOf);
  return meaningOf(condition);
}

/** The meaning of a condition, with the meanings of its parts from a caller, who may remember or postpone them. */
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

/** How many parts of a condition have to hold: what tells all kinds of conditions apart, but for `not`. */
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

/** What conditions mean if every `not` is pushed down to the tests: a literal is a test or its negation. */
export interface LiteralLogic<Meaning> {
  literal(test: Test, isPositive: boolean): Meaning;
  atLeast(count: number, parts: readonly Meaning[]): Meaning;
}

/** The meaning of a condition that is to be true, or to be false. */
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
