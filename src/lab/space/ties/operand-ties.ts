/** Facts that a policy computes from numbers -> the states in which they and their operands cannot lie at once. */

import type { Computation, FactTable } from '../../../facts/catalog.ts';
import { COMPUTATIONS, computedIn, factsAmong } from '../../../facts/compute.ts';
import { MOST_STATES_COMPARED } from '../../limits.ts';
import type { Tie, Variable } from '../variable.ts';
import { rangesByState } from './locations.ts';
import type { Sources } from './sources.ts';

type Range = readonly [least: number, most: number];

/** What a state leaves of a number; undefined for anything. */
type Ranges = readonly Range[] | undefined;

/** A variable, and what each of its states leaves of its number. */
type Line = readonly [variable: number, byState: readonly Ranges[]];

/**
 * A number that is computed from one or two facts lies between the results of the ends of its operands, however doubles
 * are rounded.
 */
export function* operandTies(variables: readonly Variable[], sources: Sources, table: FactTable): Generator<Tie> {
  const linesOf = (path: string) =>
    sources.of(path).map(({ variable }): Line => [variable, rangesByState(variables[variable])]);
  for (const [path, { compute }] of computedIn(table)) {
    const facts = factsAmong(compute.operands);
    // Days between dates of the calendar are not tied to ages.
    if (facts.length > 2 || compute.name === 'daysBetween') continue;
    const [ones = [], others = []] = facts.map((fact) => {
      const lines = linesOf(fact);
      return lines.length > 0 ? lines : [UNTESTED];
    });
    for (const result of linesOf(path)) {
      for (const one of ones) {
        for (const other of facts.length > 1 ? others : [UNTESTED]) yield* tiesOf(result, [one, other], facts, compute);
      }
    }
  }
}

/** A number that no test reads: it has one state, in which it is any. */
const ANY: Range = [-Number.MAX_VALUE, Number.MAX_VALUE];
const UNTESTED: Line = [-1, [[ANY]]];

function* tiesOf(
  [result, ofResult]: Line,
  [[one, ofOne], [other, ofOther]]: readonly [Line, Line],
  facts: readonly string[],
  { name, operands }: Computation,
): Generator<Tie> {
  if (ofOne.length * ofOther.length * ofResult.length > MOST_STATES_COMPARED) return;
  const computed = ofOne.map((ones) =>
    ofOther.map((others) => {
      const ranges = operands.map((operand): Ranges => {
        if (typeof operand === 'number') return [[operand, operand]];
        return operand.fact === facts[0] ? ones : others;
      });
      return ranges.reduce((before, next) => resultsOf(name, before, next));
    }),
  );
  for (const [state, own] of ofResult.entries()) {
    if (!own) continue;
    const rows = Map.groupBy(ofOne.keys(), (at) =>
      (computed[at] ?? []).map((reached) => (reached && !own.some(overlapsAny(reached)) ? 'x' : '')).join(),
    );
    for (const [row, states] of rows) {
      const isOf = new Set(states);
      const tie: Tie = [
        [result, ofResult.map((_, at) => at === state)],
        [one, ofOne.map((_, at) => isOf.has(at))],
        [other, row.split(',').map((each) => each === 'x')],
      ];
      // A number that no test reads is in its one state.
      if (tie.every(([, each]) => each.includes(true))) yield tie.filter(([variable]) => variable !== UNTESTED[0]);
    }
  }
}

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

function overlapsAny(ranges: readonly Range[]): (own: Range) => boolean {
  return ([least, most]) => ranges.some(([from, to]) => from <= most && to >= least);
}
