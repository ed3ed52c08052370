/** A computation -> the computations that it is easily taken for. */

import type { Computation, Operand } from '../../facts/catalog.ts';
import { factsAmong } from '../../facts/compute.ts';
import { movedNumber } from './test-mutations.ts';

/** A computation in place of another. */
export interface ComputationMutation {
  /** Unique among the edits of one computation, and equal for the same edit of other values of parameters. */
  readonly name: string;
  readonly compute: Computation;
}

/** Names that are easily taken for each other. */
const SWAPS: { readonly [Name in Computation['name']]?: Computation['name'] } = {
  ...{ minimum: 'maximum', maximum: 'minimum', sum: 'product', product: 'sum' },
};

/** The operands of these have an order. */
const ORDERED: readonly Computation['name'][] = ['difference', 'ratio', 'daysBetween'];

/** The edits of a computation: a number moved, another name, operands in the other order, one of several left out. */
export function computationMutations({ name, operands }: Computation): readonly ComputationMutation[] {
  const swap = SWAPS[name];
  const edit = (by: string, changed: readonly Operand[]) => ({ name: by, compute: { name, operands: changed } });
  const moved = operands.flatMap((operand, at) =>
    typeof operand !== 'number'
      ? []
      : [1, -1].map((by) => edit(`${at} by ${by}`, operands.with(at, movedNumber(operand, by)))),
  );
  const fewer = operands.length > 2 ? operands.map((_, at) => edit(`without ${at}`, operands.toSpliced(at, 1))) : [];
  return [
    ...moved,
    ...(swap ? [{ name: swap, compute: { name: swap, operands } }] : []),
    ...(ORDERED.includes(name) ? [edit('swapped', operands.toReversed())] : []),
    ...fewer.filter(({ compute }) => factsAmong(compute.operands).length > 0),
  ];
}

/** As people write it: `compute: { ratio: [context.creditLimit, context.income] }`. */
export function writtenComputation({ name, operands }: Computation): string {
  const texts = operands.map((operand) => (typeof operand === 'number' ? String(operand) : operand.fact));
  return `compute: { ${name}: [${texts.join(', ')}] }`;
}
