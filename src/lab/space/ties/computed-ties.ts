/** Facts that a policy computes -> the states of them and their operands that exclude each other. */

import type { Computation, FactDefinition, FactTable, FactType, Operand } from '../../../facts/catalog.ts';
import { COMPUTATIONS, computedIn, computeFact, factsAmong } from '../../../facts/compute.ts';
import type { Fact } from '../../../facts/fact.ts';
import { nextUp } from '../../../policy/cells/segments.ts';
import type { StateSet, Tie, Variable } from '../variable.ts';
import { always, apart, type Tied } from './apart.ts';
import { tiesAmong } from './comparison-ties.ts';
import { known, missing } from './missing-ties.ts';
import { overlapsAny, type Range, rangesOf, type Sources } from './sources.ts';

/** A variable of a fact that only rises, or only falls, with the one fact that it is computed from. */
interface Steady extends Tied {
  readonly path: string;
  readonly operand: string;
  /** The values of the operand on both sides of each place where the computed fact enters another state. */
  borders(): readonly number[];
  factAt(value: number): Fact;
}

/** The ties of facts that a policy computes. */
export function* computedTies(sources: Sources): Generator<Tie> {
  yield* steadyTies(sources);
  yield* operandTies(sources);
  yield* definedTies(sources);
  yield* undefinedTies(sources);
}

/** The ties of variables that are computed from one number and literals. */
function* steadyTies(sources: Sources): Generator<Tie> {
  const { variables, table } = sources;
  const steady = variables.flatMap((variable, at) => steadyOf(variable, at, table) ?? []);
  for (const group of Map.groupBy(steady, ({ operand }) => operand).values()) {
    // Between two borders none changes its state, so these values have all pairs of states that there are.
    const values = group.length > 1 ? group.flatMap((each) => each.borders()) : [];
    const everybody = values.map((value) => new Map(group.map(({ path, factAt }) => [path, factAt(value)])));
    for (const [i, one] of group.entries()) {
      for (const other of group.slice(i + 1))
        yield* tiesAmong([one, other, always(0)], [new Map(), ...everybody], sources);
    }
  }
}

function steadyOf({ path, axes }: Variable, at: number, table: FactTable): Steady | undefined {
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
    path,
    operand,
    borders: () => [
      ...ENDS[type === 'integer' ? type : 'number'],
      ...firsts.flatMap((first) => around(resultAt, first, type)),
    ],
    factAt: (value) => computeFact(definition, compute, new Map([[operand, { value }]])),
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

/** A number that no test reads may be any. */
const UNTESTED = always<readonly Range[]>([[-Number.MAX_VALUE, Number.MAX_VALUE]]);

/**
 * A number that is computed from one or two facts lies between the results of the ends of its operands, however doubles
 * are rounded.
 */
function* operandTies(sources: Sources): Generator<Tie> {
  for (const [path, { compute }] of computedIn(sources.table)) {
    const { name, operands } = compute;
    const facts = factsAmong(operands);
    // Days between dates of the calendar are not tied to ages.
    if (facts.length > 2 || name === 'daysBetween') continue;
    const [ones = [], others = [UNTESTED]] = facts.map((fact) => {
      const numbers = sources.numbers(fact);
      return numbers.length > 0 ? numbers : [UNTESTED];
    });
    for (const one of ones) {
      for (const other of others) {
        for (const result of sources.numbers(path)) {
          yield* apart([one, other, result], (each) => (another) => {
            const reached = operands
              .map((operand): Ranges => {
                if (typeof operand === 'number') return [[operand, operand]];
                return operand.fact === facts[0] ? each : another;
              })
              .reduce((before, next) => resultsOf(name, before, next));
            return (own) => !reached || own.some(overlapsAny(reached));
          });
        }
      }
    }
  }
}

/** Undefined where nothing is known of the result. */
type Ranges = readonly Range[] | undefined;

function resultsOf(name: Computation['name'], ones: Ranges, others: Ranges): Ranges {
  const results = ones?.flatMap((one) => others?.map((other) => resultOf(name, one, other)));
  return results?.every((each) => each !== undefined) ? results : undefined;
}

/** A step has its least and its greatest result at ends of its operands, but where a divisor may be zero. */
function resultOf(name: Computation['name'], one: Range, other: Range): Range | undefined {
  if (name === 'ratio' && other[0] <= 0 && other[1] >= 0) return undefined;
  const results = one.flatMap((a) => other.map((b) => COMPUTATIONS[name].step(a, b)));
  const numbers = results.flatMap((each) => (each === undefined || Number.isNaN(each) ? [] : [each]));
  return numbers.length === results.length ? [Math.min(...numbers), Math.max(...numbers)] : undefined;
}

/** The largest double is 1.8e308, and stays what it is if this is added to it. */
const LARGEST_NUMBER = 1e290;

/**
 * A computed fact is not missing where all operands are known and far from what has no result: a sum that is not
 * finite, a division by zero, the days since a date that is `never`.
 */
function* definedTies(sources: Sources): Generator<Tie> {
  const { variables, table } = sources;
  for (const [path, { compute, type }] of computedIn(table)) {
    const facts = factsAmong(compute.operands);
    const operands = facts.map((fact) => sources.of(fact)[0]);
    const limits = limitsOf(compute, type, table);
    if (!limits || operands.includes(undefined)) continue;
    const knownStates = operands.map((operand) => known(operand as Tied, variables));
    const ordinary = knownStates.map(([at], i): Tie[number] => {
      const isDivisor = compute.name === 'ratio' && isOperand(compute.operands[1], facts[i]);
      return [at, ordinaryStates(variables[at] as Variable, limits, isDivisor)];
    });
    for (const result of sources.of(path)) {
      const without = missing(result, variables);
      if (compute.name === 'minimum' || compute.name === 'maximum') yield [without, ...knownStates];
      else yield [without, ...ordinary];
      // One large number beside ordinary ones leads to no larger one.
      if (type !== 'number' || !(compute.name === 'sum' || compute.name === 'difference')) continue;
      for (const [i, fact] of facts.entries()) {
        const isOnce = compute.operands.filter((operand) => isOperand(operand, fact)).length === 1;
        if (isOnce) yield [without, ...ordinary.with(i, knownStates[i] as Tie[number])];
      }
    }
  }
}

/** A computed fact is missing where an operand has no result: days since a date that is `never`, a division by zero. */
function* undefinedTies(sources: Sources): Generator<Tie> {
  const { variables, table } = sources;
  for (const [path, { compute }] of computedIn(table)) {
    for (const fact of factsAmong(compute.operands)) {
      const isDivisor = compute.name === 'ratio' && isOperand(compute.operands[1], fact);
      for (const { variable } of sources.of(fact)) {
        const without = statesWithoutResult(variables[variable] as Variable, isDivisor);
        for (const result of sources.of(path)) yield [[variable, without], known(result, variables)];
      }
    }
  }
}

/** The known states in which a date is `never`, or a divisor zero. */
function statesWithoutResult(variable: Variable, isDivisor: boolean): StateSet {
  const { axes, cells, states } = variable;
  const isNever = (state: number) =>
    axes.some(({ firstValue }, a) => firstValue === 2 && cells[a]?.[state]?.join() === '1');
  return states.map(({ isMissing }, state) => {
    if (isMissing) return false;
    return (
      isNever(state) || (isDivisor && rangesOf(variable, state)?.every(([from, to]) => from === 0 && to === 0) === true)
    );
  });
}

/** How large operands may be, and how near to zero a divisor. */
interface Limits {
  readonly most: number;
  readonly least: number;
}

/** Undefined where ordinary operands may have no result: whole numbers that are computed from others. */
function limitsOf({ name, operands }: Computation, type: FactDefinition['type'], table: FactTable): Limits | undefined {
  const isWhole = operands.every((operand) =>
    typeof operand === 'number' ? Number.isSafeInteger(operand) : table.get(operand.fact)?.type === 'integer',
  );
  if (type === 'integer' && name !== 'daysBetween' && (!isWhole || name === 'ratio')) return undefined;
  const largest = type === 'integer' ? Number.MAX_SAFE_INTEGER : LARGEST_NUMBER;
  const isMultiplied = name === 'product' || name === 'ratio';
  const most = isMultiplied ? largest ** (1 / operands.length) : largest / operands.length;
  const literals = operands.filter((operand) => typeof operand === 'number');
  const isOrdinary = literals.every((literal) => Math.abs(literal) <= most);
  const least = 1 / most;
  const isDivisible = name !== 'ratio' || typeof operands[1] !== 'number' || Math.abs(operands[1]) >= least;
  return isOrdinary && isDivisible ? { most, least } : undefined;
}

function isOperand(operand: Operand | undefined, fact: string | undefined): boolean {
  return typeof operand === 'object' && operand.fact === fact;
}

/** The known states of numbers within the limits, and of dates that are not `never`. */
function ordinaryStates(variable: Variable, { most, least }: Limits, isDivisor: boolean): StateSet {
  const { axes, cells, states } = variable;
  const isNumber = ([from, to]: readonly [number, number]) => from >= -most && to <= most;
  const isFarFromZero = ([from, to]: readonly [number, number]) => from >= least || to <= -least;
  const isDate = (state: number) =>
    axes.some(({ firstValue }, a) => firstValue === 2 && cells[a]?.[state]?.includes(1) === false);
  return states.map(({ isMissing }, state) => {
    const own = rangesOf(variable, state);
    if (isMissing) return false;
    return own ? own.every((range) => isNumber(range) && (!isDivisor || isFarFromZero(range))) : isDate(state);
  });
}
