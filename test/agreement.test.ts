/** Random policies, applicants and days: the live runner and the plain reference give the same verdict, byte for byte. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Verdict } from '../src/decision/verdict.ts';
import { OUTCOMES } from '../src/policy/language.ts';
import { OPERATOR_NAMES, operatorRow } from '../src/policy/operators.ts';
import { aCase } from './support/arbitrary.ts';
import { temporaryFolder } from './support/policy.ts';
import { PROMISES } from './support/promises.ts';
import { referenceVerdict } from './support/reference.ts';

/** Policies; `npm run test:soak` tries far more. */
const CASES = 400;
/** Applicants a policy: reading one takes as long as deciding several. */
const APPLICANTS = 10;

test('the live runner agrees with the reference on random policies and facts', async () => {
  let held = 0;
  const promised = PROMISES['the_live_runner_agrees_with_the_reference'];
  const property = promised?.property(APPLICANTS, temporaryFolder(), () => held++);
  if (!property) throw new Error('no such promise');
  await fc.assert(property, { numRuns: CASES });
  expect(held).toBe(CASES * APPLICANTS);
});

test('random cases reach every operator both ways, every kind of reason, and every outcome', () => {
  const cases = fc.sample(aCase({ applicants: APPLICANTS }), { numRuns: 1000, seed: 1 });
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
    ...['fired without outcome', 'a final rule decided', 'undetermined that asks', 'undetermined that asks nothing'],
  ];
  expect([...reached].filter((thing) => expected.includes(thing)).sort()).toEqual(expected.sort());
});

/** What a verdict shows of the language. */
function thingsIn({ outcome, reasons, undetermined, shadow }: Verdict): string[] {
  const things: string[] = [outcome];
  for (const reason of reasons) {
    if (reason.because === 'fired') {
      if (reason.rule.includes('/')) things.push('a row fires');
      if (reason.notice !== undefined) things.push('a notice');
      if (reason.outcome === null) things.push('fired without outcome');
      for (const { operator, negated, other } of reason.evidence) {
        things.push(negated ? `not ${operator}` : operator);
        if (other) things.push(`${operator} a fact`);
      }
    } else if (reason.because !== 'undetermined') {
      things.push(`${reason.code} to ${reason.outcome}`);
    }
    // Only where a final rule decided can a reason with the verdict's outcome not be decisive.
    if (reason.outcome === outcome && !reason.decisive) things.push('a final rule decided');
  }
  for (const { asks } of undetermined) things.push(asks ? 'undetermined that asks' : 'undetermined that asks nothing');
  for (const { result } of shadow)
    things.push(result === 'fires' ? 'a shadow rule fires' : 'a shadow rule is undetermined');
  return things;
}
