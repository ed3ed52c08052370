/** `verdict decide --velocity`, in bulk too, and what notes and erasures do to the counts. */

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';
import { CLOSED_PORT } from '../../support/ports.ts';

const POLICY = `${HEAD}velocity:
  sameIp: { count: applications, by: ip, within: 1 hour }
  fraud: { count: applications, by: email, where: { disposition: fraud }, within: 30 days }
rules:
  - { id: ip, when: { velocity.sameIp: { atLeast: 0 } }, then: review, message: "{velocity.sameIp}" }
  - { id: fraud, when: { velocity.fraud: { atLeast: 0 } }, then: review, message: "{velocity.fraud}" }
`;

function commands() {
  const folder = temporaryFolder({ 'policy.yaml': POLICY });
  const [policy, log, file] = ['policy.yaml', 'log', 'velocity.sqlite'].map((name) => join(folder, name));
  const run = (args: readonly string[], options = {}) => runCli(args, options);
  const store = ['--velocity', file ?? ''];
  const base = ['decide', '--sandbox', '--policy', policy ?? '', '--phone', '+12025550102', '--ip', '203.0.113.12'];
  const decide = async (args: readonly string[], options = {}) => {
    const at = args.includes('--at') ? [] : ['--at', '2026-11-20'];
    const all = [...base, '--email', 'jo@mail.example', '--json', ...at, ...args];
    const { stdout, stderr, exitCode } = await run(all, options);
    const decision = stdout === '' ? undefined : JSON.parse(stdout);
    const reasons: { message?: string }[] = decision?.reasons ?? [];
    return { id: decision?.id, counts: reasons.map(({ message }) => message), stderr, exitCode, decision };
  };
  return { folder, policy: policy ?? '', log: log ?? '', file: file ?? '', store, run, decide };
}

test('applications are counted once, notes count for later ones, and an erasure takes all of it', async () => {
  const { file, log, store, run, decide } = commands();
  await run(['audit', 'init', log]);
  const logged = ['--audit', log, ...store];
  const first = await decide([...logged, '--reference', 'A-1']);
  expect(first).toMatchObject({ counts: ['0', '0'], exitCode: 0 });
  expect(first.stderr).toBe(`note: ${file} is a new velocity store: its counts begin at 0\n`);
  expect(await decide([...logged, '--reference', 'A-1'])).toMatchObject({ counts: ['0', '0'], stderr: '' });
  const note = async (disposition: string) => {
    const args = ['audit', 'note', log, first.id, '--disposition', disposition, '--by', 'A', '--why', 'B'];
    // A store that is not there is noticed before the note is recorded.
    const wrong = { exitCode: 2, stdout: '', stderr: expect.stringContaining('no velocity store at') };
    expect(await run([...args, '--velocity', `${file}x`])).toMatchObject(wrong);
    expect(await run([...args, ...store])).toMatchObject({ exitCode: 0, stderr: '' });
  };
  await note('fraud');
  // The store that the environment names.
  const env = { VERDICT_VELOCITY: file };
  expect(await decide(['--audit', log, '--reference', 'A-2'], { env })).toMatchObject({ counts: ['1', '1'] });
  // What is noted to the contrary takes it back.
  await note('genuine');
  expect(await decide([...logged, '--reference', 'A-3'])).toMatchObject({ counts: ['2', '0'] });
  await note('fraud');
  const { notes } = JSON.parse((await run(['audit', 'show', log, first.id, '--json'])).stdout);
  expect(notes).toHaveLength(3);
  const unreachable = { env: { VERDICT_VELOCITY: `redis://127.0.0.1:${CLOSED_PORT}` } };
  const other = ['audit', 'note', log, first.id, '--disposition', 'fraud', '--by', 'A', '--why', 'B'];
  expect(await run(other, unreachable)).toMatchObject({
    exitCode: 3,
    stderr: expect.stringMatching(/^verdict: note \S+ is recorded, and not counted\nverdict: .*ECONNREFUSED/),
  });
  const uncounted = 'note: no velocity store counts this; see --velocity\n';
  expect(await run(other)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/recorded/), stderr: uncounted });
  expect((await run(other.map((each) => (each === 'fraud' ? 'approve' : each)))).stderr).toBe('');
  const erase = async (how: string) =>
    (await run(['audit', 'erase', log, '--subject', 'Jo@mail.example', how, ...store])).stdout;
  expect(await erase('--dry-run')).toContain('3 members of the counts of earlier applications would be erased');
  expect(await erase('--yes')).toContain('3 members of the counts of earlier applications erased');
  expect(await decide([...logged, '--reference', 'C'])).toMatchObject({ counts: ['3', '0'] });
});

test('--at takes a time of day, of which windows are counted; the day of the facts is its day in UTC', async () => {
  const { store, decide } = commands();
  const at = async (time: string) => {
    const { counts, decision } = await decide([...store, '--at', time]);
    return [counts[0], decision.decidedAt];
  };
  expect(await at('2026-11-20T22:30:00Z')).toEqual(['0', '2026-11-20T22:30:00.000Z']);
  expect(await at('2026-11-20T20:29:59.999-03:00')).toEqual(['1', '2026-11-20T23:29:59.999Z']);
  expect(await at('2026-11-20T20:30-03:00')).toEqual(['1', '2026-11-20T23:30:00.000Z']);
  expect(await at('2026-11-21')).toEqual(['2', '2026-11-21T00:00:00.000Z']);
});

test('without a store, the counts are missing and the command says so', async () => {
  const without = await commands().decide(['--reference', 'A-1']);
  expect(without).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('without --velocity') });
  expect(without.decision.signals.missing).toEqual({
    ...{ 'velocity.sameIp': 'notRequested', 'velocity.fraud': 'notRequested' },
  });
});

test('a store that fails is named with its code, and the counts are missing', async () => {
  const { folder, decide } = commands();
  const env = {
    VERDICT_VELOCITY: `redis://127.0.0.1:${CLOSED_PORT}`,
    VERDICT_VELOCITY_KEY: join(folder, 'velocity.key'),
  };
  writeFileSync(env.VERDICT_VELOCITY_KEY, randomBytes(32), { mode: 0o600 });
  const { decision, stderr, exitCode } = await decide([], { env });
  const said = 'verdict: the velocity store failed (ECONNREFUSED): counts are missing, or the outcome is not counted\n';
  expect([exitCode, stderr]).toEqual([3, said]);
  expect(decision).toMatchObject({ outcome: 'review', signals: { missing: { 'velocity.sameIp': 'sourceFailed' } } });
});

test('each row of a file is counted, in its order', async () => {
  const { folder, policy, store, run } = commands();
  const rows = join(temporaryFolder({ 'rows.csv': csv(5) }), 'rows.csv');
  const out = join(folder, 'out.ndjson');
  const bulk = [
    'decide',
    '--sandbox',
    '--policy',
    policy,
    '--file',
    rows,
    '--out',
    out,
    '--concurrency',
    '1',
    ...store,
  ];
  expect(await run([...bulk, '--json'])).toMatchObject({ exitCode: 0 });
  const { stdout } = await run([
    'decide',
    '--sandbox',
    '--policy',
    policy,
    '--phone',
    '+12025550199',
    '--ip',
    '203.0.113.12',
    '--json',
    ...store,
  ]);
  expect(JSON.parse(stdout).reasons[0].message).toBe('5');
});

const csv = (n: number) =>
  ['reference,phoneNo,ip', ...Array.from({ length: n }, (_, i) => `R-${i},+1202555010${i},203.0.113.12`)].join('\n');

test('a store that cannot be opened ends the command before anybody is asked', async () => {
  const { folder, decide } = commands();
  expect(await decide(['--velocity', folder])).toMatchObject({ exitCode: 2, counts: [] });
});
