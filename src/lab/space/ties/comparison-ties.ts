/** What states say of facts, and of how two of them compare -> the states that exclude each other. */

import type { FactTable } from '../../../facts/catalog.ts';
import type { Fact, Facts } from '../../../facts/fact.ts';
import { NOT_GIVEN } from '../../../facts/fact-reader.ts';
import { isAlwaysDerived } from '../../../policy/cells/derivations.ts';
import { nestedCounts } from '../../../policy/cells/nested-counts.ts';
import type { Tie } from '../variable.ts';
import { always, apart, inStates, type Reader, type Tied } from './apart.ts';
import { known, missing, type Subject } from './missing-ties.ts';
import { relationsBetween, type Sources } from './sources.ts';

/** Tests of one fact, each with a variable of its own, and of the text that it is derived from: there is one value. */
export function* oneValueTies(subjects: readonly Subject[], sources: Sources): Generator<Tie> {
  const single = subjects.filter(({ facts }) => facts.length === 1);
  for (const [fact, own] of Map.groupBy(single, ({ facts }) => facts[0] as string)) {
    const [readers, inputs] = [own.map((each) => sources.values(each)), sources.inputs(fact)];
    for (const [i, one] of readers.entries()) {
      for (const other of [...readers.slice(i + 1), ...inputs])
        yield* apart([one, other], (each) => (another) => relationsBetween(each, another).has('same'));
      if (!isAlwaysDerived(fact)) continue;
      for (const input of inputs) yield [known(input, sources.variables), missing(one, sources.variables)];
    }
  }
}

/** Two facts, and what tells how they compare: what is said of both, and all values of facts that have few. */
export function* comparisonTies(sources: Sources): Generator<Tie> {
  const { pairs, derived, table, variables, calendar, firstDay } = sources;
  for (const { facts, ...comparison } of [...pairs, ...derived]) {
    const isDated = facts.some((fact) => table.get(fact)?.type === 'date');
    yield* inStates(isDated ? calendar : always(firstDay), function* (day) {
      const [left = [], right = []] = facts.map((fact) => {
        return [...sources.of(fact).map((each) => sources.values(each, day)), ...sources.inputs(fact)];
      });
      for (const one of left) {
        for (const other of right) {
          yield* apart([one, other, comparison], (each) => (another) => {
            const possible = relationsBetween(each, another);
            return (relations) => !possible.isDisjointFrom(relations);
          });
        }
      }
    });
  }
  for (const one of derived) {
    for (const pair of pairs.filter(({ facts }) => facts.every((fact) => one.facts.includes(fact)))) {
      yield [known(pair, variables), missing(one, variables)];
      yield* apart([pair, one], (relations) => (others) => !relations.isDisjointFrom(others));
    }
    const [left = [], right = []] = one.facts.map((fact) => sources.of(fact));
    for (const each of left) {
      for (const other of right) yield [known(each, variables), known(other, variables), missing(one, variables)];
    }
  }
  yield* valueTies(sources);
}

function* valueTies(sources: Sources): Generator<Tie> {
  for (const pair of sources.pairs) {
    const [one, other] = pair.facts as [string, string];
    const otherValues = fewValues(other, sources.table);
    const everybody = fewValues(one, sources.table).flatMap((fact) =>
      otherValues.map((otherFact): Facts => {
        return new Map([
          [one, fact],
          [other, otherFact],
        ]);
      }),
    );
    if (everybody.length === 0) continue;
    const [left, right] = [one, other].map((path) => {
      const tied: readonly Tied[] = sources.of(path);
      return tied.length > 0 ? tied : [always(path)];
    }) as [readonly Tied[], readonly Tied[]];
    for (const each of left) {
      for (const another of right) yield* tiesAmong([each, another, pair], everybody, sources);
    }
  }
}

/** All facts with values of an enum or a boolean, and the missing one; none of others. */
function fewValues(path: string, table: FactTable): readonly Fact[] {
  const { type, values = [] } = table.get(path) ?? {};
  const few = type === 'boolean' ? [true, false] : type === 'enum' ? values : [];
  return few.length > 0 ? [NOT_GIVEN, ...few.map((value) => ({ value }))] : [];
}

/** The states of variables in which no applicant of a sample is; the sample stands for all applicants. */
export function tiesAmong(
  [one, other, third]: readonly [Tied, Tied, Tied],
  everybody: readonly Facts[],
  { variables }: Sources,
): Iterable<Tie> {
  const own = [one, other, third].map(({ variable }) => variables[variable]);
  const seen = new Set(everybody.map((facts) => own.map((each) => each?.find(facts) ?? 0).join()));
  const statesOf = ({ variable }: Tied): Reader<number> => {
    return { variable, says: variables[variable]?.states.map((_, state) => state) ?? [0] };
  };
  return apart([statesOf(one), statesOf(other), statesOf(third)], (a) => (b) => (c) => seen.has(`${a},${b},${c}`));
}

/** A count and one that it is part of: it is not the greater one, and known where the same within longer is. */
export function* countTies(sources: Sources): Generator<Tie> {
  const { table, variables, pairs } = sources;
  for (const { part: less, whole: more, areAlike } of nestedCounts(table)) {
    const both = [less, more];
    const [parts = [], wholes = []] = both.map((path) => sources.numbers(path));
    for (const part of parts) {
      for (const whole of wholes) {
        if (areAlike) yield [missing(part, variables), known(whole, variables)];
        yield* apart([part, whole], (one) => (other) => one.some(([least]) => other.some(([, most]) => least <= most)));
      }
    }
    for (const { variable, facts, says } of pairs.filter(({ facts }) => both.every((path) => facts.includes(path)))) {
      const never = facts[0] === both[0] ? 'greater' : 'less';
      yield [[variable, says.map((relations) => relations?.size === 1 && relations.has(never))]];
    }
  }
}
