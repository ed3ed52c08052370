/** Two facts with values -> the states in which they cannot compare as another variable, or what they count, says. */

import type { FactTable } from '../../../facts/catalog.ts';
import type { Facts, FactValue } from '../../../facts/fact.ts';
import { ranksOf } from '../../../policy/cells/sample-values.ts';
import { endsOf } from '../../../policy/cells/segments.ts';
import { nestedCounts } from '../nested-counts.ts';
import type { Relation, Tie, Variable } from '../variable.ts';
import type { Sources } from './sources.ts';
import { rangesByState, StateSets, type Subject, type Tied } from './state-sets.ts';

/** What a state leaves of a number: ranges with both ends, and for dates whether it may be `never`. */
interface Values {
  readonly ranges: readonly (readonly [least: number, most: number])[];
  readonly canBeNever: boolean;
}

/** Two facts with an order, and what tells how they compare. */
export function* orderTies(variables: readonly Variable[], sources: Sources, day: string): Generator<Tie> {
  const isOrdered = ({ variable }: Tied) => variables[variable]?.axes.every(({ numbers }) => numbers !== undefined);
  for (const pair of sources.pairs) {
    const [left = [], right = []] = pair.facts.map((fact) => sources.of(fact).filter(isOrdered));
    const relations = variables[pair.variable]?.relations ?? [];
    for (const one of left) {
      for (const other of right) {
        const relationsOf = comparer(variables, one.variable, other.variable, day);
        yield* apartOf(variables, [one, other, pair], (a, b, state) => {
          return !relations[state]?.isDisjointFrom(relationsOf(a, b));
        });
      }
    }
  }
}

/** Two facts of few values, and what tells how they compare. */
export function* valueTies(variables: readonly Variable[], sources: Sources, table: FactTable): Generator<Tie> {
  const sets = new StateSets(variables);
  for (const pair of sources.pairs) {
    const [fact, otherFact] = pair.facts as [string, string];
    const everybody = fewValues(fact, table).flatMap((value) =>
      fewValues(otherFact, table).map((otherValue): Facts => {
        return new Map([
          [fact, { value }],
          [otherFact, { value: otherValue }],
        ]);
      }),
    );
    if (everybody.length === 0) continue;
    const statesOf = (some: readonly Tied[]) => {
      const ownVariables = some.map(({ variable }) => variables[variable] as Variable);
      return new Set(everybody.map((facts) => ownVariables.map((variable) => variable.find(facts)).join()));
    };
    const [left, right] = [sources.of(fact), sources.of(otherFact)];
    for (const one of [...left, ...right]) {
      const possible = statesOf([one, pair]);
      yield* sets.apart(one, pair, (a, state) => state === 0 || possible.has([a, state].join()));
    }
    for (const one of left) {
      for (const other of right) {
        const possible = statesOf([one, other, pair]);
        yield* apartOf(variables, [one, other, pair], (...states) => possible.has(states.join()));
      }
    }
  }
}

/** All values of an enum or a boolean; none of other facts. */
function fewValues(path: string, table: FactTable): readonly FactValue[] {
  const { type, values = [] } = table.get(path) ?? {};
  return type === 'boolean' ? [true, false] : type === 'enum' ? values : [];
}

type Compared = readonly [one: Tied, other: Tied, pair: Tied];

/** The states of three variables that exclude each other; missing states exclude none. */
function* apartOf(
  variables: readonly Variable[],
  [one, other, pair]: Compared,
  canBe: (state: number, other: number, pair: number) => boolean,
): Generator<Tie> {
  const sets = new StateSets(variables);
  const states = variables[pair.variable]?.states ?? [];
  for (const state of states.keys()) {
    if (state === 0) continue;
    const only = states.map((_, at) => at === state);
    for (const tie of sets.apart(one, other, (a, b) => b === 0 || canBe(a, b, state)))
      yield [...tie, [pair.variable, only]];
  }
}

/** Two names of one computed fact: their values are the same. */
export function* sameValueTies(
  variables: readonly Variable[],
  subjects: readonly Subject[],
  day: string,
): Generator<Tie> {
  const sets = new StateSets(variables);
  const computed = subjects.filter(({ facts, operands }) => facts.length === 1 && operands.length > 0);
  for (const [i, one] of computed.entries()) {
    for (const other of computed.slice(i + 1)) {
      if (one.facts[0] !== other.facts[0]) continue;
      const relationsOf = comparer(variables, one.variable, other.variable, day);
      yield* sets.apart(one, other, (a, b) => b === 0 || relationsOf(a, b).has('same'));
    }
  }
}

/** A count and one that it is part of: it is not the greater one, and both are known or neither is. */
export function* countTies(variables: readonly Variable[], sources: Sources, table: FactTable): Generator<Tie> {
  const sets = new StateSets(variables);
  for (const both of nestedCounts(table)) {
    const [parts, wholes] = both.map((path) => {
      return sources.of(path).map((of) => ({ ...of, byState: rangesByState(variables[of.variable]) }));
    });
    for (const part of parts ?? []) {
      for (const whole of wholes ?? []) {
        yield [sets.missing(part), sets.known(whole)];
        yield* sets.apart(part, whole, (a, b) => {
          const [less, more] = [part.byState[a], whole.byState[b]];
          return b !== 0 && less?.some(([least]) => more?.some(([, most]) => least <= most)) !== false;
        });
      }
    }
    for (const { variable, facts } of sources.pairs.filter(({ facts }) => both.every((path) => facts.includes(path)))) {
      const never = facts[0] === both[0] ? 'greater' : 'less';
      const relations = variables[variable]?.relations ?? [];
      yield [[variable, relations.map((each, state) => state > 0 && [...each].every((one) => one === never))]];
    }
  }
}

const ALL: ReadonlySet<Relation> = new Set<Relation>(['less', 'same', 'greater', 'different']);

/** How values in a state of one variable can compare with those in a state of another. */
function comparer(variables: readonly Variable[], one: number, other: number, day: string) {
  const [own, others] = [one, other].map((at) => variables[at]?.states.map((_, i) => valuesIn(variables[at], i, day)));
  const relations = new Map<number, ReadonlySet<Relation>>();
  return (a: number, b: number): ReadonlySet<Relation> => {
    const key = a * (others?.length ?? 0) + b;
    const cached = relations.get(key);
    if (cached) return cached;
    let possible = ALL;
    for (const left of own?.[a] ?? []) {
      for (const right of others?.[b] ?? []) possible = possible.intersection(relationsBetween(left, right));
    }
    relations.set(key, possible);
    return possible;
  };
}

/** By axis that is ordered, the values in a state of a known fact. */
function valuesIn(variable: Variable | undefined, state: number, day: string): readonly Values[] {
  const { axes = [], cells = [] } = variable ?? {};
  return axes.flatMap(({ numbers, firstValue }, a): readonly Values[] => {
    if (!numbers) return [];
    const { unit, steps } = numbers;
    const ownCells = cells[a]?.[state] ?? [];
    const ranges = ownCells.flatMap((cell) => {
      return cell < firstValue ? [] : [ranksOf(unit, endsOf(steps, cell - firstValue), day)];
    });
    return [{ ranges, canBeNever: firstValue === 2 && ownCells.includes(1) }];
  });
}

function relationsBetween(one: Values, other: Values): ReadonlySet<Relation> {
  const relations = new Set<Relation>();
  if (one.canBeNever && other.canBeNever) relations.add('same');
  if (one.canBeNever && other.ranges.length > 0) relations.add('different');
  if (other.canBeNever && one.ranges.length > 0) relations.add('different');
  for (const [least, most] of one.ranges) {
    for (const [from, to] of other.ranges) {
      if (least < to) relations.add('less');
      if (most > from) relations.add('greater');
      if (least <= to && from <= most) relations.add('same');
    }
  }
  return relations;
}
