/** A condition and an applicant -> a similar applicant for whom it is true, at random: no proof, but fast. */

import { evaluateTest, TRUE } from '../../decision/meaning/truth.ts';
import { factsAmong } from '../../facts/compute.ts';
import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import type { Condition, Test } from '../../policy/language.ts';
import { derivableAmong } from '../reasoning/derivable.ts';
import type { Reasoner } from '../reasoning/reasoner.ts';

/**
 * Changes the facts of an applicant, as far as it can, so that a condition is true. Undefined if facts would be as none
 * are that the engine derives.
 */
export type Draw = (condition: Condition, facts: Facts) => Facts | undefined;

/** The same draws in every run. */
export function createDraw({ space, table }: Reasoner): Draw {
  const roll = createDice();
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[roll(items.length)];

  const set = (test: Test, isWanted: boolean, facts: Map<string, Fact>): void => {
    const operands = table.get(test.fact)?.compute?.operands;
    if (operands || test.other !== undefined) {
      // Values that are near each other are as likely as others to be in the right order.
      const joint = operands ? factsAmong(operands) : [test.fact, test.other as string];
      for (const path of joint) facts.set(path, pick(space.samples.get(path) ?? []) ?? facts.get(path) ?? MISSING);
      return;
    }
    const { variable, isTrue, isUnknown } = space.statesOf(test);
    const states = space.variables[variable]?.states ?? [];
    const isRight = (at: number) => (isWanted ? isTrue[at] : !isTrue[at] && !isUnknown[at]);
    const known = states.flatMap(({ fact }, at) => (fact && isRight(at) ? fact : []));
    const chosen =
      pick(known) ?? pick((space.samples.get(test.fact) ?? []).filter((fact) => passes(test, fact) === isWanted));
    if (chosen) facts.set(test.fact, chosen);
  };
  const passes = (test: Test, fact: Fact) => evaluateTest(test, fact, undefined, space.day) === TRUE;

  const make = (condition: Condition, isWanted: boolean, facts: Map<string, Fact>): void => {
    if (condition.kind === 'test') {
      set(condition, isWanted, facts);
      return;
    }
    const parts = [...condition.of];
    const least = leastOf(condition);
    // It is false if all but `least - 1` parts are.
    for (let left = isWanted ? least : parts.length - least + 1; left > 0; left--) {
      const [part] = parts.splice(roll(parts.length), 1);
      if (part) make(part, isWanted !== (condition.kind === 'not'), facts);
    }
  };
  const derivable = derivableAmong(
    space.variables.map(({ path }) => path),
    table,
  );
  const isKnown = (fact: Fact | undefined) => fact !== undefined && !isMissing(fact);
  return (condition, facts) => {
    const drawn = new Map(facts);
    make(condition, true, drawn);
    for (const { path, inputs } of derivable)
      if (inputs.every((input) => isKnown(drawn.get(input)))) drawn.delete(path);
    const read = readFacts(drawn, table, space.day);
    const states = space.variables.map((variable) => variable.find(read));
    const isTied = space.ties.some((tie) => tie.every(([variable, set]) => set[states[variable] as number]));
    return isTied ? undefined : read;
  };
}

/** How many parts have to hold. */
function leastOf(condition: Exclude<Condition, Test>): number {
  if (condition.kind === 'atLeastOf') return condition.count;
  return condition.kind === 'all' ? condition.of.length : 1;
}

const MISSING: Fact = { missing: 'notGiven' };

/** A linear congruential generator (Numerical Recipes, ranqd1): gives whole numbers below a limit. */
function createDice(): (below: number) => number {
  let state = 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
