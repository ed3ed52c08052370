/** A condition -> words: `phone.type is voip and phone.score is at least 80`. */

import { argumentWords, testWords } from '../../../decision/explain/sentence.ts';
import { shownArgument } from '../../../decision/meaning/listed.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import type { Condition, Test } from '../../../policy/language.ts';

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

/** The argument of a test as people may see it: `30 days`, `voip, pager`, `the listed value`. */
export function shownArgumentWords(test: Test, facts: FactTable): string {
  return test.other ?? argumentWords({ ...test, expected: shownArgument(test, facts) });
}
