/** A condition and an applicant -> a similar applicant for whom it has some truth, at random: no proof, but fast. */

import { evaluate, evaluateTest, FALSE, negate, TRUE, type Truth, UNKNOWN } from '../../decision/meaning/truth.ts';
import { factsAmong } from '../../facts/compute.ts';
import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { NOT_GIVEN } from '../../facts/fact-reader.ts';
import { readFacts } from '../../facts/read.ts';
import { foldParts, type Logic } from '../../policy/fold.ts';
import type { Condition, Test } from '../../policy/language.ts';
import { derivableAmong, deriveFrom, inputValues } from './dependent-facts.ts';
import type { Reasoner } from './reasoner.ts';

/**
 * Changes the facts of an applicant, as far as it can, so that a condition has a truth, by default true. Undefined if
 * facts would be as none are that the engine derives.
 */
export type Draw = (condition: Condition, facts: Facts, truth?: Truth) => Facts | undefined;

/** The same draws in every run. */
export function createDraw({ space, table }: Pick<Reasoner, 'space' | 'table'>): Draw {
  const roll = createDice();
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[roll(items.length)];
  const derivable = derivableAmong(
    space.variables.map(({ path }) => path),
    table,
  );
  const samplesOf = (path: string): readonly Fact[] => space.samples.get(path) ?? [];
  const isKnown = (fact: Fact | undefined) => fact !== undefined && !isMissing(fact);

  /** Values of an input, each with the fact that is derived from it alone. */
  const pairs = new Map<string, readonly Pair[]>();
  const pairsOf = (path: string): readonly Pair[] => {
    const cached = pairs.get(path);
    if (cached) return cached;
    const derivation = derivable.find((each) => each.path === path);
    const [input, ...others] = derivation?.inputs ?? [];
    const valuesOf = (of: string) => samplesOf(of).flatMap((fact) => (isMissing(fact) ? [] : fact.value));
    const isAlone = derivation && input !== undefined && others.length === 0;
    const samplePairs = (isAlone ? inputValues(input, valuesOf(input), valuesOf) : []).flatMap((value): Pair[] => {
      const derived = derivation && deriveFrom(new Map([[input as string, { value }]]), derivation, space.day);
      return derived ? [{ input: { value }, derived }] : [];
    });
    pairs.set(path, samplePairs);
    return samplePairs;
  };

  const set = (test: Test, truth: Truth, facts: Map<string, Fact>): void => {
    const { fact: path, other } = test;
    const operands = table.get(path)?.compute?.operands;
    const inputs = derivable.find((each) => each.path === path)?.inputs ?? [];
    const isDerived = inputs.length > 0 && inputs.every((input) => isKnown(facts.get(input)));
    // Values that are near each other are as likely as others to be in the right order.
    const joint = operands ? factsAmong(operands) : other === undefined ? [] : [path, other];
    if (truth === UNKNOWN) {
      const from = operands ? joint : isDerived ? inputs : [path];
      const gone = pick(from);
      if (gone !== undefined) facts.set(gone, NOT_GIVEN);
      if (isDerived) facts.delete(path);
    } else if (joint.length > 0) {
      for (const each of joint) facts.set(each, pick(samplesOf(each)) ?? facts.get(each) ?? NOT_GIVEN);
    } else {
      const passes = (fact: Fact) => evaluateTest(test, fact, undefined, space.day) === truth;
      const [input] = inputs;
      const pair = isDerived && pick(pairsOf(path).filter(({ derived }) => passes(derived)));
      if (pair && input !== undefined) {
        facts.set(input, pair.input);
        return;
      }
      const { variable } = space.statesOf(test);
      const states = space.variables[variable]?.states ?? [];
      const passing = states.flatMap(({ fact }) => (fact && passes(fact) ? fact : []));
      const chosen = pick(passing) ?? pick(samplesOf(path).filter(passes));
      if (chosen) facts.set(path, chosen);
    }
  };

  const logic: Logic<Make> = {
    test: (test) => (truth, facts) => {
      if (evaluate(test, facts, space.day) !== truth) set(test, truth, facts);
    },
    not: (part) => (truth, facts) => part(negate(truth), facts),
    atLeast: (count, parts) => (truth, facts) => {
      const left = [...parts];
      const take = () => left.splice(roll(left.length), 1)[0];
      const makeSome = (number: number, wanted: Truth) => {
        for (const make of Array.from({ length: number }, take)) make?.(wanted, facts);
      };
      if (truth === TRUE) makeSome(count, TRUE);
      // It is false if all but `count - 1` parts are.
      if (truth === FALSE) makeSome(parts.length - count + 1, FALSE);
      if (truth === UNKNOWN) {
        makeSome(count - 1, TRUE);
        makeSome(1, UNKNOWN);
        makeSome(parts.length, FALSE);
      }
    },
  };
  const make = (condition: Condition): Make => {
    return (truth, facts) => foldParts(condition, logic, make)(truth, facts);
  };
  return (condition, facts, truth = TRUE) => {
    const drawn = new Map(facts);
    make(condition)(truth, drawn);
    for (const { path, inputs } of derivable)
      if (inputs.every((input) => isKnown(drawn.get(input)))) drawn.delete(path);
    const read = readFacts(drawn, table, space.day);
    const states = space.variables.map((variable) => variable.find(read));
    const isTied = space.ties.some((tie) => tie.every(([variable, set]) => set[states[variable] as number]));
    return isTied ? undefined : read;
  };
}

/** A value of an input, and the fact that is derived from it. */
interface Pair {
  readonly input: Fact;
  readonly derived: Fact;
}

/** Changes facts so that a condition has a truth. */
type Make = (truth: Truth, facts: Map<string, Fact>) => void;

/** Gives whole numbers below a limit. */
export type Dice = (below: number) => number;

/** A linear congruential generator (Numerical Recipes, ranqd1). */
export function createDice(): Dice {
  let state = 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
