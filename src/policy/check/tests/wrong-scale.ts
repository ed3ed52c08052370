/** Fractions below 1 that are compared with a fact on a larger scale -> warnings. */

import type { FactDefinition } from '../../../facts/catalog.ts';
import type { Test } from '../../language.ts';
import { type Check, testsIn } from '../context.ts';
import { numbersOf } from './numbers.ts';

/** The greatest value of a scale: with less, 0.8 may be a value; what goes further is no scale. */
const GREATEST = { least: 10, most: 10_000 } as const;

export function checkScales({ policy, nodes, warn }: Check): void {
  for (const [fact, tests] of Map.groupBy(testsIn(policy), (test) => test.fact)) {
    const greatest = scaleOf(policy.facts.get(fact));
    // A policy with a limit such as 14.5 tells tenths of a point apart.
    if (greatest === undefined || tests.flatMap(numbersOf).some(isFineLimit)) continue;
    for (const test of tests) {
      const fraction = fractionIn(test);
      if (fraction === undefined) continue;
      const message = `${fact} is a number from 0 to ${greatest}, and ${fraction} is less than 1`;
      // As written by hand: without the error of the product.
      const meant = Number((fraction * greatest).toPrecision(12));
      warn(nodes.get(test), 'wrong-scale', message, `did you mean ${meant}?`);
    }
  }
}

/** The greatest value of a number that goes from 0 to 100, or the like. */
function scaleOf(definition: FactDefinition | undefined): number | undefined {
  const { type, range: [least, most] = [0, 0] } = definition ?? {};
  return type === 'number' && least === 0 && most >= GREATEST.least && most <= GREATEST.most ? most : undefined;
}

function isFineLimit(number: number): boolean {
  return number > 1 && !Number.isInteger(number);
}

/** A number between 0 and 1, if all numbers of a test are on this scale. */
function fractionIn(test: Test): number | undefined {
  const numbers = numbersOf(test);
  return numbers.every((number) => number >= 0 && number <= 1) ? numbers.find((number) => number % 1 > 0) : undefined;
}
