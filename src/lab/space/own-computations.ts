/** Two policies -> one of them with other names for the facts that the other one computes in another way. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { computationWords } from '../../facts/compute.ts';
import type { Policy, Test } from '../../policy/language.ts';
import { definitionKey } from '../../policy/sameness.ts';
import { testRewriter, withConditions } from './rewrite-tests.ts';

/** The name of a fact that a policy computes in its own way: one that no policy can declare. */
export type OwnName = (path: string, definition: FactDefinition) => string;

/** Of the old one of two policies. */
export const OLD_NAME: OwnName = (path) => `${path} (as computed by the old policy)`;

/** Of one of many policies: those that compute a fact in the same way share a name. */
export const WORDED_NAME: OwnName = (path, { compute }) => (compute ? `${path} (${computationWords(compute)})` : path);

/**
 * The policy, which decides as before: a fact that both policies compute, in two ways, has a name of its own in it, so
 * that its tests are about another fact than those of the other policy. The same object if there is no such fact.
 */
export function withOwnComputations(policy: Policy, other: Policy, ownName: OwnName): Policy {
  const names = new Map(
    [...policy.facts].flatMap(([path, definition]) =>
      isComputedOtherwise(definition, other.facts.get(path)) ? [[path, ownName(path, definition)] as const] : [],
    ),
  );
  if (names.size === 0) return policy;
  const rename = testRewriter((test) => renameTest(test, names));
  return { ...withConditions(policy, rename), facts: renameFacts(policy.facts, names) };
}

function isComputedOtherwise(one: FactDefinition, other: FactDefinition | undefined): boolean {
  const areOwn = (one.compute && other?.compute) ?? (one.velocity && other?.velocity);
  if (!areOwn || !other) return false;
  return definitionKey(one, 'meaning') !== definitionKey(other, 'meaning');
}

/** The names of the other policy -> those of this one. */
type Names = ReadonlyMap<string, string>;

function renameFacts(facts: FactTable, names: Names): FactTable {
  return new Map([...facts].map(([path, definition]) => [names.get(path) ?? path, definition]));
}

function renameTest(test: Test, names: Names): Test {
  const { fact, other, key } = test;
  const nameOf = (path: string) => names.get(path) ?? path;
  const [ownName, otherName] = [nameOf(fact), other && nameOf(other)];
  if (ownName === fact && otherName === other) return test;
  return { ...test, fact: ownName, other: otherName, key: JSON.stringify([key, ownName, otherName]) };
}
