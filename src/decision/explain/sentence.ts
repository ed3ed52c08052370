/** A test or a condition -> a sentence, with its argument or with `…` in its place. */

import type { FactTable } from '../../facts/catalog.ts';
import { type FactValue, NEVER } from '../../facts/fact.ts';
import type { Condition, Test } from '../../policy/language.ts';
import { isOperator, operatorRow, yearsWords } from '../../policy/operators.ts';
import { printable } from '../../text.ts';
import { isListed, shownArgument } from '../meaning/evidence.ts';

/** The parts of a test that its sentence depends on. */
export interface AskedTest {
  readonly operator: string;
  readonly expected: unknown;
  /** Whether the sentence states the opposite. */
  readonly negated?: true;
}

/** Sentences of operators with a boolean argument, for false and for true; they need no argument. */
const WITHOUT_ARGUMENT: Readonly<Record<string, readonly [not: string, is: string]>> = {
  known: ['is not known', 'is known'],
  never: ['has happened', 'never happened'],
};

/** The sentence, written after the path of the fact: `lies within the last …`; `never happened`. */
export function sentenceOf({ operator, expected, negated }: AskedTest): string {
  const isNegated = negated === true;
  const words = Object.hasOwn(WITHOUT_ARGUMENT, operator) ? WITHOUT_ARGUMENT[operator] : undefined;
  if (words && typeof expected === 'boolean') return words[expected === isNegated ? 0 : 1];
  if (!isOperator(operator)) return isNegated ? `not: ${operator}` : operator;
  const { sentence, negation } = operatorRow(operator);
  return isNegated ? negation : sentence;
}

/** Whether the sentence says the value already: `is web`, `never happened`, `is not known`. */
export function saysValue(test: AskedTest, value: FactValue | undefined): boolean {
  const sentence = sentenceOf(test);
  if (sentence === EQUAL) return typeof test.expected !== 'object' && String(test.expected) === String(value);
  return (value === undefined || value === NEVER) && !sentence.includes('…');
}

const EQUAL = operatorRow('is').sentence;

/** `phone.porting.portedDate lies within the last 30 days`. */
export function testWords({
  fact,
  other,
  ...test
}: AskedTest & { readonly fact: string; readonly other?: { readonly fact: string } }): string {
  const text = sentenceOf(test);
  const argument = other ? other.fact : argumentWords(test);
  return printable(`${fact} ${text.replace('…', () => argument)}`);
}

/** What a test compares with: `voip, pager`; `20 and 30` for a range. */
function argumentWords({ operator, expected }: AskedTest): string {
  return Array.isArray(expected) && isRange(operator) ? expected.map(valueWords).join(' and ') : valueWords(expected);
}

/** Whether an operator asks for a range. */
export function isRange(operator: string): boolean {
  return isOperator(operator) && operatorRow(operator).argument === 'range';
}

/** A value, or values, as people write them: `voip, pager`; `2 listed` for hidden values. */
export function valueWords(value: unknown): string {
  if (isListed(value)) return value.listed === 1 ? 'the listed value' : `${value.listed} listed`;
  if (Array.isArray(value)) return value.map(valueWords).join(', ');
  return typeof value === 'string' ? value : (yearsWords(value, valueWords) ?? JSON.stringify(value));
}

/** A condition in words. A named condition is its name. */
export function conditionWords(condition: Condition, facts: FactTable): string {
  return wordsOf(condition, facts, false);
}

function wordsOf(condition: Condition, facts: FactTable, isInside: boolean): string {
  if (condition.kind === 'named') return condition.name;
  if (condition.kind === 'test') {
    const { other, ...test } = condition;
    const expected = shownArgument(condition, facts);
    return testWords({ ...test, expected, ...(other === undefined ? {} : { other: { fact: other } }) });
  }
  if (condition.kind === 'not') return `not (${wordsOf(condition.of[0], facts, false)})`;
  const parts = condition.of.map((part) => wordsOf(part, facts, true));
  if (condition.kind === 'atLeastOf') return `at least ${condition.count} of (${parts.join('; ')})`;
  if (parts.length === 0) return 'anything';
  const text = parts.join(condition.kind === 'all' ? ' and ' : ' or ');
  return isInside && parts.length > 1 ? `(${text})` : text;
}

/** The argument of a test in words, without personal values: `30 days`, `voip, pager`, `the listed value`. */
export function shownArgumentWords(test: Test, facts: FactTable): string {
  return test.other ?? argumentWords({ ...test, expected: shownArgument(test, facts) });
}
