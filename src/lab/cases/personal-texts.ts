/** Policies -> the values of personal facts in them. They may be those of a real person, and are never written. */

import type { FactTable, FactType } from '../../facts/catalog.ts';
import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { type IpBlock, ipNumber } from '../../platform/formats/ip.ts';
import { isNamedList } from '../../policy/arguments.ts';
import { isPersonal, namesPeople, namesPersonalValue } from '../../policy/identities.ts';
import { type Policy, testsOf } from '../../policy/language.ts';

/** The types of few values, which many people share. */
const SHARED: ReadonlySet<FactType | undefined> = new Set(['boolean', 'enum', 'level']);

/** Whether a value of a fact may identify a person. */
export function mayIdentify(path: string, facts: FactTable): boolean {
  return isPersonal(path, facts) && !SHARED.has(facts.get(path)?.type);
}

/** Whether one of the policies, or a list of it, names a value of a personal fact. A limit is not such a value. */
export function personalTextsOf(policies: readonly Policy[]): (path: string, fact: Fact) => boolean {
  const tests = policies.flatMap(({ rules, guarantees, facts }) =>
    [...rules, ...guarantees]
      .flatMap(({ when }) => [...testsOf(when)])
      .filter(
        ({ argument, ...test }) =>
          mayIdentify(test.fact, facts) &&
          namesPeople(test.fact, facts) &&
          (isNamedList(argument) || namesPersonalValue(test, facts)),
      ),
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

/** Whether a fact of a case has such a value: a file of tests is read by more people than a list of persons. */
export function withholdsFor(policies: readonly Policy[]): (facts: Facts) => boolean {
  const isOfPolicy = personalTextsOf(policies);
  return (facts) => [...facts].some(([path, fact]) => isOfPolicy(path, fact));
}
