/** Policies on a day -> the variables that their active rules read, and the truth of each test in their states. */

import { sampleValues } from '../../decision/explain/model/sample-values.ts';
import { findCell } from '../../decision/matcher/find-cell.ts';
import { evaluateTest, factAt, TRUE, UNKNOWN } from '../../decision/meaning/truth.ts';
import { VerdictError } from '../../errors.ts';
import { factAsRead } from '../../facts/as-read.ts';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { factsAmong } from '../../facts/compute.ts';
import { type Fact, type FactValue, isMissing } from '../../facts/fact.ts';
import { NOT_GIVEN } from '../../facts/fact-reader.ts';
import { examplesOf } from '../../formats/example.ts';
import { WORLD } from '../../formats/geo/world.ts';
import { type Axis, Cells } from '../../policy/cells/cells.ts';
import { type Condition, type Policy, type Rule, rulesInEffect, type Test, testsOf } from '../../policy/language.ts';
import { type Copy, copiesOf, testsToCut } from './copies.ts';
import { jointTable } from './joint-table.ts';
import type { Subject } from './missing.ts';
import { textTreesIn } from './text-tree.ts';
import { tiesBetween } from './ties.ts';
import type { State, TestStates, Tie, Variable } from './variable.ts';

/** One of the policies that are compared, with the rules in effect on the day. */
export interface Side {
  readonly policy: Policy;
  readonly rules: readonly Rule[];
}

/** Everything that the policies can tell apart on a day. */
export interface Space {
  readonly day: string;
  readonly sides: readonly Side[];
  /** Conditions that no rule has to have. */
  readonly conditions: readonly Condition[];
  readonly variables: readonly Variable[];
  readonly ties: readonly Tie[];
  /** All samples of a fact, by path: more than one may lie in a state. */
  readonly samples: ReadonlyMap<string, readonly Fact[]>;
  /** The truth of a test of one of the policies. */
  statesOf(test: Test): TestStates;
}

/**
 * Builds the space of policies and of further conditions, whose facts are those of the last policy. Throws
 * REQUEST_INVALID for policies that declare a fact in ways that cannot be compared, and for a condition on a fact that
 * the last policy does not have.
 */
export function createSpace(policies: readonly Policy[], day: string, conditions: readonly Condition[] = []): Space {
  const sides = policies.map((policy): Side => ({ policy, rules: rulesInEffect(policy, day) }));
  const asked = new Map<string, AskedFact>();
  const askAll = (asking: readonly Condition[], policy: Policy) => {
    for (const test of new Set(asking.flatMap((condition) => [...testsOf(condition)]))) ask(asked, test, policy);
  };
  for (const { policy, rules } of sides) {
    askAll(
      rules.map(({ when }) => when),
      policy,
    );
  }
  const last = policies.at(-1);
  if (last) askAll(conditions, last);
  const builder = new Builder(sides, day);
  for (const [path, fact] of asked) builder.add(path, fact);
  return { ...builder.finish(), conditions };
}

/** A fact, and the tests of it with the definitions of the policies that ask them. */
interface AskedFact {
  readonly definitions: Set<FactDefinition>;
  readonly tests: { readonly test: Test; readonly definition: FactDefinition }[];
}

function ask(asked: Map<string, AskedFact>, test: Test, { facts }: Policy): void {
  const definition = facts.get(test.fact);
  if (!definition) throw new VerdictError('REQUEST_INVALID', `the policy has no fact ${test.fact}`);
  const known = asked.get(test.fact) ?? { definitions: new Set(), tests: [] };
  known.definitions.add(definition);
  known.tests.push({ test, definition });
  asked.set(test.fact, known);
}

/** The definitions of a fact. Throws REQUEST_INVALID unless values mean the same by all of them. */
export function comparable(path: string, definitions: Iterable<FactDefinition>): readonly FactDefinition[] {
  const forms = new Set(
    [...definitions].map(({ type, format, range, past, compute }) =>
      JSON.stringify([type, format, range, past, compute]),
    ),
  );
  if (forms.size === 1) return [...definitions];
  throw new VerdictError('REQUEST_INVALID', `the policies declare ${path} in ways that cannot be compared`);
}

class Builder {
  readonly #sides: readonly Side[];
  readonly #day: string;
  /** The facts of all policies. */
  readonly #table: FactTable;
  readonly #variables: Variable[] = [];
  readonly #truths = new Map<Test, TestStates>();
  readonly #samples = new Map<string, readonly Fact[]>();
  readonly #subjects: Subject[] = [];

  constructor(sides: readonly Side[], day: string) {
    this.#sides = sides;
    this.#day = day;
    this.#table = jointTable(sides.map(({ policy }) => policy));
  }

  /** Adds the variables of a fact. */
  add(path: string, { definitions, tests }: AskedFact): void {
    const [definition] = comparable(path, definitions) as readonly [FactDefinition];
    const copies = copiesOf(
      tests.map(({ test }) => test),
      this.#day,
    );
    const isJoint = (test: Test) => test.other !== undefined || definition.compute !== undefined;
    const joint = copies.filter(({ test }) => isJoint(test));
    const single = copies.filter(({ test }) => !isJoint(test));
    if (single.length > 0) this.#addSingle(path, single, tests, [...definitions]);
    if (joint.length > 0) this.#addAxes(joint);
  }

  finish(): Omit<Space, 'conditions'> {
    const truths = this.#truths;
    return {
      day: this.#day,
      sides: this.#sides,
      variables: this.#variables,
      ties: tiesBetween(this.#variables, this.#subjects, WORLD),
      samples: this.#samples,
      statesOf(test) {
        const states = truths.get(test);
        if (!states) throw new RangeError(`not a test of the policies: ${test.operator} of ${test.fact}`);
        return states;
      },
    };
  }

  /** A fact by itself: samples of its values, if they cover all combinations of its axes. */
  #addSingle(
    path: string,
    copies: readonly Copy[],
    tests: AskedFact['tests'],
    definitions: readonly FactDefinition[],
  ): void {
    const day = this.#day;
    const [definition] = definitions as readonly [FactDefinition];
    const cut = testsToCut(copies);
    const { axes } = new Cells(cut, this.#table);
    const values =
      definition.format === 'country'
        ? [...examplesOf('country')]
        : definitions.flatMap((each) => sampleValues({ definition: each, axes, tests: cut, present: undefined }, day));
    const samples = [...new Set<FactValue>(values)].map((value): Fact => ({ value }));
    this.#samples.set(path, samples);
    if (definition.type === 'string' && definition.format !== 'country' && !coversAll(axes, samples, day)) {
      this.#addAxes(copies);
      return;
    }
    const own = tests.filter(({ test }) => test.other === undefined);
    const truthsOf = (fact: Fact, on: string) =>
      own.map(({ test, definition: by }) => evaluateTest(test, factAsRead(by, fact), undefined, on));
    // A value that a policy cannot read is unknown to it, yet not missing to the other.
    const keyOf = (fact: Fact, on: string) => `${isMissing(fact)} ${truthsOf(fact, on).join('')}`;
    const groups = Map.groupBy([NOT_GIVEN, ...samples], (fact) => keyOf(fact, day));
    const indexes = new Map([...groups.keys()].map((key, i) => [key, i]));
    const inStates = [...groups.values()];
    const facts = inStates.map(plainest);
    // Most facts that are looked up are samples, and a large policy has thousands of tests of a fact.
    const known = (fact: Fact) => (isMissing(fact) ? undefined : fact.value);
    const bySample = new Map(inStates.flatMap((own, i) => own.map((fact) => [known(fact), i] as const)));
    const stateOf = (fact: Fact, on: string) =>
      (on === day ? bySample.get(known(fact)) : undefined) ?? indexes.get(keyOf(fact, on)) ?? -1;
    const truths = facts.map((fact) => truthsOf(fact, day));
    const variable = this.#push({
      path,
      states: facts.map((fact) => ({ fact, isMissing: isMissing(fact) })),
      axes,
      cells: axes.map((axis) => inStates.map((own) => cellsOf(axis, own, day))),
      find: (all, on = day) => stateOf(factAt(all, path), on),
    });
    for (const [i, { test }] of own.entries()) {
      this.#truths.set(test, {
        variable,
        isTrue: truths.map((each) => each[i] === TRUE),
        isUnknown: truths.map((each) => each[i] === UNKNOWN),
      });
    }
    this.#addSubject(variable, [path]);
  }

  /** A variable for each axis: parts of a text, a computed fact, one fact against another. */
  #addAxes(copies: readonly Copy[]): void {
    const cells = new Cells(testsToCut(copies), this.#table);
    const trees = new Map(
      textTreesIn(cells.axes).flatMap((tree) => [...tree.cells.keys()].map((axis) => [axis, tree])),
    );
    const indexes = new Map<Axis, number>();
    for (const axis of new Set(cells.axes.map((each) => trees.get(each)?.axis ?? each))) {
      const { fact, other } = axis;
      const states = axis.cells.map((_, i): State => ({ fact: i === 0 ? NOT_GIVEN : undefined, isMissing: i === 0 }));
      const variable = this.#push({
        path: fact,
        states,
        axes: [axis],
        cells: [states.map((_, i) => [i])],
        find: (all, on = this.#day) =>
          findCell(axis, factAt(all, fact), other === undefined ? undefined : factAt(all, other), on),
      });
      indexes.set(axis, variable);
      this.#addSubject(variable, other === undefined ? [fact] : [fact, other]);
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

  #addSubject(variable: number, facts: readonly string[]): void {
    const operands = facts.flatMap((path) => factsAmong(this.#table.get(path)?.compute?.operands ?? []));
    this.#subjects.push({ variable, facts, operands });
  }

  #push(variable: Variable): number {
    return this.#variables.push(variable) - 1;
  }
}

/** The first fact, or among numbers the shortest: 101 instead of the largest number there is. */
function plainest(facts: readonly Fact[]): Fact {
  const digits = (fact: Fact) => ('value' in fact && typeof fact.value === 'number' ? String(fact.value).length : 0);
  return facts.reduce((best, fact) => (digits(fact) < digits(best) ? fact : best));
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
