/** A policy -> which of its rules read a fact or a list. */

import { withOperands } from '../facts/compute.ts';
import { isNamedList } from './arguments.ts';
import { factsOf, type Policy, type Rule, testsOf } from './language.ts';

/** The lists that a rule looks something up in, by name, each with the facts that are looked up. */
export function listsOf({ when }: Pick<Rule, 'when'>): ReadonlyMap<string, ReadonlySet<string>> {
  const lists = new Map<string, Set<string>>();
  for (const { fact, argument } of testsOf(when)) {
    if (isNamedList(argument)) lists.set(argument.name, (lists.get(argument.name) ?? new Set()).add(fact));
  }
  return lists;
}

/** The facts that the condition of a rule reads, and the operands of those that the policy computes. */
export function factsRead({ when }: Pick<Rule, 'when'>, { facts }: Policy): ReadonlySet<string> {
  return withOperands(factsOf(when), facts);
}

/** The ids of the rules by the paths of the facts that their conditions read. */
export function rulesByFact(policy: Policy): ReadonlyMap<string, readonly string[]> {
  return group(policy.rules, (rule) => factsRead(rule, policy));
}

/** The ids of the rules by the names of the lists that they use. */
export function rulesByList({ rules }: Policy): ReadonlyMap<string, readonly string[]> {
  return group(rules, (rule) => listsOf(rule).keys());
}

function group(rules: readonly Rule[], namesOf: (rule: Rule) => Iterable<string>): Map<string, string[]> {
  const rulesByName = new Map<string, string[]>();
  for (const rule of rules) {
    for (const name of namesOf(rule)) rulesByName.set(name, [...(rulesByName.get(name) ?? []), rule.id]);
  }
  return rulesByName;
}
