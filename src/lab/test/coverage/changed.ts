/** An earlier version of a policy -> whether a part of the policy means something else since then. */

import { type Condition, type Policy, type Rule, type Test, testsOf } from '../../../policy/language.ts';
import { isNamedList, type NamedList } from '../../../policy/operators.ts';
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
  const contents = new Map<NamedList, string>();
  const contentOf = (list: NamedList) => {
    const content = contents.get(list) ?? JSON.stringify([[...list.entries], list.blocks?.all]);
    contents.set(list, content);
    return content;
  };
  const meaningOf = (condition: Condition): unknown => {
    if (condition.kind === 'named') return meaningOf(condition.of[0]);
    if (condition.kind !== 'test') {
      return [condition.kind, 'count' in condition ? condition.count : 0, condition.of.map(meaningOf)];
    }
    const { key, fact, other, argument } = condition;
    const definitions = [facts.get(fact), other === undefined ? undefined : facts.get(other)];
    const [compared, forms] = [isNamedList(argument) ? contentOf(argument) : 0, definitions.map(formOf)];
    return [key, compared, forms];
  };
  const ofCondition = (condition: Condition) => JSON.stringify(meaningOf(condition));
  return {
    ofCondition,
    ofRule: ({ when, then, reason, points, final, whenUnknown, notice, shadow, from, until }) =>
      JSON.stringify([meaningOf(when), then, reason, points, final, whenUnknown, notice, shadow, from, until]),
    ofName: (key) => {
      const condition = conditions.get(key.replace(/^condition /, ''));
      return condition && ofCondition(condition);
    },
  };
}

/** What the truth of a test depends on in the definition of a fact. */
function formOf(definition: ReturnType<Policy['facts']['get']>): unknown {
  if (!definition) return undefined;
  const { type, values, format, range, past, compute } = definition;
  return [type, values, format, range, past, compute];
}
