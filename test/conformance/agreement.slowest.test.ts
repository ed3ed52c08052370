/** Random cases -> whether the live runner, matcher, batches, SQL on DuckDB and the reference agree. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Verdict } from '../../src/decision/meaning/verdict.ts';
import { OUTCOMES } from '../../src/policy/language.ts';
import { OPERATOR_NAMES, operatorRow } from '../../src/policy/operators.ts';
import { seekOnCores } from '../support/runners/agreement-on-cores.ts';
import { aCase } from '../support/runners/arbitrary.ts';
import { referenceVerdict } from '../support/runners/reference.ts';
import { sampled } from '../support/sampled.ts';
import { SEED } from '../support/seed.ts';

/** Random policies and applicants per policy. The full counts take less than a minute on two cores. */
const POLICIES = sampled(4, 2000);
const APPLICANTS = sampled(30, 50);
const CORES = sampled(1, 2);

test(`every runner agrees with the reference on ${POLICIES} random policies`, async () => {
  const { finding, policies } = await seekOnCores({ seed: SEED, policies: POLICIES, applicants: APPLICANTS }, CORES);
  expect(finding, `seed ${SEED}`).toBeUndefined();
  expect(policies).toBe(POLICIES);
});

test('random cases reach every operator with and without another fact, every kind of reason and every outcome', () => {
  const cases = fc.sample(aCase({ applicants: 10 }), { numRuns: sampled(250, 1000), seed: 3 });
  const reached = new Set<string>();
  for (const { policy, applicants, day } of cases) {
    for (const applicant of applicants)
      for (const thing of thingsIn(referenceVerdict(policy, applicant, day))) reached.add(thing);
  }
  const expected = [
    ...OPERATOR_NAMES.flatMap((name) => [name, `not ${name}`]),
    ...OPERATOR_NAMES.filter((name) => operatorRow(name).againstFact).map((name) => `${name} a fact`),
    ...OUTCOMES,
    ...['SCORE to review', 'SCORE to reject', 'SCORE_UNDETERMINED to review'],
    ...OUTCOMES.map((outcome) => `DEFAULT to ${outcome}`),
    ...['a shadow rule fires', 'a shadow rule is undetermined', 'a row fires', 'a notice'],
    ...['a notice by language', 'the notice of the score', 'the notice of the default'],
    ...['fires without an outcome', 'a final rule decides', 'undetermined with effect', 'undetermined without effect'],
  ];
  expect([...reached].filter((thing) => expected.includes(thing)).sort()).toEqual(expected.sort());
});

/** The parts of the language that a verdict exercises. */
function thingsIn({ outcome, reasons, undetermined, shadow }: Verdict): string[] {
  const things: string[] = [outcome];
  for (const reason of reasons) {
    if (reason.because === 'fired') {
      if (reason.rule.includes('/')) things.push('a row fires');
      if (reason.notice !== undefined) things.push('a notice');
      if (typeof reason.notice === 'object') things.push('a notice by language');
      if (reason.outcome === null) things.push('fires without an outcome');
      for (const { operator, negated, other } of reason.evidence) {
        things.push(negated ? `not ${operator}` : operator);
        if (other) things.push(`${operator} a fact`);
      }
    } else if (reason.because !== 'undetermined') {
      things.push(`${reason.code} to ${reason.outcome}`);
      if (reason.notice !== undefined) things.push(`the notice of the ${reason.because}`);
    }
    // A reason with the verdict's outcome is not decisive only if a final rule decides.
    if (reason.outcome === outcome && !reason.decisive) things.push('a final rule decides');
  }
  for (const { asks } of undetermined) things.push(asks ? 'undetermined with effect' : 'undetermined without effect');
  for (const { result } of shadow)
    things.push(result === 'fires' ? 'a shadow rule fires' : 'a shadow rule is undetermined');
  return things;
}
