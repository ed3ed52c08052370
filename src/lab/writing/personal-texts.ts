/** Policies -> the values of personal facts in them: they may be those of somebody, and are never written. */

import { type Fact, isMissing } from '../../facts/fact.ts';
import { type IpBlock, ipNumber } from '../../formats/ip.ts';
import { isPersonal } from '../../policy/identities.ts';
import { type Policy, testsOf } from '../../policy/language.ts';
import { isNamedList } from '../../policy/operators.ts';

/** Whether one of the policies, or a list of it, names a value of a personal fact. */
export function personalTextsOf(policies: readonly Policy[]): (path: string, fact: Fact) => boolean {
  const tests = policies.flatMap(({ rules, facts }) =>
    rules.flatMap(({ when }) => [...testsOf(when)]).filter(({ fact }) => isPersonal(fact, facts)),
  );
  const byPath = Map.groupBy(tests, ({ fact }) => fact);
  const isOne = (text: string, { first, last }: IpBlock) => first === last && ipNumber(text) === first;
  return (path, fact) => {
    if (isMissing(fact) || typeof fact.value !== 'string') return false;
    const text = fact.value;
    return (byPath.get(path) ?? []).some(({ argument }) => {
      const named = isNamedList(argument) ? (argument.blocks?.all ?? []) : [argument].flat();
      const blocks = named.filter((each) => typeof each === 'object' && 'first' in each);
      if (blocks.some((block) => isOne(text, block))) return true;
      return isNamedList(argument) ? argument.entries.has(text) : [argument].flat().includes(text);
    });
  };
}
