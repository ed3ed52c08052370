/**
 * Conformance cases -> whether the live runner, matcher, batches and SQL on DuckDB give the expected verdicts. What is
 * said there is said nowhere else: `npm run test:quick` has these tests, without SQL.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadPolicyAsIs } from '../support/runners/case.ts';
import { caseFiles, factsOfCase, formatJson, readCaseFile } from '../support/runners/case-file.ts';
import { ask, disagreements, runnersOn } from '../support/runners/runners.ts';
import { startDuckDb } from '../support/runners/sql-engines.ts';
import { IS_QUICK, IS_SOAK } from '../support/sampled.ts';

const duckDb = IS_QUICK ? undefined : await startDuckDb();
afterAll(() => duckDb?.close());
const RUNNERS = runnersOn(duckDb);
const WITHOUT_SQL = runnersOn(undefined);
/** Every day, DuckDB decides on a third of the cases. */
const SQL_STEP = 3;

if (!duckDb && !IS_QUICK) test.skip('NOT TESTED: SQL, because @duckdb/node-api is not installed');

const folder = mkdtempSync(join(tmpdir(), 'verdict-cases-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FILES = caseFiles().map((path) => ({ file: basename(path, '.json'), ...readCaseFile(path) }));

describe.each(FILES)('every runner returns the expected verdict: $file', ({ cases }) => {
  test.each(cases.map((each, i) => ({ ...each, i })))('$name', async ({ i, ...each }) => {
    const policy = loadPolicyAsIs(each.policy, folder);
    // Every day, half of the cases have the day in a column, and half have one day for all.
    for (const isDayInColumn of IS_SOAK ? [false, true] : [i % 2 === 0]) {
      const asked = ask(each.policy, policy, [factsOfCase(each)], each.day, isDayInColumn);
      const runners = IS_SOAK || i % SQL_STEP === 0 ? RUNNERS : WITHOUT_SQL;
      for (const { runner, found, expected } of await disagreements(runners, asked, { expected: [each.expected] })) {
        // Over several lines, which makes a difference easy to see.
        expect(layOut(found), runner).toBe(layOut(expected));
      }
    }
  });
});

/** Formats an answer over several lines. The answer of a runner that threw is not JSON. */
function layOut(answer: string): string {
  return /^[[{]/.test(answer) ? formatJson(JSON.parse(answer)) : answer;
}
