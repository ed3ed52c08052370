/** A decision, as a program has it -> a test of it in YAML. */

import { DAY } from '../../../facts/day.ts';
import type { Facts } from '../../../facts/fact.ts';
import { MAP, optionsReader } from '../../../given/options.ts';
import type { Policy } from '../../../policy/language.ts';
import { POLICY } from '../../../policy/source-map.ts';
import { testLines } from './case-yaml.ts';
import { type NoTest, recordedTest } from './recorded-test.ts';

/** A decision that was made. */
export interface DecisionToTest {
  /** The facts that it was made of, as an `AuditEntry` has them. */
  readonly facts: Facts;
  /** The day of the decision, yyyy-MM-dd. */
  readonly at: string;
  /** The policy that decided. */
  readonly policy: Policy;
}

/** A test, as an item of `tests` in a file of tests, with a final line break. */
export interface TestInYaml {
  readonly yaml: string;
}

const readDecision = optionsReader<DecisionToTest>('the decision', { facts: MAP, at: DAY, policy: POLICY });

/**
 * Makes a test of a decision, with an invented applicant whom no rule can tell from the real one. Where a rule asks for
 * the very value of a personal fact there is no such applicant: the result then says so, and has no test.
 */
export function recordTest(decision: DecisionToTest): TestInYaml | NoTest {
  const { facts, at, policy } = readDecision(decision);
  const found = recordedTest({ facts, day: at, policy });
  return 'problem' in found ? found : { yaml: `${testLines(found).join('\n')}\n` };
}
