import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { intentsFile } from '../../../src/cli/bulk/journal.ts';
import { showState, startProgress } from '../../../src/cli/bulk/run-progress.ts';
import { newTally } from '../../../src/cli/bulk/tally.ts';
import { createRate } from '../../../src/cli/progress.ts';
import { PERSONAS } from '../../../src/sandbox/index.ts';
import { type RunSetting, runCli } from '../../support/cli/cli.ts';
import { applicantsCsv, countingService } from '../../support/cli/counting-service.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';
import { environmentOf, sandboxFor } from '../../support/signals/service.ts';

const AT = ['--at', '2026-11-20'];
const CSV = [
  'phoneNo,email,ip,reference',
  ...PERSONAS.map(({ name, phoneNo, email, ip }) => [`+${phoneNo}`, email, ip, name].join(',')),
].join('\n');

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Creates a folder with a file of applicants and a function that runs `decide --file --out` on it. */
function bulkOf(applicants: string, setting: RunSetting = {}) {
  const folder = temporaryFolder({ 'applicants.csv': applicants });
  const [file, out] = [join(folder, 'applicants.csv'), join(folder, 'decisions.ndjson')];
  const run = (args: readonly string[] = [], more: RunSetting = {}) =>
    runCli(['decide', '--file', file, '--out', out, ...AT, ...args], { ...setting, ...more });
  return { file, out, run, recorded: () => linesOf(readFileSync(out, 'utf8')) };
}

describe('verdict decide --file', () => {
  it('decides on each row as on a single applicant, and prints counts', async () => {
    const { run, recorded } = bulkOf(CSV);
    const { exitCode, stdout, stderr } = await run(['--sandbox']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    // For the persona that needs a further service, the phone number alone looks clean.
    expect(stdout).toBe('12 decided: 3 accept, 7 review, 2 reject\n');
    for (const { line, clientReference, outcome, decidedAt } of recorded()) {
      const persona = PERSONAS[line - 2];
      expect({ clientReference, decidedAt }).toEqual({
        clientReference: persona?.name,
        decidedAt: '2026-11-20T00:00:00.000Z',
      });
      if (!persona?.services) expect(outcome).toBe(persona?.outcome);
    }
    expect(recorded()).toHaveLength(12);
  });

  it('takes a policy with another value of a parameter for another policy', async () => {
    const { run } = bulkOf(applicantsCsv(1));
    const text = `${HEAD}parameters: { limit: 5 }\nrules: [{ id: a, when: { phone.score: { above: $limit } }, then: review }]\n`;
    const own = ['--sandbox', '--policy', join(temporaryFolder({ 'policy.yaml': text }), 'policy.yaml')];
    expect((await run([...own, '--set', 'limit=7'])).exitCode).toBe(0);
    const refused = await run([...own, '--set', 'limit=8']);
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('add --other-policy')]);
    expect((await run([...own, '--set', 'limit=7'])).exitCode).toBe(0);
    expect((await run([...own, '--set', 'limit=8', '--other-policy'])).exitCode).toBe(0);
  });

  it('prints the decisions without --out, and says that nothing is recorded', async () => {
    const stdin = '{"phone":"+12025550101","reference":"R-1"}\n{"phone":"+12025550102"}\n';
    const { exitCode, stdout, stderr } = await runCli(['decide', '--file', '-', '--sandbox', ...AT], { stdin });
    expect(exitCode).toBe(0);
    expect(linesOf(stdout)).toMatchObject([
      { line: 1, clientReference: 'R-1' },
      { line: 2, clientReference: expect.stringMatching(/^row-/) },
    ]);
    expect(stderr).toMatch(/^verdict: without --out, an interrupted run cannot be resumed.*\n2 decided: /);
  });

  it('accepts the options for one applicant that do not identify the applicant', async () => {
    const folder = temporaryFolder({
      'own.yaml': `${HEAD}facts: { context.limit: { type: number } }
rules:
  - { id: limit, when: { context.limit: { above: 10 } }, then: reject }
`,
    });
    const stdin = '{"phone":"+12025550101"}\n{"phone":"+12025550102","context":{"limit":1}}\n';
    const args = ['--policy', join(folder, 'own.yaml'), '--context', 'limit=11', '--exit-code'];
    const { exitCode, stdout } = await runCli(['decide', '--file', '-', '--sandbox', ...args], { stdin });
    expect(exitCode).toBe(1);
    expect(new Map(linesOf(stdout).map(({ line, outcome }) => [line, outcome]))).toEqual(
      new Map([
        [1, 'reject'],
        [2, 'accept'],
      ]),
    );
  });

  it('prints the counts as JSON with --json', async () => {
    const { run } = bulkOf(`${CSV}\n,,,\nx,,,\n`);
    const { exitCode, stdout } = await run(['--sandbox', '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      decided: { accept: 3, review: 7, reject: 2 },
      recorded: 0,
      wrong: 1,
      doubtful: 0,
      unsent: 0,
      unanswered: 0,
      stopped: null,
      line: 15,
    });
  });

  it('reports bad rows by line, never with a value, and decides on the others', async () => {
    const { calls, env } = await countingService();
    const long = 'R'.repeat(256);
    const { run } = bulkOf(
      'phoneNo,reference\n07700900461,A\n+447700900461,B\n+447700900462,B\n+447700900463,\n+447700900463,\n' +
        `+447700900464,${long}\n`,
      { env },
    );
    const { exitCode, stdout, stderr } = await run();
    expect(exitCode).toBe(1);
    expect(stdout).toBe('2 decided: 0 accept, 2 review, 0 reject\n4 wrong\n');
    expect(stderr.split('\n').sort()).toEqual([
      '',
      'verdict: line 2: phoneNo starts with 0: the international form, with the country code, was expected',
      'verdict: line 4: an earlier row has the same reference',
      'verdict: line 6: same as an earlier row; to ask twice, give each a reference',
      'verdict: line 7: the request cannot be used: clientReference has to be a text of 1 to 255 characters, ' +
        'none of them a control character',
    ]);
    expect(calls.map(({ phoneNo }) => phoneNo).sort()).toEqual(['447700900461', '447700900463']);
  });

  it.each<[string, readonly string[], string]>([
    ['--rate without a file', ['--phone', '1', '--rate', '5'], '--rate goes with --file'],
    ['--resend without --out', ['--file', 'a.csv', '--resend'], '--resend goes with --out'],
    ['--other-policy without --out', ['--file', 'a.csv', '--other-policy'], '--other-policy goes with --out'],
    ['--other-policy without --file', ['--other-policy'], '--other-policy goes with --file'],
    ['a file of an unknown kind', ['--file', 'a.txt'], 'add --input'],
    ['a concurrency of 0', ['--file', 'a.csv', '--concurrency', '0'], 'Expected a whole number from 1 to 10000'],
    ['a rate of 0', ['--file', 'a.csv', '--rate', '0'], 'Expected a number above 0'],
  ])('is a usage error with %s', async (_, args, said) => {
    const { exitCode, stderr } = await runCli(['decide', '--sandbox', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(said);
  });

  it.each<[string, readonly string[], string]>([
    ['a missing file', ['--file', 'nowhere.csv'], 'nowhere.csv: no such file'],
    [
      'an --out in a missing folder',
      ['--file', '-', '--out', '/nowhere/out.ndjson'],
      '/nowhere/out.ndjson cannot be written: its folder does not exist',
    ],
    ['an --out that is a folder', ['--file', '-', '--out', import.meta.dirname], 'is not a regular file'],
  ])('cannot run with %s', async (_, args, said) => {
    const { exitCode, stderr } = await runCli(['decide', '--sandbox', ...args]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(said);
  });
});

describe('a second run of verdict decide --file', () => {
  it('sends only the rows that are not recorded', async () => {
    const { calls, env } = await countingService();
    const { file, run, recorded } = bulkOf(applicantsCsv(5), { env });
    expect((await run()).exitCode).toBe(0);
    expect((await run()).stdout).toBe('0 decided: 0 accept, 0 review, 0 reject\n5 recorded by an earlier run\n');
    writeFileSync(file, applicantsCsv(7));
    expect((await run()).stdout).toContain('5 recorded');
    expect(calls).toHaveLength(7);
    expect(recorded()).toHaveLength(7);
  });

  it('lists rows that were begun but not recorded, and sends them only with --resend', async () => {
    const { calls, env } = await countingService();
    const { file, out, run, recorded } = bulkOf(applicantsCsv(4), { env });
    await run();
    // The state after a kill before the answers of two rows. One of them is no longer in the file.
    writeFileSync(out, readFileSync(out, 'utf8').replace(/^.*"R-[13]".*\n/gm, ''));
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\n.*,R-3/, ''));
    const again = await run();
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toBe(
      'verdict: line 3: "R-1" was begun by an earlier run and not recorded; it may have been billed\n' +
        'verdict: line 5 of an earlier run, no longer in the file: "R-3" was begun by an earlier run and ' +
        'not recorded; it may have been billed\n',
    );
    expect(calls).toHaveLength(4);
    const resent = await run(['--resend']);
    expect(resent.stdout).toMatch(/^1 decided: .*\n2 recorded by an earlier run\n1 begun by an earlier run/);
    expect(calls.map(({ reference }) => reference).sort()).toEqual(['R-0', 'R-1', 'R-1', 'R-2', 'R-3']);
    expect(recorded()).toHaveLength(3);
  });
});

describe('without an answer of the service', () => {
  it('a row that was certainly not carried out is not decided, and a later run sends it', async () => {
    let isFull = true;
    const { calls, env } = await countingService((response, good) => {
      response.statusCode = isFull ? 400 : 200;
      response.end(good);
    });
    const { run, recorded } = bulkOf(applicantsCsv(2), { env });
    const { exitCode, stdout, stderr } = await run();
    expect(exitCode).toBe(3);
    expect(stdout).toBe('0 decided: 0 accept, 0 review, 0 reject\n2 not carried out, and not billed\n');
    expect(stderr).toContain('verdict: line 2: not carried out (REJECTED), and not billed\n');
    expect(recorded()).toEqual([]);
    isFull = false;
    expect((await run()).exitCode).toBe(0);
    expect(recorded()).toHaveLength(2);
    expect(calls).toHaveLength(4);
  });

  it('a row that may have been billed is decided without an answer, and never sent again', async () => {
    const { calls, env } = await countingService((response) => response.destroy());
    const { run, recorded } = bulkOf(applicantsCsv(2), { env });
    const { exitCode, stderr } = await run();
    expect(exitCode).toBe(3);
    expect(stderr).toContain('line 2: decided without an answer (CONNECTION_LOST), which may have been billed');
    expect(recorded()).toMatchObject([{ outcome: 'review' }, { outcome: 'review' }]);
    await run(['--resend']);
    expect(calls).toHaveLength(2);
  });

  it('for many consecutive rows, the run stops and says where', async () => {
    const { calls, env } = await countingService((response) => response.destroy());
    const { run, recorded } = bulkOf(applicantsCsv(500), { env });
    const { exitCode, stderr } = await run(['--concurrency', '2']);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(
      /the service gives no answer \([A-Z_]+\): stopped after line \d+; run the same command to resume/,
    );
    expect(calls.length).toBeLessThanOrEqual(22);
    expect(recorded()).toHaveLength(calls.length);
  });

  it('the run stops at once when the calls of the day are used up, and the next run resumes', async () => {
    const { calls, env } = await countingService();
    const { run, recorded } = bulkOf(applicantsCsv(6), { env });
    const { exitCode, stderr } = await run(['--concurrency', '1', '--max-calls-per-day', '2']);
    expect(exitCode).toBe(3);
    const why = 'the calls of the day are used up (DAILY_LIMIT_REACHED): stopped after line';
    expect(stderr).toMatch(new RegExp(`verdict: ${why.replace(/[()]/g, '.')} [45]; run the same command to resume`));
    expect([calls.length, recorded().length]).toEqual([2, 2]);
    await run();
    expect([calls.length, recorded().length]).toEqual([6, 6]);
  });

  it('the run stops at once if the sign-in is refused', async () => {
    const sandbox = await sandboxFor();
    const { run } = bulkOf(applicantsCsv(50), { env: { ...environmentOf(sandbox), VERDICT_PASSWORD: 'wrong' } });
    const { exitCode, stdout, stderr } = await run(['--concurrency', '3']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('(SIGN_IN_REFUSED): stopped');
    expect(stdout).toMatch(/\n[1-6] not carried out/);
    expect(sandbox.counts.refused).toBe(1);
  });
});

describe('Ctrl-C', () => {
  it('waits for calls in flight, sends no further row and says where it stopped; the next run resumes', async () => {
    const ending = new AbortController();
    const held: (() => void)[] = [];
    let isHeld = true;
    const { calls, env } = await countingService((response, good) => {
      if (!isHeld) return response.end(good);
      held.push(() => response.end(good));
      if (held.length < 3) return undefined;
      ending.abort();
      for (const answer of held) answer();
      return undefined;
    });
    const { run, recorded } = bulkOf(applicantsCsv(10), { env });
    const { exitCode, stderr } = await run(['--concurrency', '3'], { signal: ending.signal });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('taking no further rows; waiting for those that were sent');
    expect(stderr).toContain('interrupted after line 4; run the same command to resume');
    expect(recorded()).toHaveLength(3);
    expect(calls).toHaveLength(3);
    isHeld = false;
    expect((await run()).exitCode).toBe(0);
    expect(calls.map(({ reference }) => reference).sort()).toEqual(Array.from({ length: 10 }, (_, i) => `R-${i}`));
  });

  it('does not send rows that wait for the rate limit', async () => {
    const ending = new AbortController();
    const { calls, env } = await countingService((response, good) => {
      ending.abort();
      response.end(good);
    });
    const { out, run } = bulkOf(applicantsCsv(10), { env });
    const { exitCode, stdout } = await run(['--rate', '0.5'], { signal: ending.signal });
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^1 decided: .*\n1 not carried out/);
    expect(calls).toHaveLength(1);
    expect(readFileSync(intentsFile(out), 'utf8').match(/"begun"/g)).toHaveLength(1);
  });

  it('ends a wait for standard input', async () => {
    const ending = new AbortController();
    const sandbox = await sandboxFor();
    const ran = runCli(['decide', '--file', '-'], {
      env: environmentOf(sandbox),
      stdin: '{"phone":"+12025550101"}\n',
      signal: ending.signal,
      onOutput: () => ending.abort(),
    });
    expect((await ran).stdout).toContain('"line":1');
  });
});

describe('progress', () => {
  afterEach(() => void vi.useRealTimers());
  const tally = { ...newTally(), decided: { accept: 300, review: 80, reject: 20 } };
  const state = { tally, bytes: 5_000, size: 10_000, sentFrom: 1_000, perSecond: 48.2 };

  it('shows the share done, the rate, the outcomes and the time left', () => {
    // 400 rows took 4,000 bytes; 5,000 are left, so 500 rows at 48.2 a second.
    expect(showState(state)).toBe(
      '██████████░░░░░░░░░░ 50%  400 decided  48/s  300 accept, 80 review, 20 reject  11 s left',
    );
    expect(showState({ ...state, perSecond: 0.05 })).toContain('0.1/s');
    expect(showState({ ...state, perSecond: 0.05 })).toContain('2 h 46 min left');
    expect(showState({ ...state, tally: { ...tally, recorded: 7 } })).toContain('50%  7 recorded before  400 decided');
    expect(showState({ ...state, size: undefined })).toBe('400 decided  48/s  300 accept, 80 review, 20 reject');
  });

  it('uses the rate of the last ten seconds', () => {
    const rate = createRate();
    for (let second = 0; second <= 20; second++) rate(second < 10 ? 0 : (second - 10) * 5, second * 1000);
    expect(rate(55, 21_000)).toBe(5);
    expect(createRate()(7, 0)).toBe(0);
  });

  it.each([
    ['redraws a bar in place on a terminal, with messages above it', true],
    ['prints a line from time to time if not on a terminal', false],
  ])('%s', async (_, isTTY) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    let printed = '';
    const stderr = Object.assign(
      new Writable({
        write(chunk, _encoding, done) {
          printed += String(chunk);
          done();
        },
      }),
      { isTTY, columns: 30 },
    );
    const progress = startProgress({ stderr }, () => state);
    vi.advanceTimersByTime(1_000);
    await progress.say('line 7: wrong');
    vi.advanceTimersByTime(10_000);
    await progress.end();
    const before = printed;
    vi.advanceTimersByTime(60_000);
    expect(printed).toBe(before);
    if (isTTY) {
      expect(printed.startsWith('\r██████████░░░░░░░░░░ 50%  400\x1b[K\r█')).toBe(true);
      expect(printed).toContain('\r\x1b[Kverdict: line 7: wrong\n\r█');
      expect(printed.endsWith('\x1b[K')).toBe(true);
    } else expect(printed).toMatch(/^verdict: line 7: wrong\nverdict: 50% {2}400 decided.*reject\n$/);
  });
});
