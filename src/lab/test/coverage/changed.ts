/** An earlier version of a policy -> whether a part of the policy means something else since then. */

import { isNamedList } from '../../../policy/arguments.ts';
import { type Condition, type Policy, type Rule, type Test, testsOf } from '../../../policy/language.ts';
import { createConditionKey, createRuleKey, definitionKey, listKey, questionKey } from '../../../policy/sameness.ts';
import type { Item } from './item.ts';

/** Tells which items an edit touched: by what they mean, whatever they are called and wherever they stand. */
export function changedSince(old: Policy, now: Policy): (item: Item) => boolean {
  const [before, after] = [meaningsIn(old), meaningsIn(now)];
  const same = new Set(old.rules.map(before.ofRule));
  const isNew = now.rules.map((rule) => !same.has(after.ofRule(rule)));
  const oldRules = new Map(old.rules.map((rule) => [rule.id, rule]));
  const known = new Map<Rule, ReadonlySet<string>>();
  const testsBefore = (rule: Rule): ReadonlySet<string> => {
    const was = oldRules.get(rule.id);
    const tests = known.get(rule) ?? new Set(was && [...testsOf(was.when)].map(before.ofCondition));
    known.set(rule, tests);
    return tests;
  };
  const others = (policy: Policy): Readonly<Record<string, unknown>> => ({
    'band review': policy.score.review,
    'band reject': policy.score.reject,
    'notice score': policy.scoreNotice,
    'notice default': policy.defaultNotice,
  });
  const [othersBefore, othersAfter] = [others(old), others(now)];
  return ({ key, kind, rules, subject }) => {
    if (!rules) return JSON.stringify(othersBefore[key]) !== JSON.stringify(othersAfter[key]);
    if (kind === 'condition') return after.ofCondition(subject as Condition) !== before.ofName(key);
    const touched = rules.filter((rule) => isNew[rule]).map((rule) => now.rules[rule] as Rule);
    if (kind !== 'test' && kind !== 'border') return touched.length > 0;
    const meaning = after.ofCondition(subject as Test);
    return touched.some((rule) => !testsBefore(rule).has(meaning));
  };
}

/** Texts that are equal for rules and conditions of one meaning. */
interface Meanings {
  ofRule(rule: Rule): string;
  ofCondition(condition: Condition): string;
  /** Of a named condition, by the key of its item. */
  ofName(key: string): string | undefined;
}

function meaningsIn({ facts, conditions }: Policy): Meanings {
  const formOf = (path: string | undefined) => {
    const definition = path === undefined ? undefined : facts.get(path);
    return definition ? definitionKey(definition, 'meaning', 'values') : '';
  };
  const ofCondition = createConditionKey({
    test: (test) => {
      const { fact, other, argument } = test;
      return [questionKey(test), isNamedList(argument) ? listKey(argument) : '', formOf(fact), formOf(other)].join(' ');
    },
  });
  return {
    ofCondition,
    ofRule: createRuleKey(['condition', 'outcome', 'unknown', 'reasons', 'activity'], ofCondition),
    ofName: (key) => {
      const condition = conditions.get(key.replace(/^condition /, ''));
      return condition && ofCondition(condition);
    },
  };
}
