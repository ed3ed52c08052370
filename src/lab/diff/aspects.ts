/** Two policies over one space -> the rules that one has and the other has not, by what they mean. */

import type { Condition, Policy, Rule } from '../../policy/language.ts';
import type { Space } from '../space/space.ts';

/** The rules of both policies that mean the same, and those of each that the other has not. */
export interface Edits {
  readonly common: readonly Rule[];
  /** By side: the old policy first. */
  readonly own: readonly [old: readonly Rule[], now: readonly Rule[]];
}

/** What of policies is compared, as texts. */
export interface Aspect {
  /** Equal for rules that do the same where they are true, and where they are unknown. */
  effectOf(rule: Rule): string;
  /** Equal for policies that do the same with what their rules ask for. */
  settingsOf(policy: Policy): string;
}

/** What a policy decides. */
export const OUTCOME: Aspect = {
  effectOf: ({ then, points = 0, final, whenUnknown }) => JSON.stringify([then, points, final, whenUnknown]),
  settingsOf: ({ default: fallback, score: { review, reject } }) => JSON.stringify([fallback, review, reject]),
};

/** What a policy decides, and what it gives as reasons. */
export const REASONS: Aspect = {
  effectOf: (rule) => JSON.stringify([OUTCOME.effectOf(rule), rule.reason, rule.notice]),
  settingsOf: (policy) => JSON.stringify([OUTCOME.settingsOf(policy), policy.scoreNotice, policy.defaultNotice]),
};

/** Pairs the rules of two policies that mean the same, whatever they are called and wherever they stand. */
export function editsBetween(space: Space, { effectOf }: Aspect = OUTCOME): Edits {
  const meaningOf = (rule: Rule) => JSON.stringify([conditionMeaning(rule.when, space), effectOf(rule)]);
  const [old, now] = space.sides;
  const unpaired = new Map<string, Rule[]>();
  for (const rule of now?.rules ?? []) {
    const key = meaningOf(rule);
    unpaired.set(key, [...(unpaired.get(key) ?? []), rule]);
  }
  const common: Rule[] = [];
  const removed: Rule[] = [];
  for (const rule of old?.rules ?? []) (unpaired.get(meaningOf(rule))?.pop() ? common : removed).push(rule);
  const added = new Set([...unpaired.values()].flat());
  return { common, own: [removed, (now?.rules ?? []).filter((rule) => added.has(rule))] };
}

/** As JSON, equal for conditions that are written with tests of the same truths. */
export function conditionMeaning(condition: Condition, space: Space): unknown {
  if (condition.kind === 'named') return conditionMeaning(condition.of[0], space);
  if (condition.kind !== 'test') {
    const count = 'count' in condition ? condition.count : 0;
    return [condition.kind, count, condition.of.map((part) => conditionMeaning(part, space))];
  }
  const { variable, isTrue, isUnknown } = space.statesOf(condition);
  return [variable, isTrue.map(Number).join(''), isUnknown.map(Number).join('')];
}
