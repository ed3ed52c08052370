/** The argument of a test -> the same as people may see it: of values of personal facts, only how many there are. */

import type { FactTable } from '../../facts/catalog.ts';
import { namesPersonalValue } from '../../policy/identities.ts';
import { isOperator } from '../../policy/operators.ts';

/** In the place of values of personal facts that a policy names: mostly those of other people. */
export interface ListedValues {
  /** How many there are. */
  readonly listed: number;
}

/** Whether an argument is in place of its values. */
export function isListed(argument: unknown): argument is ListedValues {
  return typeof argument === 'object' && argument !== null && Object.hasOwn(argument, 'listed');
}

/** Leaves out the values of personal facts; the name of a list, another fact and any other argument stay. */
export function shownArgument(
  { fact, operator, expected }: { readonly fact: string; readonly operator: string; readonly expected: unknown },
  table: FactTable,
): unknown {
  // Another fact (`{ fact }`), or left out already.
  const isOther = typeof expected === 'object' && expected !== null && !Array.isArray(expected);
  if (isOther || !isOperator(operator) || !namesPersonalValue({ fact, operator, other: undefined }, table))
    return expected;
  return { listed: Array.isArray(expected) ? expected.length : 1 } satisfies ListedValues;
}
