/** Two policies -> one table by which the facts of an applicant are read for both. */

import type { FactTable } from '../../facts/catalog.ts';
import { withOperands } from '../../facts/compute.ts';
import type { Facts } from '../../facts/fact.ts';
import { readAgain } from '../../facts/read.ts';
import { conditionFacts, type Policy, type Rule } from '../../policy/language.ts';
import { checkComparable, jointTable } from '../space/joint-table.ts';
import { OLD_NAME, withOwnComputations } from '../space/own-computations.ts';

/** What both policies read, and the facts of both. */
export interface JointFacts {
  /** By the names of these facts: one that the new policy computes in another way has its own name in the old one. */
  readonly policies: readonly [old: Policy, now: Policy];
  readonly rules: readonly Rule[];
  readonly facts: FactTable;
  /** The facts that a rule of either policy reads, with the operands of computed ones. */
  readonly read: ReadonlySet<string>;
}

/** Joins the facts of two policies. Throws REQUEST_INVALID if they declare a fact in ways that cannot be compared. */
export function joinFacts(old: Policy, now: Policy): JointFacts {
  const policies = [withOwnComputations(old, now, OLD_NAME), now] as const;
  const rules = policies.flatMap((policy) => policy.rules);
  const facts = jointTable(policies);
  const read = withOperands(conditionFacts(rules), facts);
  for (const path of read) {
    checkComparable(
      path,
      policies.flatMap((policy) => policy.facts.get(path) ?? []),
    );
  }
  return { policies, rules, facts, read };
}

/** Facts of the joint table -> the same as a policy reads them. */
export function readerFor(policy: Policy, joint: JointFacts): (facts: Facts, day: string) => Facts {
  const isSame = [...joint.read].every((path) => {
    const own = policy.facts.get(path);
    return own === undefined || own.values?.length === joint.facts.get(path)?.values?.length;
  });
  return isSame ? (facts) => facts : (facts, day) => readAgain(facts, policy.facts, day);
}
