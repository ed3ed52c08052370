/** The commands of `verdict audit` that write to a log, `verify`, and `verdict decide --audit`. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../../src/audit/entry/entry.ts';
import { changeOwner } from '../../../support/audit/crashed-owner.ts';
import { type Ran, type RunSetting, runCli } from '../../../support/cli/cli.ts';
import { applicantsCsv, countingService } from '../../../support/cli/counting-service.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';
import { sampled } from '../../../support/sampled.ts';
import { environmentOf, serviceThat } from '../../../support/signals/service.ts';

const PHONE = '+44 7700 900123';
const EMAIL = 'nora.kestrel@plover.example';
const WHO = ['--phone', PHONE, '--email', EMAIL, '--sandbox'];
const POLICY = resolve(import.meta.dirname, '../../../../rules/phone-only.yaml');
const MAIN = resolve(import.meta.dirname, '../../../../dist/cli/main.js');

const audit = (...args: readonly string[]) => runCli(['audit', ...args]);

/** Expects exit code 0 and nothing on stderr. */
function expectDone({ exitCode, stderr }: Ran): void {
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
}

/** Creates a log in a folder of its own. */
async function newLog() {
  const root = temporaryFolder();
  const dir = join(root, 'log');
  expectDone(await audit('init', dir));
  const decide = (args: readonly string[] = WHO, setting: RunSetting = {}) => {
    // The shipped policy has long lists, which each command would read.
    const policy = args.includes('--policy') ? [] : ['--policy', POLICY];
    return runCli(['decide', '--audit', dir, '--json', ...policy, ...args], setting);
  };
  return { root, dir, keys: `${dir}-keys`, decide, lines: () => linesOf(dir) };
}

function linesOf(dir: string): Entry[] {
  return segmentsOf(dir).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  );
}

const segmentsOf = (dir: string) =>
  readdirSync(join(dir, 'chains'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .map((name) => join(dir, 'chains', name));

const countOf = (lines: readonly Entry[], kind: Entry['kind']) => lines.filter((line) => line.kind === kind).length;

const UNCOUNTED = 'Not looked at: what a velocity store counts; see --velocity.\n';

describe('verdict audit init', () => {
  it('creates a log, and says where it is and what to keep elsewhere', async () => {
    const root = temporaryFolder();
    const ran = await audit('init', join(root, 'log'), '--keys', join(root, 'safe'), '--origin', 'bank.example');
    expectDone(ran);
    expect(ran.stdout).toMatch(/^log [0-9a-f-]{36} of bank\.example created\n/);
    expect(ran.stdout).toContain(`${join(root, 'log')}: the records, nothing secret`);
    expect(ran.stdout).toContain(`${join(root, 'safe')}: the keys; `);
    expect(readdirSync(root).sort()).toEqual(['log', 'safe']);
  });

  it('puts the keys where the environment variable says, unless --keys is given', async () => {
    const root = temporaryFolder();
    const env = { VERDICT_AUDIT_KEYS: join(root, 'from-env') };
    expectDone(await runCli(['audit', 'init', join(root, 'one')], { env }));
    expectDone(await runCli(['audit', 'init', join(root, 'two'), '--keys', join(root, 'from-flag')], { env }));
    expectDone(await runCli(['decide', '--audit', join(root, 'one'), ...WHO], { env }));
    expect(readdirSync(root).sort()).toEqual(['from-env', 'from-flag', 'one', 'two']);
  });

  it.each<[string, (dir: string) => readonly string[], string]>([
    ['the log folder is not empty', (dir) => [dir], 'the log folder is not empty, and is left as it is'],
    [
      'the key folder is inside the log folder',
      (dir) => [`${dir}-2`, '--keys', `${dir}-2/keys`],
      'expected them apart',
    ],
    ['the origin has a space', (dir) => [`${dir}-2`, '--origin', 'two words'], 'origin has to be'],
  ])('is a usage error if %s', async (_, argsFor, said) => {
    const { dir } = await newLog();
    const { exitCode, stderr } = await audit('init', ...argsFor(dir));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(said);
  });
});

describe('verdict decide --audit', () => {
  it('records the decision that it prints', async () => {
    const { dir, decide, lines } = await newLog();
    const ran = await decide();
    expectDone(ran);
    const { id, outcome } = JSON.parse(ran.stdout);
    expect(lines().filter(({ kind }) => kind === 'decision')).toMatchObject([{ id, outcome }]);
    const verified = await audit('verify', dir);
    expectDone(verified);
    expect(verified.stdout).toContain('1 chain: 1 decision, 0 notes, 0 events, 0 erasures');
    expect(verified.stdout).toContain('bodies: 1 opened with the keys and compared, 0 erased, 0 not encrypted');
    expect(JSON.stringify(lines())).not.toMatch(/900123|kestrel/);
  });

  it.each<[string, (at: { dir: string; keys: string }) => readonly string[], number, string]>([
    [
      'there is no log',
      ({ dir }) => ['--audit', `${dir}-none`],
      2,
      'found no audit log in that folder: `verdict audit init`',
    ],
    [
      'there are no keys',
      ({ dir }) => ['--audit', dir, '--keys', `${dir}-none`],
      2,
      'found no keys.json in the key folder',
    ],
    ['only keys are given', ({ keys }) => ['--keys', keys], 2, '--keys goes with --audit'],
    ['a line of it was changed', ({ dir }) => ['--audit', tampered(dir)], 3, 'nothing was written'],
  ])('calls no service if %s', async (_, argsFor, code, said) => {
    const { dir, keys, decide } = await newLog();
    await decide();
    let asked = 0;
    const service = await serviceThat((_request, response) => {
      asked += 1;
      response.end();
    });
    const who = ['--phone', PHONE, '--email', EMAIL];
    const { exitCode, stdout, stderr } = await runCli(['decide', ...who, ...argsFor({ dir, keys })], {
      env: environmentOf(service),
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/900123|kestrel/);
    expect(asked).toBe(0);
  });

  it('prints no decision that could not be recorded, and says that it may have been billed', async () => {
    const { dir, decide } = await newLog();
    const service = await countingService((response, good) => {
      // Another process appends to the log after it was opened.
      for (const file of segmentsOf(dir)) appendFileSync(file, 'x');
      response.end(good);
    });
    const { exitCode, stdout, stderr } = await decide(['--phone', PHONE, '--policy', POLICY], { env: service.env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    const failure = /^verdict: the audit log could not be written: its last segment has \d+ bytes, expected \d+: /;
    expect(stderr).toMatch(failure);
    const consequence = 'no decision is given; the service was asked, which may have been billed\n';
    expect(stderr.replace(failure, '')).toBe(consequence);
    expect(service.calls).toHaveLength(1);
  });
});

/** Changes a byte of a record. */
function tampered(dir: string): string {
  for (const file of segmentsOf(dir))
    writeFileSync(file, readFileSync(file, 'utf8').replace('"kind":"decision"', '"kind":"decisioN"'));
  return dir;
}

describe('verdict decide --file --audit', () => {
  async function bulk(count: number, setting: RunSetting) {
    const { root, dir, lines } = await newLog();
    const [file, out] = [join(root, 'rows.csv'), join(root, 'out.ndjson')];
    writeFileSync(file, applicantsCsv(count));
    const args = ['decide', '--file', file, '--out', out, '--audit', dir, '--policy', POLICY];
    const run = (more: readonly string[] = []) => runCli([...args, ...more], setting);
    const given = () =>
      readFileSync(out, 'utf8')
        .split('\n')
        .filter((text) => text !== '')
        .map((text) => JSON.parse(text));
    const recorded = () => lines().flatMap((line) => (line.kind === 'decision' ? [line.id] : []));
    return { dir, args, run, given, recorded };
  }

  it('records each row once, and none again in a second run', async () => {
    const { calls, env } = await countingService();
    const { run, given, recorded } = await bulk(30, { env });
    expectDone(await run());
    expectDone(await run());
    expect(recorded().sort()).toEqual(
      given()
        .map(({ id }) => id)
        .sort(),
    );
    expect(recorded()).toHaveLength(30);
    expect(calls).toHaveLength(30);
  });

  it('does not record a row that failed: a later run decides it', async () => {
    let isRefused = true;
    const { env } = await countingService((response, good) => {
      response.statusCode = isRefused ? 400 : 200;
      response.end(good);
    });
    const { run, given, recorded } = await bulk(3, { env });
    expect((await run()).exitCode).toBe(3);
    expect(recorded()).toEqual([]);
    isRefused = false;
    expectDone(await run());
    expect(recorded().sort()).toEqual(
      given()
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('stops at a row that cannot be recorded: it is in doubt, not printed and not requested again', async () => {
    let spoil = () => {};
    const { calls, env } = await countingService((response, good) => {
      if (calls.length === 3) spoil();
      response.end(good);
    });
    const { dir, run, given, recorded } = await bulk(10, { env });
    spoil = () => {
      for (const file of segmentsOf(dir)) appendFileSync(file, 'x');
    };
    const { exitCode, stderr } = await run(['--concurrency', '1']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('could not be written: its last segment has');
    expect(stderr).toContain(': no decision is given');
    expect(calls.map(({ reference }) => reference)).toEqual(['R-0', 'R-1', 'R-2']);
    expect(given().map(({ clientReference }) => clientReference)).toEqual(['R-0', 'R-1']);
    const again = await run();
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toContain('"R-2" was begun by an earlier run and not recorded; it may have been billed');
    expect(calls.filter(({ reference }) => reference === 'R-2')).toHaveLength(1);
    expect(given()).toHaveLength(9);
    expect(recorded().sort()).toEqual(
      given()
        .map(({ id }) => id)
        .sort(),
    );
    expectDone(await audit('verify', dir));
  });

  it('records what it printed, and nothing twice, when it is killed and run again', async () => {
    const ROWS = sampled(20, 40);
    let kill = () => {};
    const { calls, env } = await countingService((response, good) => {
      if (calls.length % 10 === 7) kill();
      response.end(good);
    });
    const { dir, args, run, given, recorded } = await bulk(ROWS, { env });
    for (let i = 0; i < sampled(1, 3); i++) {
      const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env }, stdio: 'ignore' });
      kill = () => child.kill('SIGKILL');
      await once(child, 'close');
    }
    kill = () => {};
    const last = await run();
    const doubtful = [...last.stderr.matchAll(/"(R-\d+)" was begun/g)].map(([, reference]) => reference);
    const ids = given().map(({ id }) => id);
    expect(new Set(recorded()).size).toBe(recorded().length);
    expect(recorded()).toEqual(expect.arrayContaining(ids));
    // A record without a printed decision is one of those in doubt.
    expect(recorded().length - ids.length).toBeLessThanOrEqual(doubtful.length);
    expect(ids.length + doubtful.length).toBe(ROWS);
    expect(doubtful.length).toBeGreaterThan(0);
    expect(new Set(calls.map(({ reference }) => reference)).size).toBe(calls.length);
    expectDone(await audit('verify', dir));
  });
});

describe('the commands that write to a log, as JSON', () => {
  it('say what they did', async () => {
    const { dir, decide, root } = await newLog();
    const { id } = JSON.parse((await decide()).stdout);
    const json = async (...args: readonly string[]) => JSON.parse((await audit(...args, '--json')).stdout);
    const created = await json('init', join(root, 'second'));
    expect(created).toMatchObject({ origin: 'verdict-audit', dir: join(root, 'second') });
    expect(await json('note', dir, id, '--disposition', 'approve', '--by', 'kim', '--why', 'called')).toEqual({
      note: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(await json('rotate', dir, '--index')).toEqual({ indexKey: 2, signingKey: null });
    const { note, against } = await json('checkpoint', dir);
    expect(against).toEqual([]);
    expect(note).toMatch(/^verdict-audit\b/);
    expect(await json('erase', dir, '--subject', PHONE)).toMatchObject({
      records: expect.arrayContaining([id]),
      again: 0,
    });
    const pruned = await json('prune', dir, '--before', '2020-01-01', '--dry-run');
    expect(pruned).toMatchObject({ dryRun: true, segments: [], against: [] });
  });
});

describe('verdict audit note', () => {
  it('records what a person did, and prints neither who nor why', async () => {
    const { dir, decide, lines } = await newLog();
    const { id } = JSON.parse((await decide()).stdout);
    const words = ['--by', 'analyst kestrel', '--why', 'said 900123'];
    const ran = await audit('note', dir, id, '--disposition', 'approve', ...words);
    expectDone(ran);
    const [note] = lines().filter(({ kind }) => kind === 'note');
    expect(note).toMatchObject({ decision: id, disposition: 'approve' });
    expect(ran.stdout).toBe(`note ${note && 'id' in note ? note.id : ''} recorded\n`);
    expect(JSON.stringify(lines())).not.toMatch(/kestrel|900123/);
  });

  it.each<[string, readonly string[], string]>([
    [
      'no such decision',
      ['01a1fd40-0000-7000-8000-000000000001', '--disposition', 'approve'],
      'the log has no decision with that id',
    ],
  ])('is a usage error with %s', async (_, args, said) => {
    const { dir, lines } = await newLog();
    const { exitCode, stderr } = await audit('note', dir, ...args, '--by', 'kestrel', '--why', '900123');
    expect(exitCode).toBe(2);
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/kestrel|900123/);
    expect(countOf(lines(), 'note')).toBe(0);
  });
});

describe('verdict audit search --fact', () => {
  it('finds decisions by encrypted facts, and says what it left out', async () => {
    const { root, dir, decide } = await newLog();
    const { id } = JSON.parse((await decide()).stdout);
    await decide(['--phone', '+44 7700 900456', '--sandbox', '--reference', 'LUM-1006']);
    const search = (...args: string[]) => audit('search', dir, ...args);
    const found = await search('--fact', 'applicant.emailDomain=plover.example', '--json');
    expect(JSON.parse(found.stdout)).toMatchObject([{ id }]);
    await audit('erase', dir, '--reference', 'LUM-1006');
    const none = await search('--fact', 'phone.typ=mobile');
    expect(none.stdout).toBe(
      'no decision found\nnot compared: 1 decision whose facts cannot be read, as after an erasure\n' +
        `no decision that was read has the fact phone.typ\nnot verified: run verdict audit verify ${dir}\n`,
    );
    for (const args of [
      ['--fact', 'phone.type'],
      ['--fact', 'phone.type=voip', '--keys', join(root, 'none')],
    ]) {
      expect((await search(...args)).exitCode).toBe(2);
    }
  });
});

describe('verdict audit replay', () => {
  it('names the decisions that another policy changes by their references too', async () => {
    const { root, dir, decide } = await newLog();
    const policy = join(root, 'strict.yaml');
    writeFileSync(policy, 'policy: strict\nversion: "1"\ndefault: reject\nrules: []\n');
    const one = JSON.parse((await decide([...WHO, '--reference', 'LUM-1005'])).stdout);
    const other = JSON.parse((await decide()).stdout);
    const { stdout } = await audit('replay', dir, '--policy', policy);
    expect(stdout).toContain(`such as LUM-1005 ${one.id}, ${other.id}\n`);
    const { changes } = JSON.parse((await audit('replay', dir, '--policy', policy, '--json')).stdout).other;
    expect(changes).toMatchObject([{ examples: [one.id, other.id], references: ['LUM-1005', other.id] }]);
  });
});

describe('verdict audit erase', () => {
  it('that finds nobody says so, and exits with 1', async () => {
    const { dir, decide } = await newLog();
    await decide();
    const { exitCode, stdout } = await audit('erase', dir, '--subject', 'somebody@else.example');
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: 'nothing to erase: no record and no policy has this phone number, email or IP address\n',
    });
  });

  it('erases a subject from standard input, and says what remains', async () => {
    const { dir, decide } = await newLog();
    await decide();
    await decide();
    const args = ['audit', 'erase', dir, '--subject', '-', '--yes'];
    const ran = await runCli(args, { stdin: `  ${EMAIL.toUpperCase()}\nand more` });
    expectDone(ran);
    expect(ran.stdout).toMatch(
      /^2 records of 1 applicant, with 2 different references, erased\nWhat remains: the keyed hashes of the subject/,
    );
    expect((await runCli(args, { stdin: EMAIL })).stdout).toMatch(/^0 records erased, 2 erased before\n/);
    expect((await audit('verify', dir)).exitCode).toBe(0);
    const replayed = await audit('replay', dir);
    expect(replayed.stdout).toContain('2 decisions erased');
    expect([ran.stdout, replayed.stdout].join('')).not.toMatch(/kestrel|900123/i);
  });

  it('with --dry-run counts, and changes nothing', async () => {
    const { dir, keys, decide, lines } = await newLog();
    await decide();
    await decide();
    const before = [
      lines().length,
      ...readdirSync(join(keys, 'data')).map((name) => readFileSync(join(keys, 'data', name))),
    ];
    const { exitCode, stdout } = await audit('erase', dir, '--subject', EMAIL, '--dry-run');
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: `2 records of 1 applicant, with 2 different references, would be erased\nNothing was changed.\n${UNCOUNTED}`,
    });
    const counted = JSON.parse((await audit('erase', dir, '--subject', EMAIL, '--dry-run', '--json')).stdout);
    expect(counted).toMatchObject({ dryRun: true, references: 2, records: [expect.any(String), expect.any(String)] });
    const after = readdirSync(join(keys, 'data')).map((name) => readFileSync(join(keys, 'data', name)));
    expect([lines().length, ...after]).toEqual(before);
    expect((await audit('replay', dir)).stdout).toContain('2 decisions decided again: 2 the same');
  });

  it('asks before it erases the records of several references, and without a terminal wants --yes', async () => {
    const { dir, decide, lines } = await newLog();
    await decide();
    const erase = (stdin: string | undefined, setting: object = {}, ...more: string[]) =>
      runCli(['audit', 'erase', dir, '--subject', ...more], { ...(stdin === undefined ? {} : { stdin }), ...setting });
    await decide();
    for (const ran of [await erase(`${EMAIL}\n`, {}, '-'), await erase(undefined, {}, EMAIL)]) {
      expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
      expect(ran.stderr).toContain('2 records of 1 applicant, with 2 different references, would be erased, for good');
      expect(ran.stderr).toContain('an office, a family or a mobile carrier; --dry-run counts them, --yes erases them');
      expect(ran.stderr).not.toMatch(/kestrel|900123/i);
    }
    const atTerminal = { isStdinTerminal: true, columns: 100 };
    const refused = await erase('no\n', atTerminal, EMAIL);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/Erase them\? \[y\/N\] verdict: nothing was erased\n$/),
    ]);
    expect(countOf(lines(), 'erasure')).toBe(0);
    const agreed = await erase('yes\n', atTerminal, EMAIL);
    expect([agreed.exitCode, agreed.stdout]).toEqual([0, expect.stringMatching(/^2 records of 1 applicant/)]);
  });

  it('erases the decisions of a reference and no other, and asks if they are of different people', async () => {
    const { dir, decide, lines } = await newLog();
    await decide([...WHO, '--reference', 'LUM-1005']);
    await decide();
    await decide(['--phone', '+44 7700 900456', '--sandbox', '--reference', 'LUM-1006']);
    const erase = (...args: string[]) => audit('erase', dir, '--reference', ...args);
    expect((await erase('LUM-1005', '--dry-run')).stdout).toBe(
      '1 record would be erased\nNothing was changed.\n' +
        UNCOUNTED +
        'Not looked at: other records of the same person, and policies; see --subject.\n',
    );
    const none = await erase('LUM-1007');
    expect([none.exitCode, none.stdout]).toEqual([1, 'nothing to erase: no record has this reference\n']);
    const one = await runCli(['audit', 'erase', dir, '--reference', '-'], { stdin: 'LUM-1005\n' });
    expect([one.exitCode, one.stdout]).toEqual([0, expect.stringMatching(/^1 record erased\nWhat remains: /)]);
    expect((await audit('verify', dir)).exitCode).toBe(0);
    await decide([...WHO, '--reference', 'LUM-1006']);
    const several = await erase('LUM-1006');
    expect([several.exitCode, several.stdout]).toEqual([2, '']);
    expect(several.stderr).toContain(
      '2 records of 2 applicants, with one reference, would be erased, for good: the reference was given to different ' +
        'people; --dry-run counts them, --yes erases them',
    );
    expect((await erase('LUM-1006', '--yes')).stdout).toMatch(
      /^2 records of 2 applicants, with one reference, erased\n/,
    );
    expect(countOf(lines(), 'erasure')).toBe(2);
    for (const args of [[], ['--reference', 'a', '--subject', EMAIL]]) {
      const refused = await audit('erase', dir, ...args);
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('give --subject or --reference')]);
    }
  });

  it.each<[string, string, string | undefined, string]>([
    ['a text that is not a subject', 'kestrel 900123', undefined, 'the subject, read as a phone number, has letters'],
    ['nothing on standard input', '-', ' \n', 'standard input is empty, expected the subject'],
  ])('is a usage error with %s', async (_, subject, stdin, said) => {
    const { dir, lines } = await newLog();
    const ran = await runCli(['audit', 'erase', dir, '--subject', subject], stdin === undefined ? {} : { stdin });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(said);
    expect(ran.stderr).not.toMatch(/kestrel|900123/);
    expect(countOf(lines(), 'erasure')).toBe(0);
  });
});

describe('verdict audit erase of a person whom a policy lists', () => {
  it('erases the entry, and later decisions on that person are shown and replayed as far as they can be', async () => {
    const { root, dir, decide } = await newLog();
    const policy = join(root, 'policy.yaml');
    const rule = 'rules: [{ id: b, when: { applicant.email: { inList: block } }, then: reject }]';
    writeFileSync(
      policy,
      `policy: p\nversion: "1"\ndefault: accept\nlists: { block: [{ value: ${EMAIL}, note: why }] }\n${rule}\n`,
    );
    const who = [...WHO, '--policy', policy];
    await decide(who);
    const planned = await audit('erase', dir, '--subject', EMAIL, '--dry-run');
    expect(planned.stdout).toContain('\n1 text of archived policies would be erased, such as entries of lists\n');
    const ran = await audit('erase', dir, '--subject', EMAIL);
    expectDone(ran);
    expect(ran.stdout).toMatch(/^1 record erased\n1 text of archived policies erased, such as entries of lists\n/);
    expect((await audit('erase', dir, '--subject', EMAIL)).stdout).toContain('\n0 texts of archived policies erased');
    const { id } = JSON.parse((await decide(who)).stdout);
    const other = JSON.parse(
      (await decide(['--phone', PHONE, '--email', 'o@plover.example', '--sandbox', '--policy', policy])).stdout,
    );
    const replayed = await audit('replay', dir);
    expectDone(replayed);
    expect(replayed.stdout).toContain('1 decision decided again: 1 the same to the last byte');
    expect(replayed.stdout).toContain('1 decision not decided again: what their policy said of the applicant');
    const shown = await audit('show', dir, id);
    expectDone(shown);
    expect(shown.stdout).toContain('  What the policy said of one person was erased since');
    expect(shown.stdout).toContain('It cannot be explained: what its policy said of this applicant');
    expect(shown.stdout).toContain('rules that fired    b');
    const explained = await audit('show', dir, other.id);
    expectDone(explained);
    expect(explained.stdout).toContain('Did not fire');
    expect(JSON.parse((await audit('show', dir, id, '--json')).stdout)).toMatchObject({ explanation: null });
    for (const { stdout } of [ran, replayed, shown, explained]) expect(stdout).not.toMatch(/kestrel|erased-\d/);
  });
});

describe('verdict audit erase with an altered key folder', () => {
  it('reports keys that were restored, and records that name a key of another record', async () => {
    const { dir, keys, decide } = await newLog();
    await decide();
    const [block = ''] = readdirSync(join(keys, 'data')).map((name) => join(keys, 'data', name));
    const copy = readFileSync(block);
    await audit('erase', dir, '--subject', PHONE);
    writeFileSync(block, copy);
    const again = await audit('erase', dir, '--subject', PHONE);
    expectDone(again);
    expect(again.stdout).toMatch(
      /^1 record erased\n1 of these had been erased before: was the key folder restored from a copy\?\n/,
    );
    writeFileSync(block, Buffer.alloc(copy.length, 7));
    const other = await audit('erase', dir, '--subject', PHONE);
    expect(other.exitCode).toBe(1);
    expect(other.stdout).toMatch(/^0 records erased\n1 record not erased: the named key does not open the body/);
  });
});

describe('verdict audit prune', () => {
  it('prints what would be pruned, and refuses a future day', async () => {
    const { dir, decide } = await newLog();
    await decide();
    const would = await audit('prune', dir, '--before', '2020-01-01', '--dry-run');
    expectDone(would);
    expect(would.stdout).toBe('0 segments with 0 records would be pruned, 0 keys would be erased\n');
    const refused = await audit('prune', dir, '--before', '9999-01-01');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('the day to prune before is in the future');
  });

  it('refuses, like checkpoint, a log that does not continue an earlier checkpoint', async () => {
    const { root, dir, decide } = await newLog();
    await decide();
    const [first, second] = ['first', 'second'].map((name) => join(root, name));
    expectDone(await audit('checkpoint', dir, '--out', first ?? ''));
    await decide();
    expectDone(await audit('checkpoint', dir, '--previous', first ?? '', '--out', second ?? ''));
    const prune = ['prune', dir, '--before', '2020-01-01', '--checkpoint', second ?? ''];
    expectDone(await audit(...prune));
    const [chain = ''] = readdirSync(join(dir, 'chains'));
    const file = join(dir, 'chains', chain, '00000001.ndjson');
    const [open = '', one = ''] = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, `${open}\n${one}\n`);
    const { seq, hash } = JSON.parse(one);
    changeOwner(dirname(file), (owner) => ({ ...owner, head: { seq, hash } }));
    expect((await audit('checkpoint', dir)).exitCode).toBe(0);
    for (const [args, said] of [
      [['checkpoint', dir, '--previous', second ?? ''], 'no checkpoint was signed'],
      [prune, 'the log does not continue the checkpoint: nothing was pruned'],
    ] as const) {
      const refused = await audit(...args);
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
      expect(refused.stderr).toContain(`checkpoint-cut: `);
      expect(refused.stderr).toContain(said);
      // If nobody reads standard error, the exit code still says it.
      expect((await runCli(['audit', ...args], { isStderrBroken: true })).exitCode).toBe(1);
    }
  });
});

describe('verdict audit rotate', () => {
  it('adds a key that signs from then on; an earlier key signs if its file is named', async () => {
    const { dir, keys } = await newLog();
    const [earlier = ''] = readdirSync(join(dir, 'public'));
    const { stdout } = await audit('rotate', dir, '--signing');
    const [, id = ''] = /^signing key ([0-9a-f]{16}) added/.exec(stdout) ?? [];
    expect(existsSync(join(dir, 'public', `${id}.pem`))).toBe(true);
    const signed = await audit('checkpoint', dir);
    expectDone(signed);
    expect(signed.stdout).toContain(` ${id} `);
    const before = await audit('checkpoint', dir, '--signing-key', join(keys, `signing-${earlier}`));
    expectDone(before);
    expect(before.stdout).toContain(` ${earlier.slice(0, 16)} `);
  });

  it('is a usage error without a kind of key, or with the keys of another log', async () => {
    const [one, other] = [await newLog(), await newLog()];
    expect(await audit('rotate', one.dir)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('give --index, --signing, or both'),
    });
    const mixed = await audit('rotate', one.dir, '--index', '--keys', other.keys);
    expect(mixed).toMatchObject({ exitCode: 2, stderr: 'verdict: the key folder belongs to another log\n' });
  });
});

describe('verdict audit verify', () => {
  it('reports two policies with one name and version', async () => {
    const { root, dir, decide } = await newLog();
    for (const limit of [1, 2]) {
      const file = join(root, `${limit}.yaml`);
      writeFileSync(
        file,
        [
          'policy: onboarding\nversion: "7"\ndefault: accept\nrules:',
          `  - { id: a, when: { phone.score: { above: ${limit} } }, then: review }\n`,
        ].join('\n'),
      );
      await decide([...WHO, '--policy', file]);
    }
    const { exitCode, stdout } = await audit('verify', dir);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^policy onboarding 7 is the name of 2 different policies: sha256:[0-9a-f]{64}, sha256:[0-9a-f]{64}$/m,
    );
    expect(stdout).toContain('good: no change found');
  });

  it('names the record of a changed line, and exits with 1', async () => {
    const { dir, decide } = await newLog();
    const { id } = JSON.parse((await decide()).stdout);
    const { exitCode, stdout } = await audit('verify', tampered(dir));
    expect(exitCode).toBe(1);
    const finding = /^chains\/(\S+)\/00000001\.ndjson line 2 \(entry 2 of its chain, record (\S+)\): line-shape: /m;
    const [, chain, record] = finding.exec(stdout) ?? [];
    expect(readdirSync(join(dir, 'chains'))).toEqual([chain]);
    expect(record).toBe(id);
    expect(stdout).toContain('BAD: 1 finding');
  });

  it('warns of folders that are open to other users, which is not a finding', async () => {
    const { dir, keys, decide } = await newLog();
    await decide();
    expect((await audit('verify', dir)).stdout).not.toContain('open to other users');
    chmodSync(join(keys, 'keys.json'), 0o644);
    chmodSync(keys, 0o750);
    chmodSync(join(dir, 'log.json'), 0o604);
    const ran = await audit('verify', dir);
    expectDone(ran);
    const [first, risk] = [`${keys} (mode 0750), and 1 more in ${keys}`, 'anyone with the keys can read the records'];
    expect(ran.stdout).toContain(`\nopen to other users: ${first}; ${risk}: chmod -R go= ${keys}\n`);
    expect(ran.stdout).toContain(`\nopen to other users: ${dir}/log.json (mode 0604): chmod -R go= ${dir}\n`);
    const { stdout } = await audit('verify', dir, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      findings: [],
      openToOthers: [
        { of: 'keys', folder: keys, count: 2, first: '.', mode: '0750' },
        { of: 'log', folder: dir, count: 1, first: 'log.json', mode: '0604' },
      ],
    });
  });
});
