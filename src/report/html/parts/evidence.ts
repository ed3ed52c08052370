/** The tests that made a rule fire, with the values of their facts -> phrases. */

import { saysValue } from '../../../decision/explain/sentence.ts';
import type { Evidence } from '../../../decision/meaning/evidence.ts';
import { isPersonal } from '../../../policy/identities.ts';
import type { Child } from '../markup.ts';
import { factLabel, joined, type PhraseSetting, stateWords, testPhrase } from './phrases.ts';

/** What a rule found: its message, or the tests that made it fire. */
export function foundWords(message: string | undefined, evidence: readonly Evidence[], setting: PhraseSetting): Child {
  if (message !== undefined) return message;
  return joined(
    evidence.map((each) => evidencePhrase(each, setting)),
    '; ',
  );
}

/** A test with the value of its fact. The page never shows the values of personal facts. */
function evidencePhrase(evidence: Evidence, setting: PhraseSetting): Child {
  const { fact, other, value } = evidence;
  const met = (path: string, found: Evidence['value']) => {
    if (found === undefined) return 'missing';
    const isHidden = isPersonal(path, setting.table);
    return stateWords(isHidden ? { hidden: true } : { value: found }, path, setting);
  };
  return [
    testPhrase(evidence, setting),
    saysValue(evidence, value) ? undefined : [': ', met(fact, value)],
    other ? ['; ', factLabel(other.fact, setting.table), ': ', met(other.fact, other.value)] : undefined,
  ];
}
