/** Facts, and an axis or a condition that is evaluated directly -> the cell in which the facts lie. */

import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import type { Axis } from '../../policy/cells/cells.ts';
import type { Condition } from '../../policy/language.ts';
import { evaluate, factAt, TRUE, type Truth, UNKNOWN } from '../meaning/truth.ts';
import { DIRECT_CELLS } from './program.ts';

/** The cell of a missing fact, on every axis. */
export const MISSING_CELL = 0;

/** Finds the cell in which facts lie on a day. */
export type Finder = (facts: Facts, day: string) => number;

/** Creates the finder of an axis or a condition. */
export function finderOf(source: Axis | Condition): Finder {
  if ('kind' in source) return (facts, day) => cellOfTruth(evaluate(source, facts, day));
  const { fact, other } = source;
  if (other !== undefined) return (facts, day) => findCell(source, factAt(facts, fact), factAt(facts, other), day);
  return (facts, day) => {
    const found = facts.get(fact);
    return found === undefined || isMissing(found) ? MISSING_CELL : findCell(source, found, undefined, day);
  };
}

/**
 * The cell of a fact, or of a pair of facts. If the evaluation of a test fails, its truth is unknown, as for a
 * missing fact; such a test has an axis of its own. INVARIANT: facts come from `readFacts`, so every other
 * value has a cell.
 */
export function findCell(axis: Axis, fact: Fact, other: Fact | undefined, day: string): number {
  try {
    return axis.find(fact, other, day) ?? MISSING_CELL;
  } catch {
    return MISSING_CELL;
  }
}

/** The cell of a condition's truth. */
export function cellOfTruth(truth: Truth): number {
  if (truth === TRUE) return DIRECT_CELLS.true;
  return truth === UNKNOWN ? DIRECT_CELLS.unknown : DIRECT_CELLS.false;
}
