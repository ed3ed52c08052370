/** Ranges of two rules that share nothing but the value at which they meet -> a warning each. */

import { LEVELS } from '../../../facts/catalog.ts';
import { cellsIn } from '../../cells/cells.ts';
import { operatorRow } from '../../operators.ts';
import { type Check, placeOfRule } from '../context.ts';
import { bordersIn, type End, inOrder, isSpanned, pairsAt, rangeOf } from './borders.ts';

export function checkSharedBorders(check: Check): void {
  for (const border of bordersIn(check)) {
    for (const [ending, beginning] of pairsAt(border, true)) {
      const one = rangeOf(ending, check);
      const other = rangeOf(beginning, check);
      const common = one & other;
      // A range within another, such as a single value, may well be meant to add to it.
      const isBorder = cellsIn(common).length === 1 && one !== common && other !== common;
      if (isBorder && !isSpanned(common, border.family, check)) report(ending, beginning, common, check);
    }
  }
}

function report(ending: End, beginning: End, common: bigint, check: Check): void {
  const [first, second] = inOrder(ending, beginning, check);
  const { test, axis } = ending;
  const shared = `${test.fact} ${axis.cells[cellsIn(common)[0] ?? 0]?.words}`;
  const message = `both "${first.rule.id}" and "${second.rule.id}" fire for ${shared}, at which their ranges meet`;
  check.warn(
    check.nodes.get(second.test),
    'shared-border',
    message,
    hintFor(beginning, check),
    placeOfRule(first.rule, check),
  );
}

/** How a range that begins with a value leaves it out. */
function hintFor({ test, operator, argument, value }: End, { policy }: Check): string {
  const [, most] = operatorRow(operator).argument === 'range' ? (argument as readonly unknown[]) : [];
  const written = most === undefined ? `${operator}: ${value}` : `${operator}: [${value}, ${most}]`;
  const { type, range } = policy.facts.get(test.fact) ?? {};
  const greatest = type === 'level' ? LEVELS.at(-1) : range?.[1];
  const end = most === undefined || most === greatest ? '' : `, atMost: ${most}`;
  return `to let only one of them fire, write \`above: ${value}${end}\` instead of \`${written}\``;
}
