/** A condition -> the truths that it can have: what cannot happen is no gap of the tests. */

import { type TruthSet, truthsOf } from '../../../decision/meaning/truth-sets.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import { type Axis, Cells } from '../../../policy/cells/cells.ts';
import { type Condition, testsOf } from '../../../policy/language.ts';
import { MOST_CELLS_COMBINED } from '../../limits.ts';
import { type Box, truthsIn } from '../../space/truths.ts';
import type { TestStates } from '../../space/variable.ts';

/**
 * The truths that a condition can have, as `TRUTH_BITS`: never too few, and too many only where facts are tied in a way
 * that takes a solver to find.
 */
export function possibleTruths(condition: Condition, facts: FactTable): TruthSet {
  const { axes, statesOf } = statesIn(condition, facts);
  const combinations = axes.reduce((product, { cells }) => product * cells.length, 1);
  const whole: Box = axes.map(({ cells }) => cells.map(() => true));
  const possible = truthsOf(condition, truthsIn(whole, { statesOf }));
  if (combinations > MOST_CELLS_COMBINED) return possible;
  let found = 0;
  for (let i = 0; i < combinations && found !== possible; i++) {
    const point = pointAt(i, axes);
    if (!canBe(axes, point)) continue;
    const box = axes.map(({ cells }, axis) => cells.map((_, cell) => cell === point[axis]));
    found |= truthsOf(condition, truthsIn(box, { statesOf }));
  }
  return found;
}

function statesIn(condition: Condition, facts: FactTable) {
  const cells = new Cells(testsOf(condition), facts);
  const known = new Map<string, TestStates>();
  const setOf = (bits: bigint, { cells: all }: Axis) => all.map((_, i) => ((bits >> BigInt(i)) & 1n) === 1n);
  for (const test of testsOf(condition)) {
    if (known.has(test.key)) continue;
    const { axis, isTrue, isUnknown } = cells.of(test);
    const variable = cells.axes.indexOf(axis);
    known.set(test.key, { variable, isTrue: setOf(isTrue, axis), isUnknown: setOf(isUnknown, axis) });
  }
  return { axes: cells.axes, statesOf: ({ key }: { readonly key: string }) => known.get(key) as TestStates };
}

/** The cell of each axis in the nth combination. */
function pointAt(n: number, axes: readonly Axis[]): readonly number[] {
  let rest = n;
  return axes.map(({ cells }) => {
    const cell = rest % cells.length;
    rest = Math.floor(rest / cells.length);
    return cell;
  });
}

/** Whether a fact is in the same state on all of its axes, and a pair of facts is missing where one of them is. */
function canBe(axes: readonly Axis[], point: readonly number[]): boolean {
  const states = new Map<string, string | undefined>();
  const stateAt = (i: number) => axes[i]?.cells[point[i] as number]?.state;
  for (const [i, { fact, other }] of axes.entries()) {
    if (other !== undefined) continue;
    if (states.has(fact) && states.get(fact) !== stateAt(i)) return false;
    states.set(fact, stateAt(i));
  }
  return axes.every(({ fact, other }, i) => {
    if (other === undefined) return true;
    const both = [states.get(fact), states.get(other)];
    if (stateAt(i) !== 'missing') return !both.includes('missing');
    return both.includes('missing') || both.includes(undefined);
  });
}
