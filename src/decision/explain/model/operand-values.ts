/** A computed fact, its cells and the present facts -> values of its operands that move it from cell to cell. */

import type { Computation, FactDefinition, FactTable } from '../../../facts/catalog.ts';
import { type Facts, type FactValue, isMissing } from '../../../facts/fact.ts';
import type { Axis } from '../../../policy/cells/cells.ts';
import { factAt } from '../../meaning/truth.ts';
import { toNumber, toValue } from './sample-values.ts';

/** By operation, the operand at an index that gives a result; `others` are the numbers of the other operands. */
const INVERSES: {
  readonly [Name in Computation['name']]: (result: number, others: readonly number[], index: number) => number;
} = {
  sum: (result, others) => others.reduce((rest, other) => rest - other, result),
  product: (result, others) => others.reduce((rest, other) => rest / other, result),
  minimum: (result) => result,
  maximum: (result) => result,
  difference: (result, [other = 0], index) => (index === 0 ? result + other : other - result),
  ratio: (result, [other = 0], index) => (index === 0 ? result * other : other / result),
  daysBetween: (result, [other = 0], index) => (index === 0 ? other - result : other + result),
};

/** In place of an operand that is missing. */
const ANY = 1;

/**
 * Values of one operand, with the other operands as they are: at each border of the computed fact's cells, and on both
 * sides of it. Each is a guess: what it gives is computed before it is shown.
 */
export function operandValues(
  path: string,
  definition: FactDefinition,
  { name, operands }: Computation,
  axes: readonly Axis[],
  { facts, table, today }: { readonly facts: Facts; readonly table: FactTable; readonly today: number },
): FactValue[] {
  const isDate = definition.type === 'date';
  const numberOf = (operand: Computation['operands'][number]): number => {
    if (typeof operand === 'number') return operand;
    const fact = factAt(facts, operand.fact);
    const known = isMissing(fact)
      ? undefined
      : toNumber(fact.value, { type: table.get(operand.fact)?.type ?? 'number' });
    return known ?? (isDate ? today : ANY);
  };
  const borders = axes.flatMap(({ numbers, cells }) => [
    ...(numbers ? [...numbers.steps.firsts] : []),
    ...cells.flatMap((cell) => cell.witness('2000-01-01') ?? []).map(Number),
  ]);
  const found = operands.flatMap((operand, index) => {
    if (typeof operand === 'number' || operand.fact !== path) return [];
    const others = operands.filter((_, i) => i !== index).map(numberOf);
    return borders.map((border) => INVERSES[name](border, others, index));
  });
  const near = [isDate ? today : ANY, ...found.filter(Number.isFinite)].flatMap((number) => [
    number,
    Math.floor(number) - 1,
    Math.floor(number),
    Math.ceil(number),
    Math.ceil(number) + 1,
  ]);
  return [...new Set(near)].map((number) => toValue(number, definition));
}
