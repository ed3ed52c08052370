/** A test -> the sentence that says what it asks, with `…` where its argument stands. */

import { type FactValue, NEVER } from '../../facts/fact.ts';
import { isOperator, operatorRow } from '../../policy/operators.ts';

/** What of a test its sentence depends on. */
export interface AskedTest {
  readonly operator: string;
  readonly expected: unknown;
  /** Its opposite is meant. */
  readonly negated?: true;
}

/** The sentence, behind the fact's path; `isNegated` where it says the opposite of what is meant. */
export interface Sentence {
  readonly text: string;
  readonly isNegated: boolean;
}

/** Operators whose argument is true or false: what they ask is said without it, the opposite first. */
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

/** Whether the sentence says already what the fact is: `never happened` of what never did, `is not known` of what is missing. */
export function saysValue(test: AskedTest, value: FactValue | undefined): boolean {
  return (value === undefined || value === NEVER) && !sentenceOf(test).text.includes('…');
}
