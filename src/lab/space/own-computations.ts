/** Two policies -> one of them with other names for the facts that the other one computes or counts in another way. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { computationWords } from '../../facts/compute.ts';
import { velocityWords } from '../../facts/velocity.ts';
import type { Policy, Test } from '../../policy/language.ts';
import { definitionKey } from '../../policy/sameness.ts';
import { testRewriter, withConditions } from './rewrite-tests.ts';

/** The name of a fact that a policy computes or counts in its own way: one that no policy can declare. */
export type OwnName = (path: string, definition: FactDefinition) => string;

/** Of the old one of two policies. */
export const OLD_NAME: OwnName = (path, { velocity }) =>
  `${path} (as ${velocity ? 'counted' : 'computed'} by the old policy)`;

/** Of one of many policies: those that compute or count a fact in the same way share a name. */
export const WORDED_NAME: OwnName = (path, { compute, velocity }) => {
  const words = velocity ? velocityWords(velocity) : compute && computationWords(compute);
  return words === undefined ? path : `${path} (${words})`;
};

/** Where people give the facts, as in tests: a count is the one that they give by its name, whatever it counts. */
export function givenByName(ownName: OwnName): OwnName {
  return (path, definition) => (definition.velocity ? path : ownName(path, definition));
}

/**
 * The policy, which decides as before: a fact that both policies compute or count, in two ways, has a name of its own
 * in it, so that its tests are about another fact than those of the other policy; so has what it computes from such a
 * count. A policy without such facts is returned as it is.
 */
export function withOwnComputations(policy: Policy, other: Policy, ownName: OwnName): Policy {
  const { names, facts } = renameFacts(policy.facts, other.facts, ownName);
  if (names.size === 0) return policy;
  const rename = testRewriter((test) => renameTest(test, names));
  return { ...withConditions(policy, rename), facts };
}

/** The names of the counts that have one of their own in a policy of `withOwnComputations`, by their paths. */
export function ownCounts(policy: Policy, named: Policy): Names {
  // INVARIANT: `renameFacts` keeps the order.
  const names = named.facts.keys();
  const pairs = [...policy.facts].map(([path, { velocity }]) => ({ path, velocity, name: names.next().value ?? path }));
  return new Map(pairs.flatMap(({ path, velocity, name }) => (velocity && name !== path ? [[path, name]] : [])));
}

/**
 * Facts or columns by name, as the policy itself takes them: under the path of a count that has a name of its own is
 * what has that name, and nothing that another policy counts.
 */
export function byPath<Value>(byName: ReadonlyMap<string, Value>, counts: Names): ReadonlyMap<string, Value> {
  if (counts.size === 0) return byName;
  const all = new Map(byName);
  for (const [path, name] of counts) {
    const own = byName.get(name);
    if (own === undefined) all.delete(path);
    else all.set(path, own);
  }
  return all;
}

function isOtherwise(one: FactDefinition, other: FactDefinition | undefined): boolean {
  const areOwn = (one.compute && other?.compute) ?? (one.velocity && other?.velocity);
  if (!areOwn || !other) return false;
  return definitionKey(one, 'meaning') !== definitionKey(other, 'meaning');
}

/** The names of the other policy -> those of this one. */
export type Names = ReadonlyMap<string, string>;

function renameFacts(own: FactTable, others: FactTable, ownName: OwnName): { names: Names; facts: FactTable } {
  const names = new Map<string, string>();
  const facts = new Map<string, FactDefinition>();
  // In a table, what is computed comes after its operands.
  for (const [path, written] of own) {
    const definition = renameOperands(written, names);
    const name = isOtherwise(definition, others.get(path)) ? ownName(path, definition) : path;
    if (name !== path) names.set(path, name);
    facts.set(name, definition);
  }
  return { names, facts };
}

function renameOperands(definition: FactDefinition, names: Names): FactDefinition {
  const { compute, inputs = [] } = definition;
  if (!compute || !inputs.some((path) => names.has(path))) return definition;
  const nameOf = (path: string) => names.get(path) ?? path;
  const operands = compute.operands.map((each) => (typeof each === 'number' ? each : { fact: nameOf(each.fact) }));
  return { ...definition, inputs: inputs.map(nameOf), compute: { ...compute, operands } };
}

function renameTest(test: Test, names: Names): Test {
  const { fact, other, key } = test;
  const nameOf = (path: string) => names.get(path) ?? path;
  const [ownName, otherName] = [nameOf(fact), other && nameOf(other)];
  if (ownName === fact && otherName === other) return test;
  return { ...test, fact: ownName, other: otherName, key: JSON.stringify([key, ownName, otherName]) };
}
