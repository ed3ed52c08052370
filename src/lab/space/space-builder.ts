/** The tests of facts on some days -> variables with states, the truth of each test in them, and ties between them. */

import { findCell } from '../../decision/matcher/cell-lookup.ts';
import { evaluateTest, factAt, TRUE, type Truth, UNKNOWN } from '../../decision/meaning/truth.ts';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { computationKey, computedIn, factsAmong } from '../../facts/compute.ts';
import { type Fact, type FactValue, isMissing } from '../../facts/fact.ts';
import { factAsDeclared, NOT_GIVEN } from '../../facts/fact-reader.ts';
import { examplesOf } from '../../platform/formats/example.ts';
import { WORLD } from '../../platform/formats/geo/world.ts';
import { IpBlocks, isNamedList, type NamedList } from '../../policy/arguments.ts';
import { type Axis, Cells } from '../../policy/cells/cells.ts';
import { sampleValues } from '../../policy/cells/sample-values.ts';
import type { Test } from '../../policy/language.ts';
import { listKey } from '../../policy/sameness.ts';
import { MOST_OWN_ENTRIES } from '../limits.ts';
import { CALENDAR } from './calendar.ts';
import { type ComparingTest, comparedFactsIn, textTreesIn } from './joined-axes.ts';
import type { Subject } from './ties/missing-ties.ts';
import { tiesBetween } from './ties/ties.ts';
import type { FactsOnDay, State, TestStates, Tie, Variable } from './variable.ts';

/** A test, with the definitions of its facts in the policy that asks. */
export interface AskedTest {
  readonly test: Test;
  readonly definition: FactDefinition;
  /** Of the fact that it compares with. */
  readonly other?: FactDefinition;
}

/** What the tests tell apart. */
export interface States {
  readonly variables: readonly Variable[];
  readonly ties: readonly Tie[];
  /** All samples of a fact, by path: more than one may lie in a state. */
  readonly samples: ReadonlyMap<string, readonly Fact[]>;
  /** The truth of a test of one of the policies. */
  statesOf(test: Test): TestStates;
}

/** A test of a policy, and the test by which cells are cut. */
type Copy = ReturnType<typeof copiesOf>[number];

/** Collects the tests of all facts. */
export class SpaceBuilder {
  readonly #days: readonly string[];
  readonly #day: string;
  readonly #table: FactTable;
  readonly #variables: Variable[] = [];
  readonly #truths = new Map<Test, TestStates>();
  readonly #samples = new Map<string, readonly Fact[]>();
  readonly #subjects: Subject[] = [];
  readonly #comparing: ComparingTest[] = [];
  /** The states in which no fact is on some of the days. */
  readonly #absent: Tie[] = [];

  /** Takes the facts of all policies, and days, ascending. */
  constructor(table: FactTable, days: readonly string[]) {
    this.#table = table;
    this.#days = days;
    this.#day = days[0] as string;
    if (days.length > 1) this.#addCalendar();
  }

  /** Adds the tests of a fact, given its definitions in the policies that read it. */
  add(path: string, tests: readonly AskedTest[], definitions: readonly FactDefinition[]): void {
    if (path === CALENDAR) {
      for (const { test } of tests) this.#addDays(test);
      return;
    }
    this.#comparing.push(...tests.flatMap(({ other, ...test }) => (other ? [{ ...test, other }] : [])));
    const single = tests.filter(({ other }) => other === undefined);
    const copies = copiesOf(
      single.map(({ test }) => test),
      this.#day,
    );
    if (copies.length === 0) return;
    if (definitions[0]?.compute) this.#addAxes(copies);
    else this.#addSingle(path, copies, single, definitions);
  }

  finish(): States {
    this.#addComparedFacts();
    const truths = this.#truths;
    return {
      variables: this.#variables,
      ties: [
        ...this.#absent,
        ...tiesBetween(this.#variables, this.#subjects, { days: this.#days, table: this.#table, geodata: WORLD }),
      ],
      samples: this.#samples,
      statesOf(test) {
        const states = truths.get(test);
        if (!states) throw new RangeError(`not a test of the policies: ${test.operator} of ${test.fact}`);
        return states;
      },
    };
  }

  /** The first variable: a state for each of the days. */
  #addCalendar(): void {
    const values = this.#days.map((day): State => ({ fact: { value: day }, isMissing: false }));
    const states: readonly State[] = [{ fact: NOT_GIVEN, isMissing: true }, ...values];
    const find: Variable['find'] = (_, on = this.#day) => Math.max(1, this.#days.findLastIndex((day) => day <= on) + 1);
    this.#push({ path: CALENDAR, states, axes: [], cells: [], find });
    this.#absent.push([[0, states.map(({ isMissing }) => isMissing)]]);
  }

  /** A test of the day. */
  #addDays(test: Test): void {
    const asked = new Set([test.argument].flat());
    const isTrue = [false, ...this.#days.map((day) => asked.has(day))];
    this.#truths.set(test, { variable: 0, isTrue, isUnknown: isTrue.map(() => false) });
  }

  /** A fact by itself: samples of its values, if they cover all combinations of its axes. */
  #addSingle(
    path: string,
    copies: readonly Copy[],
    tests: readonly AskedTest[],
    definitions: readonly FactDefinition[],
  ): void {
    const day = this.#day;
    const [definition] = definitions as readonly [FactDefinition];
    const cut = [...testsToCut(copies), ...valuesOfSome(copies, definitions)];
    const { axes } = new Cells(cut, this.#table);
    const samplesOn = (on: string): readonly Fact[] => {
      const values =
        definition.format === 'country'
          ? [...examplesOf('country')]
          : definitions.flatMap((each) => sampleValues({ definition: each, axes, tests: cut, present: undefined }, on));
      return [...new Set<FactValue>(values)].map((value): Fact => ({ value }));
    };
    const samples = samplesOn(day);
    this.#samples.set(path, samples);
    if (definition.type === 'string' && definition.format !== 'country' && !coversAll(axes, samples, day)) {
      this.#addAxes(copies);
      return;
    }
    const truthsOf = (fact: Fact, on: string) =>
      tests.map(({ test, definition: by }) => evaluateTest(test, factAsDeclared(by, fact), undefined, on));
    // A value that a policy cannot read is unknown to it, yet not missing to the other.
    const keyOf = (fact: Fact, on: string) => `${isMissing(fact)} ${truthsOf(fact, on).join('')}`;
    // Only dates have other values in a state on another day.
    const days = definition.type === 'date' ? this.#days : [day];
    const byDay = days.map((on) => {
      const facts = on === day ? samples : samplesOn(on);
      return { on, facts, groups: Map.groupBy([NOT_GIVEN, ...facts], (fact) => keyOf(fact, on)) };
    });
    const keys = [...new Set(byDay.flatMap(({ groups }) => [...groups.keys()]))];
    const indexes = new Map(keys.map((key, i) => [key, i]));
    const factsOn = byDay.map(({ on, facts, groups }): [string, FactsOnDay] => {
      return [on, { inStates: keys.map((key) => plainest(groups.get(key) ?? [])), samples: facts }];
    });
    // Most facts that are looked up are samples, and a large policy has thousands of tests of a fact.
    const knownValueOf = (fact: Fact) => (isMissing(fact) ? undefined : fact.value);
    const [first] = byDay as [(typeof byDay)[number]];
    const bySample = new Map(
      keys.flatMap((key, i) => (first.groups.get(key) ?? []).map((fact) => [knownValueOf(fact), i])),
    );
    const stateOf = (fact: Fact, on: string) =>
      (on === day ? bySample.get(knownValueOf(fact)) : undefined) ?? indexes.get(keyOf(fact, on)) ?? -1;
    const truths = keys.map((key) => {
      const { on, groups } = byDay.find((each) => each.groups.has(key)) ?? first;
      return truthsOf((groups.get(key) as [Fact])[0], on);
    });
    const cellsIn = (axis: Axis, key: string) => [
      ...new Set(byDay.flatMap(({ on, groups }) => cellsOf(axis, groups.get(key) ?? [], on))),
    ];
    const variable = this.#push({
      path,
      states: keys.map((_, i) => ({ fact: factsOn[0]?.[1].inStates[i], isMissing: i === 0 })),
      axes,
      cells: axes.map((axis) => keys.map((key) => cellsIn(axis, key))),
      ...(days.length > 1 ? { factsOn: new Map(factsOn) } : {}),
      find: (all, on = day) => stateOf(factAt(all, path), on),
    });
    for (const [d, [, { inStates }]] of factsOn.entries()) {
      const absent = inStates.map((fact) => fact === undefined);
      const onlyThen = [false, ...days.map((_, i) => i === d)];
      if (absent.includes(true))
        this.#absent.push([
          [0, onlyThen],
          [variable, absent],
        ]);
    }
    for (const [i, { test }] of tests.entries()) {
      this.#truths.set(test, {
        variable,
        isTrue: truths.map((each) => each[i] === TRUE),
        isUnknown: truths.map((each) => each[i] === UNKNOWN),
      });
    }
    this.#addSubject(variable, [path]);
  }

  /** A variable for each axis: parts of a text, a computed fact. */
  #addAxes(copies: readonly Copy[]): void {
    const cells = new Cells(testsToCut(copies), this.#table);
    const trees = new Map(
      textTreesIn(cells.axes).flatMap((tree) => [...tree.cells.keys()].map((axis) => [axis, tree])),
    );
    const indexes = new Map<Axis, number>();
    for (const axis of new Set(cells.axes.map((own) => trees.get(own)?.axis ?? own))) {
      indexes.set(axis, this.#addAxis(axis));
    }
    for (const { test, copy } of copies) {
      const { axis, isTrue, isUnknown } = cells.of(copy);
      const tree = trees.get(axis);
      const states = tree?.cells.get(axis) ?? [...axis.cells.keys()];
      const setOf = (bits: bigint) => states.map((cell) => ((bits >> BigInt(cell)) & 1n) === 1n);
      const variable = indexes.get(tree?.axis ?? axis) as number;
      this.#truths.set(test, { variable, isTrue: setOf(isTrue), isUnknown: setOf(isUnknown) });
    }
  }

  /** A variable for each two facts that are compared. */
  #addComparedFacts(): void {
    for (const { axis, relations, truths } of comparedFactsIn(this.#comparing, this.#table)) {
      const variable = this.#addAxis(axis, { relations });
      for (const [test, byState] of truths) {
        const setOf = (truth: Truth) => byState.map((each) => each === truth);
        this.#truths.set(test, { variable, isTrue: setOf(TRUE), isUnknown: setOf(UNKNOWN) });
      }
    }
  }

  /** A variable whose states are the cells of an axis. */
  #addAxis(axis: Axis, more: Pick<Variable, 'relations'> = {}): number {
    const { fact, other } = axis;
    const states = axis.cells.map((_, i): State => ({ fact: i === 0 ? NOT_GIVEN : undefined, isMissing: i === 0 }));
    const variable = this.#push({
      path: fact,
      states,
      axes: [axis],
      cells: [states.map((_, i) => [i])],
      ...more,
      find: (all, on = this.#day) =>
        findCell(axis, factAt(all, fact), other === undefined ? undefined : factAt(all, other), on),
    });
    this.#addSubject(variable, other === undefined ? [fact] : [fact, other]);
    return variable;
  }

  #addSubject(variable: number, facts: readonly string[]): void {
    const operands = facts.flatMap((path) => factsAmong(this.#table.get(path)?.compute?.operands ?? []));
    this.#subjects.push({ variable, facts: facts.map((path) => this.#computedAs(path)), operands });
  }

  /** The first fact that is computed like this one; a fact that is not computed is its own. */
  #computedAs(path: string): string {
    const keys = new Map(
      computedIn(this.#table)
        .entries()
        .map(([each, by]) => [each, computationKey(by)]),
    );
    return keys.entries().find(([, key]) => key === keys.get(path))?.[0] ?? path;
  }

  #push(variable: Variable): number {
    return this.#variables.push(variable) - 1;
  }
}

/**
 * Copies of the tests of one fact in several policies, for common cells. Their keys are equal where they ask the same
 * on a day: a list that is not the same in two policies is two lists.
 */
function copiesOf(tests: readonly Test[], day: string) {
  const lists = new Set(tests.flatMap(({ argument }) => (isNamedList(argument) ? [argument] : [])));
  const onDay = new Map([...lists].map((list) => [list, listOn(day, list)]));
  const contents = new Map([...onDay].map(([list, on]) => [list, listKey(on)]));
  return tests.map((test) => {
    const { argument, key } = test;
    if (!isNamedList(argument)) return { test, copy: test };
    const named = [...lists].filter(({ name }) => name === argument.name);
    const versions = [...new Set(named.map((list) => contents.get(list)))];
    const at = versions.indexOf(contents.get(argument));
    // The policies come in their order: the list of the last keeps its name.
    const isLast = at === versions.length - 1;
    const name = isLast ? argument.name : `the old ${argument.name}${at === 0 ? '' : ` ${at + 1}`}`;
    const list = { ...(onDay.get(argument) ?? argument), name };
    return { test, copy: { ...test, key: `${key} ${at}`, argument: list, expected: name } };
  });
}

/** The entries that count on a day, and no others: it is asked on no other day. */
function listOn(day: string, list: NamedList): NamedList {
  const counts = (until: string | undefined) => until === undefined || day <= until;
  const blocks = list.blocks?.all.filter(({ until }) => counts(until));
  return {
    ...list,
    entries: new Map([...list.entries].filter(([, until]) => counts(until)).map(([text]) => [text, undefined])),
    ...(blocks ? { blocks: new IpBlocks(blocks.map((block) => ({ ...block, until: undefined }))) } : {}),
  };
}

/**
 * The tests that cut the cells of a fact: the copies, and a test of the texts that only some versions of a list have,
 * so that each of them is a cell.
 */
function testsToCut(copies: readonly Copy[]): readonly Test[] {
  const tests = [...new Map(copies.map(({ copy }) => [copy.key, copy])).values()];
  const listed = copies.flatMap(({ test, copy: { argument } }) =>
    isNamedList(test.argument) && isNamedList(argument) ? [{ test, name: test.argument.name, list: argument }] : [],
  );
  const changed = new Set<string>();
  for (const versions of Map.groupBy(listed, ({ name }) => name).values()) {
    const [first, ...others] = new Map(versions.map(({ list }) => [list.name, list])).values();
    for (const { entries } of others) for (const entry of differing(first?.entries, entries)) changed.add(entry);
  }
  const [any] = listed;
  if (!any || changed.size === 0 || changed.size > MOST_OWN_ENTRIES) return tests;
  return [...tests, { ...any.test, operator: 'in', argument: [...changed], key: 'the entries of some versions' }];
}

type Entries = NamedList['entries'];

function differing(one: Entries | undefined, other: Entries): Iterable<string> {
  return new Set(one?.keys()).symmetricDifference(new Set(other.keys()));
}

/** A test of the values of an enum that only some policies list, so that each of them is a cell. */
function valuesOfSome([any]: readonly Copy[], definitions: readonly FactDefinition[]): readonly Test[] {
  const lists = definitions.map(({ values = [] }) => new Set(values));
  const listed = lists.reduce((all, each) => all.union(each), new Set<string>());
  const argument = [...listed].filter((value) => lists.some((each) => !each.has(value)));
  const ranges = new Map(definitions.map(({ range }) => [range?.join(), range]));
  if (!any) return [];
  return [
    ...(argument.length > 0
      ? [{ ...any.test, operator: 'in', argument, key: 'the values of some policies' } as const]
      : []),
    ...[...ranges].flatMap(([key, range]): Test[] =>
      range && ranges.size > 1 ? [{ ...any.test, operator: 'between', argument: range, key: `the range ${key}` }] : [],
    ),
  ];
}

/** The first fact, or among numbers the shortest: 101 instead of the largest number there is. Undefined for none. */
function plainest([first, ...others]: readonly Fact[]): Fact | undefined {
  const digits = (fact: Fact) => ('value' in fact && typeof fact.value === 'number' ? String(fact.value).length : 0);
  return first && others.reduce((best, fact) => (digits(fact) < digits(best) ? fact : best), first);
}

/** The cells in which facts lie, each once. */
function cellsOf(axis: Axis, facts: readonly Fact[], day: string): readonly number[] {
  return [...new Set(facts.map((fact) => findCell(axis, fact, undefined, day)))];
}

/** Whether the samples lie in every combination of cells of the axes. */
function coversAll(axes: readonly Axis[], samples: readonly Fact[], day: string): boolean {
  const combinations = axes.reduce((product, axis) => product * (axis.cells.length - axis.firstValue), 1);
  if (samples.length < combinations) return false;
  const covered = new Set(samples.map((fact) => axes.map((axis) => findCell(axis, fact, undefined, day)).join()));
  return covered.size >= combinations;
}
