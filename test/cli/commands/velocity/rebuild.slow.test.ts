/** `verdict velocity show` and `rebuild`: a store that is lost comes back from the log, and shows the same counts. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addNote } from '../../../../src/audit/query/note.ts';
import { countNote } from '../../../../src/audit/query/seen.ts';
import { eraseSubject } from '../../../../src/audit/retain/erase.ts';
import { createDecider } from '../../../../src/decision/decide.ts';
import type { Disposition } from '../../../../src/policy/language.ts';
import { loadPolicy } from '../../../../src/policy/read/parse.ts';
import { createVelocityStore } from '../../../../src/stores/velocity/velocity.ts';
import { localVerifier, logFolder, personOf } from '../../../support/audit/decisions.ts';
import { runCli } from '../../../support/cli/cli.ts';
import { HEAD } from '../../../support/policy/policy.ts';

const POLICY = `${HEAD}facts: { context.device: { type: string } }
velocity:
  sameIp1h: { count: applications, by: ip, within: 1 hour }
  subnet1h: { count: applications, by: ip/24, within: 1 hour }
  domain1d: { count: distinct phoneNo, by: emailDomain, within: 1 day }
  device7d: { count: distinct email, by: context.device, within: 7 days }
  accepted: { count: applications, by: phoneNo, where: { outcome: accept }, within: 30 days }
  fraud: { count: applications, by: email, where: { disposition: fraud }, within: 30 days }
rules: [{ id: burst, when: { velocity.sameIp1h: { atLeast: 100 } }, then: review }]
`;

it('a store is rebuilt from the log, again without a change, and shows what it counted, and nobody', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'velocity-'));
  const file = join(folder, 'policy.yaml');
  writeFileSync(file, POLICY);
  const [policy, log] = [loadPolicy(file), await logFolder(folder)];
  const audit = await log.open();
  const lost = await createVelocityStore({ sqlite: join(folder, 'lost.sqlite'), keys: log.keys, timeoutMs: 10_000 });
  let now = Date.now() - 3 * 3_600_000;
  const decider = createDecider({ policy, verify: localVerifier, audit, velocity: lost, now: () => now });
  const ids: string[] = [];
  // The first three applications are older than an hour, and of three people one comes twice.
  for (const person of [0, 1, 2, 0, 1, 0]) {
    const { id } = await decider.decide({ ...personOf(person), ip: '81.2.69.142' }, { context: { device: 'd1' } });
    ids.push(id);
    if (ids.length === 3) now = Date.now();
  }
  for (const person of [3, 4]) await decider.decide({ ...personOf(person), ip: '2a00:1450:0::7' });
  const note = async (i: number, disposition: Disposition) => {
    const [decision = ''] = [ids[i]];
    await addNote({ log: audit, decision, disposition, by: 'ann', why: 'known' });
    await countNote({ place: log.place, decision, velocity: lost });
  };
  // The second one is taken back.
  for (const [i, disposition] of [
    [0, 'fraud'],
    [1, 'fraud'],
    [1, 'genuine'],
  ] as const)
    await note(i, disposition);
  for (const subject of [personOf(2).phoneNo, personOf(2).email]) {
    await eraseSubject({ log: audit, velocity: lost, subject });
  }
  await audit.close();
  await lost.close();

  const run = (command: string, sqlite: string, ...args: readonly string[]) => {
    const place = ['--velocity', join(folder, sqlite), '--log', log.dir, '--keys', log.keys];
    return runCli(['velocity', command, '--policy', file, ...place, ...args]);
  };
  const person = (n: number) => ['--phone', personOf(n).phoneNo, '--email', personOf(n).email];
  const shown = async (sqlite: string) => {
    const ofPerson = async (n: number) =>
      (await run('show', sqlite, ...person(n), '--ip', '81.2.69.142', '--context', 'device=d1')).stdout;
    const byIpv6 = (await run('show', sqlite, '--ip', '2A00:1450::7')).stdout;
    return [...(await Promise.all([0, 1, 2].map(ofPerson))), byIpv6];
  };
  const before = await shown('lost.sqlite');
  expect(before[0]).toMatch(/velocity\.sameIp1h +applications by ip within 1 hour +3\n/);
  expect(before[0]).toMatch(/velocity\.fraud .* 1\n/);
  expect(before[1]).toMatch(/velocity\.fraud .* 0\n/);
  expect(before[3]).toMatch(/velocity\.sameIp1h +applications by ip within 1 hour +2\n/);
  expect(before.join()).not.toMatch(new RegExp(`${personOf(0).email}|${personOf(0).phoneNo.slice(1)}|81\\.2`));
  for (let i = 0; i < 2; i++) {
    const { exitCode, stdout } = await run('rebuild', 'new.sqlite');
    const words = '7 decisions of test counted\n1 decision erased or without a key: not counted\n';
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: words });
  }
  expect(await shown('new.sqlite')).toEqual(before);
  const some = JSON.parse((await run('show', 'new.sqlite', '--json', '--ip', '81.2.69.142')).stdout);
  expect(some).toHaveLength(6);
  expect(some.filter((row: { now: number | null }) => row.now !== null)).toMatchObject([{ now: 3 }, { now: 3 }]);
});

it('a value that is none, or a rebuilding from no log, is a mistake of the command line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'velocity-'));
  const file = join(folder, 'policy.yaml');
  writeFileSync(file, POLICY);
  const run = (...args: readonly string[]) =>
    runCli(['velocity', ...args, '--policy', file, '--velocity', join(folder, 'velocity.sqlite')]);
  expect(await run('show', '--phone', 'canary')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^verdict: phoneNo (?!.*canary)/),
  });
  expect(await run('show', '--context', 'other=1')).toMatchObject({ exitCode: 2 });
  expect(await run('rebuild')).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/give --log/) });
});
