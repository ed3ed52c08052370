/** A condition that is not true -> the nearest fix: the fewest tests that would have to change to make it true. */

import type { FactTable } from '../../facts/catalog.ts';
import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import type { Axis, Cells } from '../../policy/cells/cells.ts';
import { fold, pushDown } from '../../policy/fold.ts';
import { isPersonal } from '../../policy/identities.ts';
import type { Condition, Test } from '../../policy/language.ts';
import { evaluateTest, FALSE, factAt, negate, TRUE, type Truth } from '../meaning/truth.ts';
import { type Gap, gapOf, stepsAcross } from './distance.ts';
import type { Limit, Steps, Work } from './steps.ts';

/** A test or its negation, which has to be true. */
export interface Literal {
  readonly test: Test;
  readonly isNegated: boolean;
  /** The present truth of the literal. */
  readonly truth: Truth;
  /** The steps to being true: see `stepsAcross`. 0 if it is true, 1 if values have no distance or are missing. */
  readonly miss: number;
}

/** Literals that together make a condition true. */
export interface Fix {
  /** In the order of the condition. */
  readonly literals: readonly Literal[];
  /** How many of them are false, how many are not true now, and the sum of their steps. */
  readonly falses: number;
  readonly turns: number;
  readonly miss: number;
}

/** The facts and the day for which conditions are evaluated. */
export interface EvaluationContext {
  readonly table: FactTable;
  /** The cells of all tests of the conditions. */
  readonly cells: Cells;
  readonly facts: Facts;
  readonly day: string;
}

/** The most fixes that are kept for each part of a condition: an `atLeastOf` of 10 among 20 has 184,756 of them. */
const MOST_FIXES = 64;
/** The most fixes for a second attempt, which is made if all kept fixes contradict themselves. */
const MOST_FIXES_AGAIN = 500;

/**
 * The fix with the fewest tests to change; of several, the one with the smallest sum of steps; of these,
 * the first in the order of the condition. Undefined if no facts can make the condition true; `stopped` if the limit
 * was reached before.
 */
export function* nearestFix(condition: Condition, context: FixContext): Steps<Fix | 'stopped' | undefined> {
  try {
    for (const most of [MOST_FIXES, MOST_FIXES_AGAIN]) {
      const search = { ...context, most };
      const fixes = fixesOf(condition, search);
      const [fix] = nearestOf('next' in fixes ? yield* fixes : fixes, search);
      if (fix) return fix;
    }
    return undefined;
  } catch (error) {
    if (error instanceof Stopped) return 'stopped';
    throw error;
  }
}

class Stopped extends Error {}

/** What a search for fixes needs, and where it ends. */
export interface FixContext extends EvaluationContext {
  /** Prefers unknown tests to false ones, so that missing facts are reported rather than known ones. */
  readonly ofUnknown?: boolean;
  readonly work: Work;
  readonly limit: Limit;
}

interface Search extends FixContext {
  /** The most fixes to keep. */
  readonly most: number;
}

/** The fixes of a condition that is a test, and the search for those of any other. */
type Fixes = readonly Fix[] | Steps<readonly Fix[]>;

/** The fixes that make a condition true. */
function fixesOf(condition: Condition, search: Search): Fixes {
  const logic = pushDown<Fixes>({
    literal: (test, isPositive) => [fixOf([literalOf(test, !isPositive, search)])],
    atLeast: (count, parts) => choose(count, parts, search),
  });
  return fold(condition, logic)(true);
}

/** The fixes that make `count` of the parts true. */
function* choose(count: number, parts: readonly Fixes[], search: Search): Steps<readonly Fix[]> {
  const chosen: (readonly Fix[])[] = [[fixOf([])]];
  for (const [i, part] of parts.entries()) {
    const fixes = 'next' in part ? yield* part : part;
    // Counts down, so that each part is chosen at most once, and skips numbers that cannot reach the count.
    for (let n = Math.min(i, count - 1); n >= Math.max(0, count - parts.length + i); n--) {
      yield;
      const more = (chosen[n] ?? []).flatMap((fix) => fixes.flatMap((other) => joinFixes(fix, other, search) ?? []));
      chosen[n + 1] = nearestOf([...(chosen[n + 1] ?? []), ...more], search);
    }
    for (let n = 0; n <= count - parts.length + i; n++) chosen[n] = [];
  }
  return chosen[count] ?? [];
}

/** The nearest fixes whose literals can all be true at once. */
function nearestOf(fixes: readonly Fix[], { cells, most, work, ofUnknown = false }: Search): readonly Fix[] {
  const kept: Fix[] = [];
  const compare = (one: Fix, other: Fix) =>
    (ofUnknown ? one.falses - other.falses : 0) || one.turns - other.turns || one.miss - other.miss;
  for (const fix of [...fixes].sort(compare)) {
    if (kept.length === most) break;
    work.spend(20 * fix.literals.length);
    if (isPossible(fix, cells)) kept.push(fix);
  }
  return kept;
}

/** Both fixes together; undefined if a test would have to be both true and false. */
function joinFixes(one: Fix, other: Fix, { work, limit }: Search): Fix | undefined {
  if (limit.isReached()) throw new Stopped();
  work.spend(one.literals.length * (other.literals.length + 5) + 20);
  const literals = [...one.literals];
  for (const literal of other.literals) {
    const same = literals.find(({ test }) => test.key === literal.test.key);
    if (same && same.isNegated !== literal.isNegated) return undefined;
    if (!same) literals.push(literal);
  }
  return fixOf(literals);
}

function fixOf(literals: readonly Literal[]): Fix {
  const turning = literals.filter(({ truth }) => truth !== TRUE);
  const falses = turning.filter(({ truth }) => truth === FALSE).length;
  return { literals, falses, turns: turning.length, miss: turning.reduce((sum, { miss }) => sum + miss, 0) };
}

function literalOf(test: Test, isNegated: boolean, context: EvaluationContext): Literal {
  const { facts, day, cells } = context;
  const plainTruth = evaluateTest(test, ...factsAt(test, facts), day);
  const truth = isNegated ? negate(plainTruth) : plainTruth;
  if (truth === TRUE) return { test, isNegated, truth, miss: 0 };
  const { numbers } = cells.of(test).axis;
  const gap = numbers && missOf(test, isNegated, context);
  return { test, isNegated, truth, miss: gap ? stepsAcross(numbers, gap.from, gap.to) : 1 };
}

function factsAt({ fact, other }: Test, facts: Facts): readonly [fact: Fact, other: Fact | undefined] {
  return [factAt(facts, fact), other === undefined ? undefined : factAt(facts, other)];
}

/**
 * The gap between the present value and one that makes a test, or its negation, true; undefined if a fact is missing or
 * values have no distance. A personal fact has none, because limit and distance together would reveal its value.
 */
export function missOf(
  test: Test,
  isNegated: boolean,
  { table, facts, day }: Omit<EvaluationContext, 'cells'>,
): Gap | undefined {
  const [fact, other] = factsAt(test, facts);
  if (isMissing(fact) || (other && isMissing(other))) return undefined;
  if ([test.fact, test.other ?? test.fact].some((path) => isPersonal(path, table))) return undefined;
  return gapOf(test, isNegated, { value: fact.value, other: other?.value }, table.get(test.fact), day);
}

/** Whether the literals can all be true at once, judged by the cells of each axis alone. */
function isPossible({ literals }: Fix, cells: Cells): boolean {
  const common = new Map<Axis, bigint>();
  for (const literal of literals) {
    const { axis } = cells.of(literal.test);
    common.set(axis, (common.get(axis) ?? -1n) & cellsOf(literal, cells));
  }
  return [...common.values()].every((set) => set !== 0n);
}

/** The cells in which a literal is true. */
function cellsOf({ test, isNegated }: Literal, cells: Cells): bigint {
  const { axis, isTrue, isUnknown } = cells.of(test);
  const every = (1n << BigInt(axis.cells.length)) - 1n;
  return isNegated ? every & ~isTrue & ~isUnknown : isTrue;
}
