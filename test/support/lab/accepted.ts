/** A folder with a policy and a file of tests -> the tests that are suggested for it, accepted and run. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SuggestedCases, suggestCases } from '../../../src/lab/cases/suggest-cases.ts';
import { goalWords, suggestedTests } from '../../../src/lab/cases/suggest-tests.ts';
import { appendTests } from '../../../src/lab/cases/test-yaml.ts';
import { DEFAULT_STEPS } from '../../../src/lab/limits.ts';
import { Steps } from '../../../src/lab/steps.ts';
import { TestReader } from '../../../src/lab/test/read-tests.ts';
import { readTests, runCases, TestCoverage } from '../../../src/lab/test/run-tests.ts';

/** The file of tests in the folder. */
export const FILE = 'one.test.yaml';

/** Runs the tests of a folder; gives what they do not reach, and what reads it. */
function run(folder: string) {
  const reader = new TestReader({ allowOnly: true });
  const covered = new TestCoverage();
  const report = runCases(readTests([join(folder, FILE)], reader), { coverage: covered });
  const { head } = reader.heads[0] as TestReader['heads'][number];
  return { report, head, gaps: covered.gapsOf(head.tested) };
}

/** Suggests tests and accepts them. */
export async function acceptSuggested(folder: string) {
  const { head, gaps } = run(folder);
  const found = await suggestCases(head, gaps, new Steps(DEFAULT_STEPS));
  const text = appendTests(readFileSync(join(folder, FILE), 'utf8'), suggestedTests(found, head)) as string;
  writeFileSync(join(folder, FILE), text);
  return { text, found, policy: head.tested.policy, ...run(folder) };
}

/** Goals in words that are unique in a policy, sorted. */
export function goalsOf(gaps: SuggestedCases['gaps']): readonly string[] {
  return gaps.map((gap) => `${gap.item.key} ${goalWords(gap)}`).sort();
}
