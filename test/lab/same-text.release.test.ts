/** Policies, edits and proofs -> the same text twice: on an idle machine, and beside three busy loops. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { diffPolicies, findDifference } from '../../src/lab/diff/diff.ts';
import { createDeepCheck } from '../../src/lab/prove/check/deep-check.ts';
import { proveProperties } from '../../src/lab/prove/prove.ts';
import { checkFilesDeeply } from '../../src/policy/check/check-files.ts';
import type { Policy } from '../../src/policy/language.ts';
import { DAY, generatePolicy, readGenerated, writeGenerated } from '../bench/generate.ts';
import { EDITS } from '../support/lab/edits.ts';
import { aCase, type Case } from '../support/runners/arbitrary.ts';
import { loadPolicyAsIs } from '../support/runners/case.ts';
import type { PlainPolicy } from '../support/runners/plain.ts';
import { sampled } from '../support/sampled.ts';

/** Few enough that some questions stay open: what is open must not depend on the time either. */
const STEPS = 100_000;

const PROPERTIES = ['missing-never-helps', 'outage', 'monotone:phone.score', 'reachable', 'every-rule-matters'];

const folder = mkdtempSync(join(tmpdir(), 'verdict-same-'));

interface Question {
  readonly plain: PlainPolicy;
  readonly old: Policy;
  readonly now: Policy;
  readonly day: string;
}

/** The policy and itself after an edit that it allows; large ones, and small ones with all features, in turns. */
function questionOf(seed: number): Question {
  const [sampledCase] = fc.sample(aCase({ applicants: 1 }), { seed, numRuns: 1 });
  const { policy, day } = sampledCase as Case;
  const isLarge = seed % 2 === 0;
  const plain = isLarge ? generatePolicy(30 + 15 * (seed % 7), seed) : policy;
  const read = (each: PlainPolicy) => (isLarge ? readGenerated(each) : loadPolicyAsIs(each, folder));
  const edits = Object.values(EDITS);
  for (let i = seed; ; i++) {
    try {
      return {
        plain,
        old: read(plain),
        now: read(edits[i % edits.length]?.(plain, i) ?? plain),
        day: isLarge ? DAY : day,
      };
    } catch {
      // The edit is not allowed in this policy.
    }
  }
}

/** All that the lab says of a policy and an edit of it. */
async function textOf({ plain, old, now, day }: Question): Promise<string> {
  const limits = { at: day, steps: STEPS };
  const properties = old.facts.has('phone.score') ? PROPERTIES : PROPERTIES.filter((each) => !each.includes('score'));
  const path = writeGenerated(plain, mkdtempSync(join(folder, 'policy-')));
  const { diagnostics } = await checkFilesDeeply([path], { at: day }, createDeepCheck(STEPS));
  return JSON.stringify(
    {
      diff: await diffPolicies(old, now, limits),
      difference: await findDifference(old, now, limits),
      proofs: await proveProperties(now, { ...limits, properties }),
      warnings: diagnostics.map(({ code, position, message, hint }) => [code, position, message, hint]),
    },
    undefined,
    1,
  );
}

it('the same policies, edits and proofs give the same text beside three busy loops', async () => {
  const questions = Array.from({ length: sampled(2, 200) }, (_, i) => questionOf(3 * i));
  const texts: string[] = [];
  for (const question of questions) texts.push(await textOf(question));
  const loops = Array.from({ length: 3 }, () => new Worker('for (;;);', { eval: true }));
  onTestFinished(async () => {
    for (const loop of loops) await loop.terminate();
  });
  // The order of the questions does not matter either.
  for (const [i, question] of [...questions.entries()].reverse())
    expect(await textOf(question), `seed ${i}`).toBe(texts[i]);
  const isOpen = texts.map((text) => /tooFewSteps|in 100k steps/.test(text));
  expect(new Set(isOpen)).toEqual(new Set([true, false]));
});
