/** A test -> the sentence that says what it asks, with `…` in place of its argument. */

import { type FactValue, NEVER } from '../../facts/fact.ts';
import { isOperator, operatorRow } from '../../policy/operators.ts';

/** The parts of a test that its sentence depends on. */
export interface AskedTest {
  readonly operator: string;
  readonly expected: unknown;
  /** The opposite is asked. */
  readonly negated?: true;
}

/** The sentence, written after the path of the fact; `isNegated`: it says the opposite of what is asked. */
export interface Sentence {
  readonly text: string;
  readonly isNegated: boolean;
}

/** Sentences of operators with a boolean argument, for false and for true; they need no argument. */
const WITHOUT_ARGUMENT: Readonly<Record<string, readonly [not: string, is: string]>> = {
  known: ['is not known', 'is known'],
  never: ['has happened', 'never happened'],
};

/** `lies within the last …`; `never happened`. */
export function sentenceOf({ operator, expected, negated }: AskedTest): Sentence {
  const isNegated = negated === true;
  const words = Object.hasOwn(WITHOUT_ARGUMENT, operator) ? WITHOUT_ARGUMENT[operator] : undefined;
  if (words && typeof expected === 'boolean') {
    return { text: words[expected === isNegated ? 0 : 1], isNegated: false };
  }
  return { text: isOperator(operator) ? operatorRow(operator).sentence : operator, isNegated };
}

/** Whether the sentence already says the value: `never happened` for never, `is not known` for a missing fact. */
export function saysValue(test: AskedTest, value: FactValue | undefined): boolean {
  return (value === undefined || value === NEVER) && !sentenceOf(test).text.includes('…');
}
