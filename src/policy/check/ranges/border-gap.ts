/** Ranges of two rules that leave out the value at which they meet, which no other rule asks for -> a warning each. */

import { cellsIn } from '../../cells/cells.ts';
import { isWithin, type Region } from '../../cells/conjunctions.ts';
import type { Rule } from '../../language.ts';
import { operatorRow } from '../../operators.ts';
import { type Check, placeOfRule, testsIn } from '../context.ts';
import { bordersIn, type End, inOrder, pairsAt, rangeOf } from './borders.ts';

export function checkBorderGaps(check: Check): void {
  // Rows are looked at with the whole of their table.
  const rows = new Set(check.tables.flatMap((table) => table.rows));
  for (const border of bordersIn(check)) {
    if (border.ends.some(({ rule }) => rows.has(rule))) continue;
    for (const pair of pairsAt(border, false)) {
      const gap = gapBetween(...pair, check);
      if (gap !== undefined && !isNeutral(...pair, check) && !isAsked(gap, pair[0], check)) {
        report(...pair, gap, check);
      }
    }
  }
}

/** The one cell between two ranges. */
function gapBetween(ending: End, beginning: End, check: Check): bigint | undefined {
  const last = cellsIn(rangeOf(ending, check)).at(-1);
  const first = cellsIn(rangeOf(beginning, check)).find((cell) => cell >= ending.axis.firstValue);
  return last !== undefined && first === last + 2 ? 1n << BigInt(last + 1) : undefined;
}

/** Whether a test names the value, or a rule fires for it wherever the rule beside it would. */
function isAsked(gap: bigint, { axis, rule }: End, { policy, cells, regions }: Check): boolean {
  for (const test of testsIn(policy)) {
    const asked = operatorRow(test.operator).isNaming ? cells.of(test) : undefined;
    if (asked?.axis === axis && (asked.isTrue & gap) !== 0n) return true;
  }
  const own = regions.find((each) => each.rule === rule)?.certain ?? [];
  return own.some((region) => {
    const inGap: Region = { ...region, sets: new Map(region.sets).set(axis, gap) };
    return regions.some(({ certain }) => certain.some((other) => other.sets.has(axis) && isWithin(inGap, other)));
  });
}

/**
 * Whether the value between may be meant to ask for nothing: one of a few steps, with good signs on one side and bad
 * ones on the other.
 */
function isNeutral(ending: End, beginning: End, { policy }: Check): boolean {
  const type = policy.facts.get(ending.test.fact)?.type;
  return (type === 'integer' || type === 'level') && isBad(ending.rule) !== isBad(beginning.rule);
}

function isBad({ then, points = 0 }: Rule): boolean {
  return then === undefined ? points > 0 : then !== 'accept';
}

function report(ending: End, beginning: End, gap: bigint, check: Check): void {
  const { test, axis, operator, value } = ending;
  const [first, second] = inOrder(ending, beginning, check);
  const left = `${test.fact} ${axis.cells[cellsIn(gap)[0] ?? 0]?.words}`;
  const message = `neither "${first.rule.id}" nor "${second.rule.id}" fires for ${left}, at which their ranges meet`;
  const hint = operator === 'below' ? `write \`atMost: ${value}\` or \`atLeast: ${value}\` in one of them` : undefined;
  check.warn(check.nodes.get(second.test), 'border-gap', message, hint, placeOfRule(first.rule, check));
}
