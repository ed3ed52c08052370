/** Policies on a day -> the variables that their active rules read, and the truth of each test in their states. */

import { VerdictError } from '../../errors.ts';
import { type Condition, type Policy, type Rule, rulesInEffect, type Test, testsOf } from '../../policy/language.ts';
import { jointTable } from './joint-table.ts';
import { type AskedFact, SpaceBuilder, type States } from './space-builder.ts';

/** One of the policies that are compared, with the rules in effect on the day. */
export interface Side {
  readonly policy: Policy;
  readonly rules: readonly Rule[];
}

/** Everything that the policies can tell apart on a day. */
export interface Space extends States {
  readonly day: string;
  readonly sides: readonly Side[];
  /** Conditions that no rule has to have. */
  readonly conditions: readonly Condition[];
}

/**
 * Builds the space of policies and of further conditions, whose facts are those of the last policy. Throws
 * REQUEST_INVALID for policies that declare a fact in ways that cannot be compared, and for a condition on a fact that
 * the last policy does not have.
 */
export function createSpace(policies: readonly Policy[], day: string, conditions: readonly Condition[] = []): Space {
  const sides = policies.map((policy): Side => ({ policy, rules: rulesInEffect(policy, day) }));
  const asked = new Map<string, AskedFact>();
  const askAll = (asking: readonly Condition[], policy: Policy) => {
    for (const test of new Set(asking.flatMap((condition) => [...testsOf(condition)]))) ask(asked, test, policy);
  };
  for (const { policy, rules } of sides) {
    askAll(
      rules.map(({ when }) => when),
      policy,
    );
  }
  const last = policies.at(-1);
  if (last) askAll(conditions, last);
  const builder = new SpaceBuilder(jointTable(policies), day);
  for (const [path, fact] of asked) builder.add(path, fact);
  return { ...builder.finish(), day, sides, conditions };
}

function ask(asked: Map<string, AskedFact>, test: Test, { facts }: Policy): void {
  const definition = facts.get(test.fact);
  if (!definition) throw new VerdictError('REQUEST_INVALID', `the policy has no fact ${test.fact}`);
  const known = asked.get(test.fact) ?? { definitions: new Set(), tests: [] };
  known.definitions.add(definition);
  const other = test.other === undefined ? undefined : facts.get(test.other);
  known.tests.push({ test, definition, ...(other ? { other } : {}) });
  asked.set(test.fact, known);
}
