/** Tests of one fact against another, or of parts of a text -> one axis that tells apart what they say together. */

import { evaluateTest, type Truth } from '../../decision/meaning/truth.ts';
import type { FactDefinition, FactTable, FactType } from '../../facts/catalog.ts';
import { type Fact, type FactValue, isMissing, NEVER } from '../../facts/fact.ts';
import { factAsDeclared, NOT_GIVEN } from '../../facts/fact-reader.ts';
import { type Axis, type Cell, STATES } from '../../policy/cells/cells.ts';
import type { TextForm } from '../../policy/cells/text-forms.ts';
import type { Test } from '../../policy/language.ts';
import type { Relation } from './variable.ts';

/** Several axes as one. The first cell is the missing one. */
export interface JoinedAxis {
  readonly axis: Axis;
  /** By each of the several axes, by cell of the joined one: the cell in which all of it lies on that axis. */
  readonly cells: ReadonlyMap<Axis, readonly number[]>;
}

/** An axis of values in these cells, by their words, after the missing one. */
function axisOf(
  about: Pick<Axis, 'fact' | 'other'>,
  words: readonly string[],
  methods: Pick<Axis, 'find' | 'formOf'>,
): Axis {
  const values = words.map((each): Cell => ({ state: 'value', words: each, witness: () => undefined }));
  const cells: readonly Cell[] = [{ state: 'missing', words: 'missing', witness: () => undefined }, ...values];
  const valueBits = (1n << BigInt(cells.length)) - 2n;
  return {
    subject: about.fact,
    ...about,
    cells,
    isOrdered: false,
    firstValue: 1,
    within: (states) => (states & STATES.missing ? 1n : 0n) | (states & STATES.value ? valueBits : 0n),
    ...methods,
  };
}

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
      return evaluateTest(test, factAsDeclared(by.definition, left), factAsDeclared(by.other, right), ANY_DAY);
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

const RELATION_WORDS = { less: 'less', same: 'the same', greater: 'greater', different: 'different' } as const;

/** Of values that one policy alone cannot read, the relation does not say enough: the values do. */
function wordsOf(group: readonly Example[], _: number, all: readonly (readonly Example[])[]): string {
  const words = (of: readonly Example[]) => [...new Set(of.map(([relation]) => RELATION_WORDS[relation]))].join(' or ');
  const isOnly = all.every((other) => other === group || words(other) !== words(group));
  return isOnly ? words(group) : group.map(([, value, otherValue]) => `${value} and ${otherValue}`).join(' or ');
}

/** Pairs of values that compare in every way that operators, and the definitions of policies, tell apart. */
function examplesOf(fact: string, other: string, table: FactTable): readonly Example[] {
  const type = table.get(fact)?.type ?? 'string';
  if (type !== 'enum') return EXAMPLES[type];
  return unordered([...new Set([fact, other].flatMap((path) => table.get(path)?.values ?? []))]);
}

/** One of the axes: its cells are the missing one, the texts with a start or an end, and all other texts. */
type Branch = NonNullable<ReturnType<typeof branchOf>>;

const [MISSING, HAS, HAS_NOT] = [0, 1, 2] as const;

const ENDS = { startsWith: 'starts', endsWith: 'ends' } as const;

/** The trees among some axes. Their cells are the longest start that a text has, in order, and last none of them. */
export function textTreesIn(axes: readonly Axis[]): readonly JoinedAxis[] {
  const branches = axes.flatMap((axis) => branchOf(axis) ?? []);
  const groups = Map.groupBy(branches, ({ axis, place }) => `${place} ${axis.fact}`);
  return [...groups.values()].flatMap((group) => (group.length > 1 ? treeOf(group) : []));
}

function branchOf(axis: Axis) {
  if (axis.cells.length !== 3) return undefined;
  const [part, ...others] = axis.formOf?.(HAS).oneOf ?? [];
  if (!part || others.length > 0) return undefined;
  const { place, text } = part;
  return place === 'startsWith' || place === 'endsWith' ? { axis, place, text } : undefined;
}

function treeOf(unsorted: readonly Branch[]): JoinedAxis {
  const [{ axis: first, place }] = unsorted as readonly [Branch];
  // A start comes before those that begin with it: the last one that a text has is the longest.
  const order = ({ text }: Branch) => (place === 'startsWith' ? text : [...text].reverse().join(''));
  const branches = unsorted.toSorted((one, other) => (order(one) < order(other) ? -1 : 1));
  const isIn = (outer: Branch, inner: Branch) => inner.text[place](outer.text);
  const parents = branches.map((each, i) => branches.slice(0, i).findLastIndex((outer) => isIn(outer, each)));
  /** The longer starts next to one; next to none, at -1, those that begin with no other. */
  const childrenOf = (at: number) => branches.filter((_, i) => parents[i] === at);
  const forms = [...branches.keys(), -1].map((at): TextForm => {
    const absent = childrenOf(at).map(({ axis }) => axis.formOf?.(HAS_NOT));
    return {
      oneOf: branches[at]?.axis.formOf?.(HAS).oneOf,
      lacks: (part) => absent.some((form) => form?.lacks(part)),
    };
  });
  const words = branches.map(({ text }, at) => {
    const longer = childrenOf(at).map((child) => JSON.stringify(child.text));
    const but = longer.length > 0 ? `, but not with ${longer.join(' or ')}` : '';
    return `a text that ${ENDS[place]} with ${JSON.stringify(text)}${but}`;
  });
  return {
    axis: axisOf({ fact: first.fact, other: undefined }, [...words, 'any other text'], {
      formOf: (cell) => forms[cell - HAS] as TextForm,
      find(fact, _, day) {
        if (isMissing(fact)) return MISSING;
        const at = branches.findLastIndex(({ axis }) => axis.find(fact, undefined, day) === HAS);
        return HAS + (at < 0 ? branches.length : at);
      },
    }),
    cells: new Map(
      branches.map((each) => [
        each.axis,
        [MISSING, ...[...branches, undefined].map((inner) => (inner && isIn(each, inner) ? HAS : HAS_NOT))],
      ]),
    ),
  };
}
