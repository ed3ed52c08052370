/** A computed fact, its cells and the present facts -> values of its operands that move it from cell to cell. */

import type { Computation, FactDefinition, FactTable } from '../../facts/catalog.ts';
import { type Facts, type FactValue, isMissing } from '../../facts/fact.ts';
import type { Axis } from './cells.ts';
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

/** The value used for a missing operand. */
const ANY = 1;

/** The facts of a day, including the values of computed facts. */
interface Present {
  readonly facts: Facts;
  readonly table: FactTable;
  readonly today: number;
}

/**
 * Values of one operand, with the other operands unchanged: at each border of the computed fact's cells, and on both
 * sides of it. Each is a guess: its result is computed before it is shown.
 */
export function operandValues(
  path: string,
  definition: FactDefinition,
  { name, operands }: Computation,
  axes: readonly Axis[],
  present: Present,
): FactValue[] {
  const isDate = definition.type === 'date';
  const either = isDate ? present.today : ANY;
  const numberOf = (operand: Computation['operands'][number]): number =>
    typeof operand === 'number' ? operand : (numberAt(operand.fact, present) ?? either);
  const compared = axes.flatMap(({ fact, other }) => (other === undefined ? [] : [fact, other]));
  // The least and the greatest of all numbers are not limits of a policy.
  const borders = [
    ...axes.flatMap(({ numbers, cells }) => [
      ...(numbers ? [...numbers.steps.firsts] : []),
      ...cells.flatMap((cell) => cell.witness('2000-01-01') ?? []).map(Number),
    ]),
    ...compared.flatMap((each) => numberAt(each, present) ?? []),
  ].filter((border) => Math.abs(border) <= MOST_USUAL);
  const values = operands.flatMap((operand, index) => {
    if (typeof operand === 'number' || operand.fact !== path) return [];
    const others = operands.filter((_, i) => i !== index).map(numberOf);
    return borders.map((border) => INVERSES[name](border, others, index));
  });
  return valuesNear([either, ...values.filter(Number.isFinite)], definition);
}

/** Values of a fact that is compared with a computed one: around its present result. */
export function valuesAround(path: string, definition: FactDefinition, present: Present): FactValue[] {
  return valuesNear([numberAt(path, present) ?? ANY], definition);
}

/** Larger than any number in a policy. */
const MOST_USUAL = 1e15;

function valuesNear(numbers: readonly number[], definition: FactDefinition): FactValue[] {
  const near = numbers.flatMap((number) => [
    number,
    Math.floor(number) - 1,
    Math.floor(number),
    Math.ceil(number),
    Math.ceil(number) + 1,
  ]);
  return [...new Set(near)].map((number) => toValue(number, definition));
}

/** The number of a fact, for a date its day; undefined if it is missing or has none. */
function numberAt(path: string, { facts, table }: Present): number | undefined {
  const fact = facts.get(path);
  return !fact || isMissing(fact) ? undefined : toNumber(fact.value, { type: table.get(path)?.type ?? 'number' });
}
