/** Two policies -> one table by which the facts of an applicant are read for both. */

import type { FactTable } from '../../facts/catalog.ts';
import { withOperands } from '../../facts/compute.ts';
import type { Facts } from '../../facts/fact.ts';
import { readAgain } from '../../facts/read.ts';
import { conditionFacts, type Policy, type Rule } from '../../policy/language.ts';
import { checkComparable, jointTable } from '../space/joint-table.ts';

/** What both policies read, and the facts of both. */
export interface JointFacts {
  readonly rules: readonly Rule[];
  readonly facts: FactTable;
  /** The facts that a rule of either policy reads, with the operands of computed ones. */
  readonly read: ReadonlySet<string>;
}

/** Joins the facts of two policies. Throws REQUEST_INVALID if they declare a fact in ways that cannot be compared. */
export function joinFacts(old: Policy, now: Policy): JointFacts {
  const rules = [...old.rules, ...now.rules];
  const facts = jointTable([old, now]);
  const read = withOperands(conditionFacts(rules), facts);
  for (const path of read) {
    checkComparable(
      path,
      [old, now].flatMap((policy) => policy.facts.get(path) ?? []),
    );
  }
  return { rules, facts, read };
}

/** Facts of the joint table -> the same as a policy reads them. */
export function readerFor(policy: Policy, joint: JointFacts): (facts: Facts, day: string) => Facts {
  const isSame = [...joint.read].every((path) => {
    const own = policy.facts.get(path);
    return own === undefined || own.values?.length === joint.facts.get(path)?.values?.length;
  });
  return isSame ? (facts) => facts : (facts, day) => readAgain(facts, policy.facts, day);
}
