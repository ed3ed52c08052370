/** Policies and cases -> sentences about them without entries of lists, and without texts of personal facts. */

import { withoutAddresses } from '../../diagnostics.ts';
import { isMissing } from '../../facts/fact.ts';
import type { TestCase } from '../../lab/test/test-case.ts';
import { fold } from '../../platform/formats/fold.ts';
import { isNamedList } from '../../policy/arguments.ts';
import { testsIn } from '../../policy/check/context.ts';
import { isPersonal } from '../../policy/identities.ts';
import type { Policy } from '../../policy/language.ts';
import { entriesOf } from '../../policy/sameness.ts';

const NOT_SHOWN = '(not shown)';

/** Words, and what stands between them, each character by itself. */
const PARTS = /[^\s,;:()"']+|[\s,;:()"']/g;

function partsOf(text: string): readonly string[] {
  return text.match(PARTS) ?? [];
}

/** Gives what hides these texts in a sentence, and addresses and long numbers in any case. */
export function hiderOf(policies: readonly Policy[], cases: readonly TestCase[]): (sentence: string) => string {
  const hidden = new Set([...policies.flatMap((each) => [...textsOfPolicy(each)]), ...cases.flatMap(textsOfCase)]);
  const lengths = [...new Set([...hidden].map((text) => partsOf(text).length))].sort((one, other) => other - one);
  return (sentence) => {
    const parts = partsOf(sentence);
    let shown = '';
    for (let at = 0; at < parts.length; ) {
      const isHidden = (length: number) => {
        const text = parts.slice(at, at + length).join('');
        return text === text.trim() && hidden.has(folded(text));
      };
      const length = lengths.find(isHidden);
      shown += length === undefined ? parts[at] : NOT_SHOWN;
      at += length ?? 1;
    }
    return withoutAddresses(shown);
  };
}

function folded(text: string): string {
  return fold(text) ?? text;
}

function* textsOfPolicy(policy: Policy): Generator<string> {
  const { facts, lists } = policy;
  for (const list of lists.values()) yield* entriesOf(list).keys();
  for (const { fact, expected, argument } of testsIn(policy)) {
    if (isPersonal(fact, facts) && !isNamedList(argument)) yield* textsIn(expected);
  }
}

function textsOfCase({ facts, policy }: TestCase): readonly string[] {
  return [...facts].flatMap(([path, fact]) => {
    return isMissing(fact) || !isPersonal(path, policy.facts) ? [] : textsIn(fact.value);
  });
}

function textsIn(value: unknown): readonly string[] {
  return [value].flat().flatMap((each) => (typeof each === 'string' && each.trim() !== '' ? folded(each) : []));
}
