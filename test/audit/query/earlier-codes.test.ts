/** A log written before records told which reasons decided: it is verified, searched, shown, and written to. */

import { chmodSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createAuditLog } from '../../../src/audit/log.ts';
import { replayLog } from '../../../src/audit/query/replay/replay.ts';
import { searchLog } from '../../../src/audit/query/search.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { verifyAgain } from '../../support/audit/second-verifier.ts';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';

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

it('new records go into the same chain, and tell', async () => {
  const place = earlierLog();
  const audit = await createAuditLog(place);
  const policy = policyOf(`${HEAD}facts:
  context.age: { type: integer }
  context.debts: { type: number }
rules:
  - { id: minor, when: { context.age: { below: 18 } }, then: reject }
  - { id: debts, when: { context.debts: { above: 100 } }, then: review }
  - { id: points, when: { context.debts: { above: 200 } }, points: 50 }
score: { review: 40 }
`);
  // Decisions of one millisecond have no order.
  let nowMs = Date.now();
  const now = () => nowMs++;
  const decider = createDecider({ policy, verify: { verify: () => Promise.reject(new Error('down')) }, audit, now });
  await decider.decide({}, { context: { age: 17, debts: 500 } });
  await decider.decide({}, { context: { debts: 150 } });
  await decider.decide({}, { context: { age: 40, debts: 1 } });
  await audit.close();
  expect((await verifyLog(place)).findings).toEqual([]);
  expect(verifyAgain(place.dir)).toEqual([]);
  const { rows } = await searchLog({ dir: place.dir }, {}, { limit: 3 });
  expect(rows.map(({ reasons }) => reasons)).toEqual([
    { decisive: ['DEFAULT'], fired: [], undetermined: [] },
    { decisive: ['DEBTS'], fired: [], undetermined: ['MINOR'] },
    { decisive: ['MINOR'], fired: ['DEBTS', 'POINTS', 'SCORE'], undetermined: [] },
  ]);
  const found = async (query: object) => (await searchLog({ dir: place.dir }, query)).total;
  expect(await found({ reasons: ['MINOR'] })).toBe(1);
  expect(await found({ undeterminedReasons: ['MINOR'] })).toBe(1);
  expect(await found({ firedReasons: ['DEBTS'] })).toBe(1);
  expect(await found({ reasons: ['SCORE'] })).toBe(0);
  expect(await found({ reasons: ['DEFAULT', 'DEBTS'] })).toBe(2);
});
