/** Hostile policies and random facts -> explanations: each ends, and what it says is true. */

import { explain } from '../../../src/decision/explain/explain.ts';
import { compile } from '../../../src/decision/matcher/matcher.ts';
import type { Fact, GivenFact } from '../../../src/facts/fact.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { OUTCOMES, type Outcome, type Policy, testsOf } from '../../../src/policy/language.ts';
import { readPolicy } from '../../../src/policy/load.ts';
import { aValue, TODAY } from '../facts/answers.ts';
import { pick, type Random } from '../facts/mutate.ts';
import { hostilePolicies } from './files.ts';

/** The values that the tests of a policy name, by fact: rules fire on them, or nearly. */
function namedValues({ rules }: Policy): ReadonlyMap<string, readonly unknown[]> {
  const values = new Map<string, unknown[]>();
  for (const { when } of rules) {
    for (const { fact, expected } of testsOf(when)) {
      const known = values.get(fact) ?? [];
      values.set(fact, known);
      known.push(Array.isArray(expected) ? expected[0] : expected);
    }
  }
  return values;
}

/** A source of random facts, some of them missing; the applicant's own are always the same. */
function factsSource(policy: Policy, random: Random): () => Map<string, Fact> {
  const named = namedValues(policy);
  const { facts } = policy;
  return () => {
    const given = new Map<string, GivenFact>([['applicant.phoneNo', { value: '+447700900461' }]]);
    for (const [path, definition] of facts) {
      if (definition.origin === 'derived' || path.startsWith('applicant.') || random() < 0.2) continue;
      const values = named.get(path);
      given.set(path, { value: values && random() < 0.5 ? pick(values, random) : aValue(definition, random) });
    }
    return readFacts(given, facts, TODAY);
  };
}

/** Explains a decision of a policy; says what is untrue of the explanation. */
async function tryExplanation(policy: Policy, to: Outcome, random: Random): Promise<string | undefined> {
  const matcher = compile(policy);
  const outcomeOf = (facts: ReadonlyMap<string, Fact>) => matcher.verdict(facts, TODAY).outcome;
  const randomFacts = factsSource(policy, random);
  const facts = randomFacts();
  const { outcome, changes, standsOn } = await explain(policy, facts, TODAY, { to });
  for (const set of changes.sets) {
    const changed = new Map<string, Fact>(facts);
    for (const { fact, example } of set) changed.set(fact, { value: example });
    if (outcomeOf(changed) !== to) return `another ${set.map(({ fact }) => fact).join(', ')} does not lead to ${to}`;
  }
  for (let i = 0; i < 3; i++) {
    const others = randomFacts();
    for (const { fact: path } of standsOn.facts) {
      const fact = facts.get(path);
      if (fact) others.set(path, fact);
    }
    if (outcomeOf(others) !== outcome) return `${standsOn.facts.map(({ fact }) => fact).join(', ')} do not settle it`;
  }
  return undefined;
}

export const explanationTarget = hostilePolicies(async (file, random) => {
  const { policy } = readPolicy(file);
  return policy && tryExplanation(policy, pick(OUTCOMES, random), random);
});
