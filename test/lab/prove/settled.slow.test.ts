/** Facts that an explanation says settle the outcome, held against the proof of a guarantee of just these facts. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NEVER } from '../../../src/facts/fact.ts';
import { type Proof, proveProperties } from '../../../src/lab/prove/prove.ts';
import { explainNow } from '../../support/decision/explained.ts';
import { aComparedCase, aSmallCase, DAY } from '../../support/decision/small-world.ts';

import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPolicyAsIs, readPlainFacts } from '../../support/runners/case.ts';
import type { PlainFacts, PlainPolicy } from '../../support/runners/plain.ts';
import { sampled } from '../../support/sampled.ts';

const folder = mkdtempSync(join(tmpdir(), 'verdict-settled-'));

/** The proof that all who have the settled facts of an applicant get the outcome; undefined if some are not shown. */
async function proveSettled(plain: PlainPolicy, applicant: PlainFacts, day: string): Promise<Proof | undefined> {
  const policy = loadPolicyAsIs(plain, folder);
  const { outcome, standsOn } = explainNow(policy, readPlainFacts(applicant, policy, day), day);
  const when = standsOn.facts.map(({ fact, is }) => {
    if ('missing' in is) return { [fact]: { known: false } };
    const value = 'value' in is ? applicant[fact] : undefined;
    if (!value || !('value' in value)) return undefined;
    // Other texts would have to be written as no policy is.
    if (typeof value.value === 'string' && !/^[\w .@+-]+$/.test(value.value)) return undefined;
    const isNever = value.value === NEVER && policy.facts.get(fact)?.type === 'date';
    return { [fact]: isNever ? { never: true } : { is: value.value } };
  });
  if (when.length === 0 || when.includes(undefined)) return undefined;
  const guarantees = [{ id: 'settled', always: outcome, when: { all: when } }];
  const claimed = loadPolicyAsIs({ ...plain, guarantees } as PlainPolicy, folder);
  const [proof] = await proveProperties(claimed, {
    at: day,
    onDay: true,
    steps: 10_000_000,
    properties: ['guarantee'],
  });
  return proof;
}

describe('the facts that settle an outcome', () => {
  it.each([
    ['computed facts that are compared', aComparedCase.map((small) => ({ ...small, day: DAY })), sampled(5, 500)],
    ['facts with few values', aSmallCase.map((small) => ({ ...small, day: DAY })), sampled(5, 500)],
    ['all features', aCase({ applicants: 2 }), sampled(3, 300)],
  ])('are never refuted by a proof, with %s', async (_, cases, runs) => {
    const seen = { proved: 0, undecided: 0, refuted: 0 };
    for (const { policy, applicants, day } of fc.sample<{
      policy: PlainPolicy;
      applicants: readonly PlainFacts[];
      day: string;
    }>(cases, runs)) {
      for (const applicant of applicants) {
        const proof = await proveSettled(policy, applicant, day);
        if (!proof) continue;
        seen[proof.result] += 1;
        expect(proof.result, JSON.stringify([policy, applicant, day, proof.applicants])).not.toBe('refuted');
      }
    }
    expect(seen.proved).toBeGreaterThan(seen.undecided);
  });
});
