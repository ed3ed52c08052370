/** A test -> the numbers that it compares with: limits, counts of days, completed years. */

import type { Argument } from '../../arguments.ts';
import type { Test } from '../../language.ts';

export function numbersOf({ argument }: Pick<Test, 'argument'>): readonly number[] {
  return argument === undefined ? [] : numbersIn(argument);
}

function numbersIn(argument: Argument): readonly number[] {
  if (typeof argument === 'number') return [argument];
  if (!Array.isArray(argument)) return [];
  return argument.flatMap((part: unknown) => {
    if (typeof part === 'number') return [part];
    return isYearsTest(part) ? numbersIn(part.argument) : [];
  });
}

function isYearsTest(part: unknown): part is { readonly argument: Argument } {
  return typeof part === 'object' && part !== null && 'argument' in part;
}
