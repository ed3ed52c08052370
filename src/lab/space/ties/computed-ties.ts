/** Facts that are computed from one and the same number -> the states in which they cannot lie at once. */

import type { Computation, FactDefinition, FactTable, FactType } from '../../../facts/catalog.ts';
import { COMPUTATIONS, computeFact } from '../../../facts/compute.ts';
import { nextUp } from '../../../policy/cells/segments.ts';
import type { Tie, Variable } from '../variable.ts';
import { StateSets, type Tied } from './state-sets.ts';

/** A variable of a fact that only rises, or only falls, with the one fact that it is computed from. */
interface Steady extends Tied {
  readonly operand: string;
  /** The values of the operand on both sides of each place where the computed fact enters another state. */
  borders(): readonly number[];
  stateAt(value: number): number;
}

/** The ties of variables that are computed from one number and literals. */
export function* computedTies(variables: readonly Variable[], table: FactTable): Generator<Tie> {
  const steady = [...variables.keys()].flatMap((at) => steadyOf(variables[at] as Variable, at, table) ?? []);
  const sets = new StateSets(variables);
  for (const group of Map.groupBy(steady, ({ operand }) => operand).values()) {
    // Between two borders none changes its state, so these values have all pairs of states that there are.
    const values = group.length > 1 ? group.flatMap((each) => each.borders()) : [];
    for (const [i, one] of group.entries()) {
      for (const other of group.slice(i + 1)) {
        const pairs = new Set(values.map((value) => [one.stateAt(value), other.stateAt(value)].join()));
        const canBe = (a: number, b: number) => pairs.has([a, b].join());
        yield* sets.apart(one, other, canBe);
        yield* sets.apart(other, one, (b, a) => a !== 0 || canBe(a, b));
      }
    }
  }
}

function steadyOf(variable: Variable, at: number, table: FactTable): Steady | undefined {
  const { path, axes } = variable;
  const [axis, ...others] = axes;
  const definition = table.get(path);
  const { compute } = definition ?? {};
  if (!definition || !compute || !axis?.numbers || axis.other !== undefined || others.length > 0) return undefined;
  const operand = operandOf(definition, compute, table);
  const { type } = (operand === undefined ? undefined : table.get(operand)) ?? {};
  if (operand === undefined || !type) return undefined;
  const { step } = COMPUTATIONS[compute.name];
  const resultAt = (value: number) =>
    compute.operands
      .map((each) => (typeof each === 'number' ? each : value))
      .reduce((result, each) => Number(step(result, each)));
  const isWhole = definition.type === 'integer';
  const [least, most] = ENDS[isWhole ? 'integer' : 'number'];
  const firsts = [...axis.numbers.steps.firsts, least, nextUp(most)];
  return {
    variable: at,
    operand,
    borders: () => [
      ...ENDS[type === 'integer' ? type : 'number'],
      ...firsts.flatMap((first) => around(resultAt, first, type)),
    ],
    stateAt: (value) => {
      const fact = computeFact(definition, compute, new Map([[operand, { value }]]));
      return variable.find(new Map([[path, fact]]));
    },
  };
}

/** The least and the greatest value of a type. */
const ENDS = {
  number: [-Number.MAX_VALUE, Number.MAX_VALUE],
  integer: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
} as const;

/**
 * The one fact that a computed fact rises or falls with: doubles round so that a greater number never gives less.
 * Undefined for a computation that may do both, and for one of whole numbers that may be invalid in between.
 */
function operandOf({ type }: FactDefinition, { name, operands }: Computation, table: FactTable): string | undefined {
  const facts = operands.flatMap((each) => (typeof each === 'number' ? [] : each.fact));
  const literals = operands.filter((each) => typeof each === 'number');
  const [fact] = facts;
  if (fact === undefined || facts.length > 1 || name === 'daysBetween') return undefined;
  if (name === 'ratio' && typeof operands[0] === 'number') return undefined;
  if ((name === 'product' || name === 'ratio') && literals.includes(0)) return undefined;
  const isWhole = name !== 'ratio' && table.get(fact)?.type === 'integer' && literals.every(Number.isSafeInteger);
  return type === 'integer' && !isWhole ? undefined : fact;
}

/** The values on both sides of the place where a result reaches a number; none if it never does, or always has. */
function around(resultAt: (value: number) => number, reached: number, type: FactType): readonly number[] {
  const [least, most] = ENDS.number;
  const isReached = (value: number) => resultAt(value) >= reached;
  const atLeast = isReached(least);
  if (atLeast === isReached(most)) return [];
  let [low, high] = [placeOf(least), placeOf(most)];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (isReached(doubleAt(middle)) === atLeast) low = middle;
    else high = middle;
  }
  const both = [doubleAt(low), doubleAt(high)] as const;
  return type === 'integer' ? [Math.floor(both[0]), Math.ceil(both[1])] : both;
}

/** The place of a double among all doubles: 0 is that of 0. */
function placeOf(double: number): bigint {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setFloat64(0, Math.abs(double));
  return bytes.getBigInt64(0) * (double < 0 ? -1n : 1n);
}

function doubleAt(place: bigint): number {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setBigInt64(0, place < 0n ? -place : place);
  return bytes.getFloat64(0) * (place < 0n ? -1 : 1);
}
