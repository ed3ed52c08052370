/** Two policies over one space -> the rules that one has and the other has not, by what they mean. */

import type { Condition, Rule } from '../../policy/language.ts';
import type { Space } from '../space/space.ts';

/** The rules of both policies that mean the same, and those of each that the other has not. */
export interface Edits {
  readonly common: readonly Rule[];
  /** By side: the old policy first. */
  readonly own: readonly [old: readonly Rule[], now: readonly Rule[]];
}

/** Pairs the rules of two policies that mean the same, whatever they are called and wherever they stand. */
export function editsBetween(space: Space): Edits {
  const [old, now] = space.sides;
  const unpaired = new Map<string, Rule[]>();
  for (const rule of now?.rules ?? []) {
    const key = meaningOf(rule, space);
    unpaired.set(key, [...(unpaired.get(key) ?? []), rule]);
  }
  const common: Rule[] = [];
  const removed: Rule[] = [];
  for (const rule of old?.rules ?? []) (unpaired.get(meaningOf(rule, space))?.pop() ? common : removed).push(rule);
  const added = new Set([...unpaired.values()].flat());
  return { common, own: [removed, (now?.rules ?? []).filter((rule) => added.has(rule))] };
}

/** Equal for rules that ask for the same of every applicant. */
function meaningOf({ when, then, points = 0, final, whenUnknown }: Rule, space: Space): string {
  return JSON.stringify([conditionMeaning(when, space), then, points, final, whenUnknown]);
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
