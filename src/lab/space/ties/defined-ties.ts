/** Facts that a policy computes -> the states of their operands in which they cannot be missing. */

import type { Computation, FactDefinition, FactTable, Operand } from '../../../facts/catalog.ts';
import { computedIn, factsAmong } from '../../../facts/compute.ts';
import type { StateSet, Tie, Variable } from '../variable.ts';
import { rangesByState } from './locations.ts';
import type { Sources } from './sources.ts';
import { StateSets, type Tied } from './state-sets.ts';

/** The largest double is 1.8e308, and stays what it is if this is added to it. */
const LARGEST_NUMBER = 1e290;

/**
 * A computed fact is not missing where all operands are known and far from what has no result: a sum that is not
 * finite, a division by zero, the days since a date that is `never`.
 */
export function* definedTies(variables: readonly Variable[], sources: Sources, table: FactTable): Generator<Tie> {
  const sets = new StateSets(variables);
  for (const [path, { compute, type }] of computedIn(table)) {
    const facts = factsAmong(compute.operands);
    const own = facts.map((fact) => sources.of(fact)[0]);
    const limits = limitsOf(compute, type, table);
    if (!limits || own.includes(undefined)) continue;
    const known = own.map((operand) => sets.known(operand as Tied));
    const ordinary = known.map(([at], i): Tie[number] => {
      const isDivisor = compute.name === 'ratio' && isOperand(compute.operands[1], facts[i]);
      return [at, ordinaryStates(variables[at], limits, isDivisor)];
    });
    for (const result of sources.of(path)) {
      const missing = sets.missing(result);
      if (compute.name === 'minimum' || compute.name === 'maximum') yield [missing, ...known];
      else yield [missing, ...ordinary];
      // One large number beside ordinary ones leads to no larger one.
      if (type !== 'number' || !(compute.name === 'sum' || compute.name === 'difference')) continue;
      for (const [i, fact] of facts.entries()) {
        const isOnce = compute.operands.filter((operand) => isOperand(operand, fact)).length === 1;
        if (isOnce) yield [missing, ...ordinary.with(i, known[i] as Tie[number])];
      }
    }
  }
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
function ordinaryStates(variable: Variable | undefined, { most, least }: Limits, isDivisor: boolean): StateSet {
  const { axes = [], cells = [], states = [] } = variable ?? {};
  const ranges = rangesByState(variable);
  const isNumber = ([from, to]: readonly [number, number]) => from >= -most && to <= most;
  const isFarFromZero = ([from, to]: readonly [number, number]) => from >= least || to <= -least;
  const isDate = (state: number) =>
    axes.some(({ firstValue }, a) => firstValue === 2 && cells[a]?.[state]?.includes(1) === false);
  return states.map(({ isMissing }, state) => {
    const own = ranges[state];
    if (isMissing) return false;
    return own ? own.every((range) => isNumber(range) && (!isDivisor || isFarFromZero(range))) : isDate(state);
  });
}
