/** A log written before records told which reasons decided: it is verified, searched, shown, and written to. */

import { chmodSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replayLog } from '../../../src/audit/query/replay/replay.ts';
import { searchLog } from '../../../src/audit/query/search.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { verifyAgain } from '../../support/audit/second-verifier.ts';
import { runCli } from '../../support/cli/cli.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

const FIXTURE = join(import.meta.dirname, '../../fixtures/audit/earlier');

/** A copy of the log: a minor with debts, somebody of unknown age with debts, and somebody with neither. */
function earlierLog() {
  const root = temporaryFolder();
  cpSync(FIXTURE, root, { recursive: true });
  for (const folder of ['log', 'keys']) chmodSync(join(root, folder), 0o700);
  return { dir: join(root, 'log'), keys: join(root, 'keys') };
}

it('both verifiers find nothing, and a replay decides the same', async () => {
  const place = earlierLog();
  expect((await verifyLog(place)).findings).toEqual([]);
  expect(verifyAgain(place.dir)).toEqual([]);
  expect(await replayLog(place)).toMatchObject({ compared: 3, same: 3, problemCount: 0 });
});

it('its records cannot tell what decided: they are counted apart, by every kind of code', async () => {
  const { dir } = earlierLog();
  for (const criterion of ['reasons', 'firedReasons', 'undeterminedReasons']) {
    expect(await searchLog({ dir }, { [criterion]: ['MINOR'] })).toMatchObject({ total: 0, undecidable: 2 });
  }
  expect(await searchLog({ dir }, { reasons: ['MINOR'], outcomes: ['reject'] })).toMatchObject({ undecidable: 1 });
  expect(await searchLog({ dir }, { reasons: ['OTHER'] })).toMatchObject({ total: 0, undecidable: 0 });
  expect(await searchLog({ dir }, {})).toMatchObject({ total: 3, undecidable: 0 });
});

it('a search says so, and marks the codes', async () => {
  const { dir, keys } = earlierLog();
  const some = await runCli(['audit', 'search', dir, '--reason', 'MINOR']);
  expect(some.stdout).toContain('no decision found\nnot counted: 2 records of an earlier form with such a reason code');
  const all = await runCli(['audit', 'search', dir]);
  expect(all.stdout).toContain('  reasons        DEBTS~, MINOR~\n');
  expect(all.stdout).toContain('reasons: R~ an earlier record, which does not say\n');
  const replay = await runCli(['audit', 'replay', dir, '--keys', keys, '--reason', 'MINOR']);
  expect(replay.stderr).toContain('not counted: 2 records of an earlier form');
});
