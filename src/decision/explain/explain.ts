/** A policy, facts and a day -> their explanation, made in turns, with the geodata of this package. */

import type { Facts } from '../../facts/fact.ts';
import { WORLD } from '../../platform/formats/geo/world.ts';
import { optionsReader } from '../../platform/given/options.ts';
import type { Policy } from '../../policy/language.ts';
import { type AuditEntry, dayOf } from '../decision.ts';
import { EXPLAIN_OPTIONS, type ExplainOptions, explainSteps, failureSteps } from './explain-steps.ts';
import type { Explanation, Failures } from './explanation.ts';
import { runInTurns } from './steps.ts';

export type { ExplainOptions } from './explain-steps.ts';

const readOptions = optionsReader('the options of the explanation', EXPLAIN_OPTIONS, 'REQUEST_INVALID');

/**
 * Explains the outcome of a policy for facts, as `readFacts` returns them, on a day (yyyy-MM-dd). It requests
 * no signals. The day and the applicant's phone number, email and IP are fixed: no change of them is considered. The
 * work is limited in steps, not in time, so that a decision always has the same explanation; parts that were not
 * finished are marked. It pauses for other work every few milliseconds, except while it compiles a policy at its first
 * explanation.
 * Rejects with REQUEST_INVALID for arguments that cannot be used, such as a day that does not exist.
 */
export async function explain(
  policy: Policy,
  facts: Facts,
  day: string,
  options: ExplainOptions = {},
): Promise<Explanation> {
  return runInTurns(explainSteps(policy, facts, day, { ...readOptions(options), geodata: WORLD }));
}

/** The sources that did not answer, and the outcomes to which asking them again could lead. */
export async function explainFailures({
  decision,
  policy,
  mapping,
  facts,
}: Pick<AuditEntry, 'decision' | 'policy' | 'mapping' | 'facts'>): Promise<Failures> {
  const day = dayOf(decision);
  return runInTurns(failureSteps(policy, facts, day, { mapping, geodata: WORLD }));
}
