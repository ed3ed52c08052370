/** Tests of one fact against another, either way round -> the ways in which the two can compare. */

import { evaluateTest, type Truth } from '../../decision/meaning/truth.ts';
import { factAsRead } from '../../facts/as-read.ts';
import type { FactDefinition, FactTable, FactType } from '../../facts/catalog.ts';
import { type Fact, type FactValue, isMissing, NEVER } from '../../facts/fact.ts';
import { NOT_GIVEN } from '../../facts/fact-reader.ts';
import type { Axis } from '../../policy/cells/cells.ts';
import type { Test } from '../../policy/language.ts';
import { axisOf } from './joined-axis.ts';
import type { Relation } from './variable.ts';

/** A test, with both facts as its policy defines them: of an enum, it may not list all values of the other policy. */
export interface ComparingTest {
  readonly test: Test;
  readonly definition: FactDefinition;
  readonly other: FactDefinition;
}

/** Two facts, and the ways in which they compare as far as tests tell them apart: the cells after the missing one. */
export interface ComparedFacts {
  readonly axis: Axis;
  /** By cell. */
  readonly relations: readonly ReadonlySet<Relation>[];
  /** By test, by cell. */
  readonly truths: ReadonlyMap<Test, readonly Truth[]>;
}

/** Two values, and how the first compares with the second. */
type Example = readonly [Relation, FactValue, FactValue];

const ordered = (low: FactValue, high: FactValue): readonly Example[] => [
  ['same', low, low],
  ['less', low, high],
  ['greater', high, low],
];
const unordered = (values: readonly FactValue[]): readonly Example[] =>
  values.flatMap((one) => values.map((other): Example => [one === other ? 'same' : 'different', one, other]));

/** Values of a type that compare in every way that operators tell apart. */
const EXAMPLES: Readonly<Record<Exclude<FactType, 'enum'>, readonly Example[]>> = {
  number: ordered(1, 2),
  integer: ordered(1, 2),
  level: ordered('low', 'high'),
  date: [...ordered('2000-01-01', '2000-01-02'), ...unordered([NEVER, '2000-01-01'])],
  boolean: unordered([true, false]),
  string: unordered(['a', 'b']),
};

/** No comparison of two facts depends on the day. */
const ANY_DAY = '2000-01-01';

/** Each two facts that are compared, by the facts of all policies. */
export function comparedFactsIn(tests: readonly ComparingTest[], table: FactTable): readonly ComparedFacts[] {
  const groups = Map.groupBy(tests, ({ test }) => [test.fact, test.other].sort().join());
  return [...groups.values()].map((group) => compare(group, table));
}

function compare(tests: readonly ComparingTest[], table: FactTable): ComparedFacts {
  const [{ test: first }] = tests as readonly [ComparingTest];
  const { fact, other = fact } = first;
  const truthsOf = (one: Fact, another: Fact) =>
    tests.map(({ test, ...by }) => {
      const [left, right] = test.fact === fact ? [one, another] : [another, one];
      return evaluateTest(test, factAsRead(by.definition, left), factAsRead(by.other, right), ANY_DAY);
    });
  // A fact is the same as itself.
  const examples = examplesOf(fact, other, table).filter(([relation]) => fact !== other || relation === 'same');
  const groups = Map.groupBy(examples, ([, value, otherValue]) => truthsOf({ value }, { value: otherValue }).join(''));
  const indexes = new Map([...groups.keys()].map((key, i) => [key, i + 1]));
  const relations = [...groups.values()].map((group) => new Set(group.map(([relation]) => relation)));
  const representatives = [...groups.values()].map((group) => group[0] as Example);
  const truths = [
    truthsOf(NOT_GIVEN, NOT_GIVEN),
    ...representatives.map(([, value, otherValue]) => truthsOf({ value }, { value: otherValue })),
  ];
  return {
    axis: axisOf({ fact, other }, [...groups.values()].map(wordsOf), {
      find: (one, another = NOT_GIVEN) =>
        isMissing(one) || isMissing(another) ? 0 : indexes.get(truthsOf(one, another).join('')),
    }),
    relations: [new Set(), ...relations],
    truths: new Map(tests.map(({ test }, i) => [test, truths.map((each) => each[i] as Truth)])),
  };
}

const WORDS = { less: 'less', same: 'the same', greater: 'greater', different: 'different' } as const;

/** Of values that one policy alone cannot read, the relation does not say enough: the values do. */
function wordsOf(group: readonly Example[], _: number, all: readonly (readonly Example[])[]): string {
  const words = (of: readonly Example[]) => [...new Set(of.map(([relation]) => WORDS[relation]))].join(' or ');
  const isOnly = all.every((other) => other === group || words(other) !== words(group));
  return isOnly ? words(group) : group.map(([, value, otherValue]) => `${value} and ${otherValue}`).join(' or ');
}

/** Pairs of values that compare in every way that operators, and the definitions of policies, tell apart. */
function examplesOf(fact: string, other: string, table: FactTable): readonly Example[] {
  const type = table.get(fact)?.type ?? 'string';
  if (type !== 'enum') return EXAMPLES[type];
  return unordered([...new Set([fact, other].flatMap((path) => table.get(path)?.values ?? []))]);
}
