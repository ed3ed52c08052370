/** A condition that is not true -> the cheapest way to make it true: the tests that would have to turn. */

import type { FactTable } from '../../facts/catalog.ts';
import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import type { Axis, Cells } from '../../policy/cells/cells.ts';
import type { Condition, Test } from '../../policy/language.ts';
import { evaluateTest, factAt, negate, TRUE, type Truth } from '../meaning/truth.ts';
import { distanceOf, type TestDistance } from './distance.ts';

/** A test, or the opposite of one, as it would have to be. */
export interface Literal {
  readonly test: Test;
  readonly isNegated: boolean;
  /** Its truth now. */
  readonly truth: Truth;
  /** How far it is from being true: see `missOf`; 1 where a fact in it is missing, 0 where it is true. */
  readonly miss: number;
}

/** Tests that make a condition true if they are all as they would have to be. */
export interface Fix {
  /** In the order of the condition. */
  readonly literals: readonly Literal[];
  /** How many of them would have to turn, and the sum of what these miss. */
  readonly turns: number;
  readonly miss: number;
}

/** Where conditions are looked at. */
export interface EvaluationContext {
  readonly table: FactTable;
  /** Of the tests of all the conditions. */
  readonly cells: Cells;
  readonly facts: Facts;
  readonly day: string;
}

/**
 * Of more ways than these the dearest are left aside, at every part of a condition: an `atLeastOf` of 10 among 20 has 184,756.
 */
const MOST_WAYS = 64;
/** Where these all contradict themselves further on, more are kept. */
const MOST_WAYS_AGAIN = 500;

/**
 * The way on which the fewest tests would have to turn; of several, that with the smallest sum of misses; of these, the first
 * in the order of the condition. Undefined where no facts can make the condition true.
 */
export function nearestFix(condition: Condition, world: EvaluationContext): Fix | undefined {
  for (const most of [MOST_WAYS, MOST_WAYS_AGAIN]) {
    const [way] = cheapest(waysOf(condition, true, { ...world, most }), { ...world, most });
    if (way) return way;
  }
  return undefined;
}

interface Search extends EvaluationContext {
  /** So many ways are kept. */
  readonly most: number;
}

function waysOf(condition: Condition, isWanted: boolean, world: Search): readonly Fix[] {
  switch (condition.kind) {
    case 'test':
      return [wayOf([literalOf(condition, !isWanted, world)])];
    case 'not':
      return waysOf(condition.of[0], !isWanted, world);
    case 'named':
      return waysOf(condition.of[0], isWanted, world);
    case 'all':
      return choose(condition.of, isWanted ? condition.of.length : 1, isWanted, world);
    case 'any':
      return choose(condition.of, isWanted ? 1 : condition.of.length, isWanted, world);
    case 'atLeastOf': {
      // Fewer than k of n hold where more than n - k do not.
      const { count, of } = condition;
      return choose(of, isWanted ? count : of.length - count + 1, isWanted, world);
    }
  }
}

/** The ways to have `count` of some parts as they are wanted. */
function choose(parts: readonly Condition[], count: number, isWanted: boolean, world: Search): readonly Fix[] {
  const chosen: (readonly Fix[])[] = [[wayOf([])]];
  for (const [i, part] of parts.entries()) {
    const ways = waysOf(part, isWanted, world);
    // Downwards, so that a part is chosen once; and only what can still reach the count.
    for (let n = Math.min(i, count - 1); n >= Math.max(0, count - parts.length + i); n--) {
      const more = (chosen[n] ?? []).flatMap((way) => ways.flatMap((other) => join(way, other) ?? []));
      chosen[n + 1] = cheapest([...(chosen[n + 1] ?? []), ...more], world);
    }
    for (let n = 0; n <= count - parts.length + i; n++) chosen[n] = [];
  }
  return chosen[count] ?? [];
}

/** Of the ways whose tests can be as they would have to be at once. */
function cheapest(ways: readonly Fix[], { cells, most }: Search): readonly Fix[] {
  const kept: Fix[] = [];
  for (const way of [...ways].sort((one, other) => one.turns - other.turns || one.miss - other.miss)) {
    if (kept.length === most) break;
    if (isPossible(way, cells)) kept.push(way);
  }
  return kept;
}

/** Undefined where a test would have to be both true and false. */
function join(one: Fix, other: Fix): Fix | undefined {
  const literals = [...one.literals];
  for (const literal of other.literals) {
    const same = literals.find(({ test }) => test.key === literal.test.key);
    if (same && same.isNegated !== literal.isNegated) return undefined;
    if (!same) literals.push(literal);
  }
  return wayOf(literals);
}

function wayOf(literals: readonly Literal[]): Fix {
  const turning = literals.filter(({ truth }) => truth !== TRUE);
  return { literals, turns: turning.length, miss: turning.reduce((sum, { miss }) => sum + miss, 0) };
}

function literalOf(test: Test, isNegated: boolean, { table, facts, day }: EvaluationContext): Literal {
  const found = evaluateTest(test, ...factsAt(test, facts), day);
  const truth = isNegated ? negate(found) : found;
  const miss = truth === TRUE ? 0 : (missIn(test, isNegated, { table, facts, day })?.relative ?? 1);
  return { test, isNegated, truth, miss };
}

function factsAt({ fact, other }: Test, facts: Facts): readonly [fact: Fact, other: Fact | undefined] {
  return [factAt(facts, fact), other === undefined ? undefined : factAt(facts, other)];
}

/** By how much a test, or the opposite of it, is missed; undefined where a fact in it is missing. */
export function missIn(
  test: Test,
  isNegated: boolean,
  { table, facts, day }: Omit<EvaluationContext, 'cells'>,
): TestDistance | undefined {
  const [fact, other] = factsAt(test, facts);
  if (isMissing(fact) || (other && isMissing(other))) return undefined;
  return distanceOf(test, isNegated, { value: fact.value, other: other?.value }, table.get(test.fact), day);
}

/** Whether the tests of a way can be as they would have to be at once, as far as the cells of each fact tell. */
function isPossible({ literals }: Fix, cells: Cells): boolean {
  const left = new Map<Axis, bigint>();
  for (const literal of literals) {
    const { axis } = cells.of(literal.test);
    left.set(axis, (left.get(axis) ?? -1n) & cellsOf(literal, cells));
  }
  return [...left.values()].every((set) => set !== 0n);
}

/** The cells in which a literal is true. */
function cellsOf({ test, isNegated }: Literal, cells: Cells): bigint {
  const { axis, isTrue, isUnknown } = cells.of(test);
  const every = (1n << BigInt(axis.cells.length)) - 1n;
  return isNegated ? every & ~isTrue & ~isUnknown : isTrue;
}
