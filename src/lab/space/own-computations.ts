/** Two policies -> the old one with other names for the facts that the new one computes in another way. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import type { Condition, Policy, Test } from '../../policy/language.ts';
import { formOf } from './joint-table.ts';

/** No policy can declare a fact of this name. */
const oldName = (path: string) => `${path} (as computed by the old policy)`;

/**
 * The old policy, which decides as before: a fact that both policies compute, in two ways, has a name of its own in it,
 * so that its tests are about another fact than those of the new policy. The same object if there is no such fact.
 */
export function withOldComputations(old: Policy, now: Policy): Policy {
  const names = new Map(
    [...old.facts].flatMap(([path, definition]) =>
      isComputedOtherwise(definition, now.facts.get(path)) ? [[path, oldName(path)] as const] : [],
    ),
  );
  if (names.size === 0) return old;
  const renamed = new Map<Condition, Condition>();
  const rename = (condition: Condition): Condition => {
    const known = renamed.get(condition) ?? renameIn(condition, names, rename);
    renamed.set(condition, known);
    return known;
  };
  return {
    ...old,
    facts: renameFacts(old.facts, names),
    rules: old.rules.map((rule) => ({ ...rule, when: rename(rule.when) })),
    conditions: new Map([...old.conditions].map(([name, condition]) => [name, rename(condition)])),
  };
}

function isComputedOtherwise(old: FactDefinition, now: FactDefinition | undefined): boolean {
  return old.compute !== undefined && now?.compute !== undefined && formOf(old) !== formOf(now);
}

/** Old names -> new ones. */
type Names = ReadonlyMap<string, string>;

function renameFacts(facts: FactTable, names: Names): FactTable {
  return new Map([...facts].map(([path, definition]) => [names.get(path) ?? path, definition]));
}

function renameIn(condition: Condition, names: Names, rename: (part: Condition) => Condition): Condition {
  if (condition.kind === 'test') return renameTest(condition, names);
  if (condition.kind === 'not' || condition.kind === 'named') return { ...condition, of: [rename(condition.of[0])] };
  return { ...condition, of: condition.of.map(rename) };
}

function renameTest(test: Test, names: Names): Test {
  const { fact, other, key } = test;
  const [ownName = fact, otherName] = [names.get(fact), other === undefined ? undefined : names.get(other)];
  if (ownName === fact && otherName === undefined) return test;
  return { ...test, fact: ownName, other: otherName ?? other, key: `${key} (of the old policy)` };
}
