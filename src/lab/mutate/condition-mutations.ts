/** A condition -> the mutations of its parts, up to named conditions, which are mutated where they stand. */

import type { FactTable } from '../../facts/catalog.ts';
import type { Condition } from '../../policy/language.ts';
import type { PartMutation } from './mutation-operators.ts';
import { testMutations } from './test-mutations.ts';

/** The edits of a condition and of its parts. */
export function conditionMutations(condition: Condition, facts: FactTable, path = ''): readonly PartMutation[] {
  const named = (edits: readonly PartMutation[]) => edits.map((each) => ({ ...each, name: `${path}:${each.name}` }));
  if (condition.kind === 'test') return named(testMutations(condition, facts));
  if (condition.kind === 'named') return [];
  const inner = condition.of.flatMap((part, i) => conditionMutations(part, facts, `${path}.${i}`));
  return [...named(joinMutations(condition)), ...inner];
}

type Joined = Exclude<Condition, { readonly kind: 'test' | 'named' }>;

function joinMutations(part: Joined): PartMutation[] {
  const edit = (operator: PartMutation['operator'], name: string, replacement: Condition): PartMutation => {
    return { operator, name, part, replacement, shown: [part, replacement] };
  };
  if (part.kind === 'not') return [edit('not', 'removed', part.of[0])];
  const { of } = part;
  const drops = (of.length < 2 ? [] : of).flatMap((child, i) => {
    const left = of.filter((_, at) => at !== i);
    // Fewer parts than have to hold would never hold: that is the count changed by one.
    if (part.kind === 'atLeastOf' && left.length < part.count) return [];
    return [{ ...edit('test', `without ${i}`, { ...part, of: left }), shown: [child, undefined] as const }];
  });
  if (part.kind === 'atLeastOf') {
    const counts = [part.count + 1, part.count - 1].filter((count) => count >= 1 && count <= of.length);
    return [
      ...counts.map((count) => edit('join', count > part.count ? 'more' : 'fewer', { ...part, count })),
      ...drops,
    ];
  }
  if (of.length < 2) return drops;
  return [edit('join', 'swapped', { kind: part.kind === 'all' ? 'any' : 'all', of }), ...drops];
}

/** The condition with another part in place of one, which is found by identity; itself if it does not have the part. */
export function withPart(condition: Condition, part: Condition, replacement: Condition): Condition {
  if (condition === part) return replacement;
  if (condition.kind === 'test') return condition;
  const of = condition.of.map((each) => withPart(each, part, replacement));
  return of.every((each, i) => each === condition.of[i]) ? condition : ({ ...condition, of } as Condition);
}
