/** Policies -> the facts that they read, under names that mean one thing, and each policy by these names. */

import type { FactTable } from '../../facts/catalog.ts';
import { withOperands } from '../../facts/compute.ts';
import { UTC } from '../../facts/day.ts';
import type { Facts } from '../../facts/fact.ts';
import { readAgain } from '../../facts/read.ts';
import { conditionFacts, type Policy, type Rule } from '../../policy/language.ts';
import { byPath, OLD_NAME, ownCounts, WORDED_NAME, withOwnComputations } from '../space/own-computations.ts';
import { checkComparable, jointTable } from '../space/space.ts';

/** What several policies read, and the facts of all. */
export interface JoinedFacts {
  /** By the names of these facts: one that the last policy computes or counts otherwise has its own in the others. */
  readonly policies: readonly Policy[];
  readonly rules: readonly Rule[];
  /** That of the last policy: days are told by it. Each policy decides by its own day. */
  readonly timeZone: string;
  readonly facts: FactTable;
  /** The facts that a rule of one of them reads, with the operands of computed ones. */
  readonly read: ReadonlySet<string>;
}

/** The same of two policies. */
export interface JointFacts extends JoinedFacts {
  readonly policies: readonly [old: Policy, now: Policy];
}

/** Joins the facts of two policies. Throws REQUEST_INVALID if they declare a fact in ways that cannot be compared. */
export function joinFacts(old: Policy, now: Policy): JointFacts {
  const { policies, ...joined } = joinAll([old, now], OLD_NAME);
  return { ...joined, policies: [policies[0] ?? old, now] };
}

/** Joins the facts of several policies. Throws as `joinFacts` does. */
export function joinAll(given: readonly Policy[], ownName = WORDED_NAME): JoinedFacts {
  const policies = given.map((policy) => withOwnComputations(policy, given.at(-1) ?? policy, ownName));
  const rules = policies.flatMap((policy) => policy.rules);
  const facts = jointTable(policies);
  const read = withOperands(conditionFacts(rules), facts);
  for (const path of read) {
    checkComparable(
      path,
      policies.flatMap((policy) => policy.facts.get(path) ?? []),
    );
  }
  return { policies, rules, timeZone: given.at(-1)?.timeZone ?? UTC, facts, read };
}

/** A file is read with facts that no rule asks about; `month` and `week` are none. */
export function withFacts(by: readonly string[], joint: JointFacts): JointFacts {
  return { ...joint, read: new Set([...joint.read, ...by.filter((each) => joint.facts.has(each))]) };
}

/** Facts of the joint table -> the same as a policy reads them. `asking`: the policy by the names of that table. */
export function readerFor(policy: Policy, asking: Policy, joint: JointFacts): (facts: Facts, day: string) => Facts {
  const isSame = [...joint.read].every((path) => {
    const definition = asking.facts.get(path);
    return definition === undefined || definition.values?.length === joint.facts.get(path)?.values?.length;
  });
  const counts = ownCounts(policy, asking);
  return (facts, day) => byPath(isSame ? facts : readAgain(facts, asking.facts, day), counts);
}
