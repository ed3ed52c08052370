/** `verdict audit search`: what each format prints, and what none does. */

import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { parse } from 'csv-parse/sync';
import { v7 as uuidV7 } from 'uuid';
import { expect, it } from 'vitest';
import { type DecisionFields, type EntryFields, formatEntry, NO_HASH } from '../../../../src/audit/entry/entry.ts';
import { initAuditLog } from '../../../../src/audit/init.ts';
import { readIndexKeys } from '../../../../src/audit/keys/key-folder.ts';
import { referenceHash, subjectsOf } from '../../../../src/audit/keys/subject.ts';
import { keysFolder } from '../../../../src/audit/place.ts';
import { folderAt } from '../../../../src/audit/store/files.ts';
import { normaliseVariable } from '../../../../src/signals/request.ts';
import { printableLines } from '../../../../src/text.ts';
import { runCli } from '../../../support/cli/cli.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';

const PHONE = '+12025550101';
const DIGITS = /2025550101/;
const DIGEST = `sha256:${'7'.repeat(64)}`;

const decidedBy = (...codes: string[]) => ({ decisive: codes, fired: [], undetermined: [] });

/** A decision at this hour after 2026-11-20T00:00Z. */
function decision(hour: number, given: Partial<DecisionFields> = {}): DecisionFields {
  const fields = {
    ...{ kind: 'decision', at: new Date(Date.UTC(2026, 10, 20, hour)).toISOString(), id: uuidV7(), subjects: {} },
    writtenAt: '2026-11-20T10:00:00.000Z',
    ...{
      outcome: 'accept',
      reasons: decidedBy('DEFAULT'),
      rules: [],
      undetermined: [],
      missing: {},
      reference: `1:${'5'.repeat(64)}`,
    },
    policy: { name: 'onboarding', version: '2026.11', digest: DIGEST },
    ...{ mapping: DIGEST, engine: '0.1.0', plain: {}, ...given },
  };
  return fields as unknown as DecisionFields;
}

/** A log with one record a segment; returns its folder and that of its chain. */
async function logOf(...records: EntryFields[]): Promise<{ readonly dir: string; readonly folder: string }> {
  const dir = join(temporaryFolder(), 'log');
  const { log } = await initAuditLog({ dir });
  const chain = uuidV7();
  const folder = join(dir, 'chains', chain);
  mkdirSync(folder);
  let [seq, prev] = [0, NO_HASH];
  const open: EntryFields = {
    kind: 'open',
    at: '2026-11-20T00:00:00.000Z',
    log,
    epoch: 1,
    engine: '0.1.0',
    segment: 1,
  };
  for (const [i, fields] of [open, ...records].entries()) {
    const line = formatEntry({ chain, seq: seq + 1, prev, batch: seq + 1, ...fields });
    [seq, prev] = [seq + 1, line.hash];
    writeFileSync(join(folder, `${String(i + 1).padStart(8, '0')}.ndjson`), line.text, { flag: 'wx' });
  }
  return { dir, folder };
}

const FLAGGED = decision(2, {
  outcome: 'review',
  reasons: { decisive: ['PORTED_AND_RISKY_EMAIL'], fired: ['SCORE'], undetermined: ['DARK_WEB'] },
  rules: ['port-and-email'],
  undetermined: ['dark-web'],
  missing: { sourceFailed: ['email.darkWeb.hitCount', 'email.darkWeb.lastHit'] },
});
const NOTE: EntryFields = {
  ...{ kind: 'note', at: '2026-11-20T09:00:00.000Z', id: uuidV7(), decision: FLAGGED.id, disposition: 'approve' },
  ...{ subjects: {}, plain: { by: 'A. Okafor', why: 'called back' } },
};

it('prints a table of the decisions, the newest first, and that the log was not verified', async () => {
  const { dir } = await logOf(decision(1), FLAGGED, NOTE);
  const { exitCode, stdout, stderr } = await runCli(['audit', 'search', dir]);
  const [head, flagged, codes, fired, open, missing, accepted, ...rest] = stdout.split('\n');
  expect(head).toMatch(/^at +id +outcome +note +policy$/);
  expect(flagged?.split(/ {2,}/)).toEqual([
    '2026-11-20T02:00:00.000Z',
    ...[FLAGGED.id, 'review', 'approve', 'onboarding@2026.11'],
  ]);
  expect([codes, fired, open, missing]).toEqual([
    '  reasons        PORTED_AND_RISKY_EMAIL, (SCORE), DARK_WEB?',
    '  fired          port-and-email',
    '  undetermined   dark-web',
    '  missing facts  its source did not answer: email.darkWeb.hitCount, email.darkWeb.lastHit',
  ]);
  expect(accepted).toMatch(/^2026-11-20T01:00:00.000Z .* accept +- +onboarding@2026.11$/);
  expect(rest).toEqual([
    '  reasons        DEFAULT',
    '',
    'reasons: R decided; (R) fired, not decisive; R? undetermined',
    '',
    '2 decisions',
    `not verified: run verdict audit verify ${dir}`,
    '',
  ]);
  expect([exitCode, stderr]).toEqual([0, '']);
});

it.each([
  [120, /^at +id +outcome +note +policy$/m, 'onboarding@2026.11'],
  [93, /^at +id +outcome +note {5}policy$/m, '…'],
  [40, /^at +id +outcome +note$/m, 'policy         onboarding@2026.11'],
])('the table fits a terminal of %i columns, or 80 if it has fewer', async (columns, head, policy) => {
  const rules = Array.from({ length: 12 }, (_, i) => `a-rule-that-fired-${i}`);
  const { dir } = await logOf(decision(1), { ...FLAGGED, rules } as EntryFields, NOTE);
  const { stdout } = await runCli(['audit', 'search', dir], { columns });
  const lines = stripVTControlCharacters(stdout).split('\n');
  expect(
    Math.max(...lines.filter((each) => !each.startsWith('not verified')).map((each) => each.length)),
  ).toBeLessThanOrEqual(Math.max(80, columns));
  expect(lines.join('\n')).toMatch(head);
  expect(lines.join('\n')).toContain(policy);
  for (const rule of rules) expect(stdout).toContain(rule);
});

it('says how many decisions match in all, and if there is none', async () => {
  const { dir } = await logOf(decision(1), decision(2), decision(3));
  const some = await runCli(['audit', 'search', dir, '--limit', '2']);
  expect(some.stdout).toContain('\nthe newest 2 of 3 decisions; --limit shows more\n');
  const none = await runCli(['audit', 'search', dir, '--from', '2030-01-01']);
  expect(none.stdout).toBe(`no decision found\nnot verified: run verdict audit verify ${dir}\n`);
  expect(none.exitCode).toBe(0);
});

it('every option narrows the search, and repeating an option widens it', async () => {
  const { dir } = await logOf(
    decision(1),
    FLAGGED,
    decision(30, {
      outcome: 'reject',
      reasons: decidedBy('BLOCKED'),
      rules: ['blocked'],
      policy: { name: 'other', version: '1', digest: DIGEST },
    }),
    decision(31, { undetermined: ['other'] }),
    NOTE,
  );
  const hours = async (...options: string[]) => {
    const { stdout, stderr, exitCode } = await runCli(['audit', 'search', dir, ...options, '--json']);
    if (exitCode !== 0) throw new Error(stderr);
    return JSON.parse(stdout).map(({ at }: { at: string }) => (Date.parse(at) - Date.UTC(2026, 10, 20)) / 3_600_000);
  };
  expect(await hours()).toEqual([31, 30, 2, 1]);
  expect(await hours('--from', '2026-11-21')).toEqual([31, 30]);
  expect(await hours('--from', '2026-11-20', '--to', '2026-11-20')).toEqual([2, 1]);
  expect(await hours('--from', '2026-11-20T02:00:00Z', '--to', '2026-11-21T06:00:00Z')).toEqual([30, 2]);
  expect(await hours('--outcome', 'review', '--outcome', 'reject')).toEqual([30, 2]);
  expect(await hours('--reason', 'BLOCKED', '--reason', 'PORTED_AND_RISKY_EMAIL')).toEqual([30, 2]);
  expect(await hours('--reason', 'DEFAULT')).toEqual([31, 1]);
  expect(await hours('--reason', 'DARK_WEB')).toEqual([]);
  expect(await hours('--undetermined-reason', 'DARK_WEB')).toEqual([2]);
  expect(await hours('--reason', 'SCORE')).toEqual([]);
  expect(await hours('--fired-reason', 'SCORE')).toEqual([2]);
  expect(await hours('--fired-reason', 'SCORE', '--undetermined-reason', 'DEFAULT')).toEqual([]);
  expect(await hours('--rule', 'port-and-email')).toEqual([2]);
  expect(await hours('--policy', 'other', '--policy', 'onboarding@2026.11', '--rule', 'blocked')).toEqual([30]);
  expect(await hours('--policy', 'onboarding@1')).toEqual([]);
  expect(await hours('--policy', DIGEST, '--limit', '1')).toEqual([31]);
  expect(await hours('--undetermined')).toEqual([31, 2]);
  expect(await hours('--undetermined', 'dark-web', '--undetermined', 'port-and-email')).toEqual([2]);
  expect(await hours('--undetermined', 'dark-web', '--undetermined')).toEqual([31, 2]);
  expect(await hours('--undetermined', '--undetermined', 'dark-web')).toEqual([31, 2]);
  expect(await hours('--disposition', 'approve')).toEqual([2]);
  expect(await hours('--disposition', 'fraud', '--disposition', 'approve')).toEqual([2]);
  expect(await hours('--disposition', 'decline')).toEqual([]);
});

const ARCHIVED = {
  policy: 'onboarding',
  rules: [{ id: 'just-ported' }],
  ruleSets: [
    {
      rules: [{ id: 'watched', reason: 'ON_WATCH_LIST' }],
      tables: [
        {
          id: 'limits',
          rows: {
            columns: ['phone.type', 'reason'],
            rows: [
              ['voip', 'VOIP'],
              ['any', null],
            ],
          },
        },
      ],
    },
  ],
};

it('says that a rule or a reason code is in no record and no policy of the log, and which one is near', async () => {
  const { dir } = await logOf(decision(1), FLAGGED);
  writeFileSync(join(dir, 'policies', `${'1'.repeat(64)}.json`), JSON.stringify(ARCHIVED));
  writeFileSync(join(dir, 'policies', `${'2'.repeat(64)}.json`), 'damaged');
  const search = (...options: string[]) => runCli(['audit', 'search', dir, ...options]);
  const rule = 'no record and no policy on record has a rule with that id';
  const reason = 'no record and no policy on record has that reason code';
  expect(await search('--rule', 'just-portd')).toEqual({
    ...{ exitCode: 2, stdout: '', stderr: `verdict: --rule: ${rule}; did you mean "just-ported"?\n` },
  });
  for (const [options, said] of [
    [['--rule', 'watched', '--rule', '+447400900222'], `--rule (no. 2): ${rule}`],
    [['--undetermined', 'limits/3'], `--undetermined: ${rule}; did you mean "limits/1"?`],
    [['--reason', 'VOPI'], `--reason: ${reason}; did you mean "VOIP"?`],
    [['--reason', 'WATCHED'], `--reason: ${reason}`],
  ] as const) {
    expect((await search(...options)).stderr).toBe(`verdict: ${said}\n`);
  }
  // In a policy; or only in a record, since the policy is damaged.
  const known = ['just-ported', 'watched', 'limits/1', 'limits/2', 'port-and-email', 'dark-web'];
  for (const name of known) expect((await search('--rule', name)).exitCode).toBe(0);
  for (const code of ['JUST_PORTED', 'ON_WATCH_LIST', 'VOIP', 'LIMITS_2', 'SCORE', 'DARK_WEB']) {
    expect((await search('--reason', code)).exitCode).toBe(0);
  }
  const replayed = await runCli(['audit', 'replay', dir, '--rule', 'just-portd']);
  expect([replayed.exitCode, replayed.stderr]).toEqual([2, expect.stringContaining('did you mean "just-ported"?')]);
});

it('JSON is one array; counts and warnings go to standard error', async () => {
  const { dir } = await logOf(FLAGGED, NOTE, { kind: 'erasure', at: FLAGGED.at, subject: [], records: [FLAGGED.id] });
  const { stdout, stderr } = await runCli(['audit', 'search', dir, '--json']);
  const { at, id, outcome, reasons, rules, undetermined, missing, policy } = FLAGGED;
  const clear = { at, id, outcome, reasons, rules, undetermined, missing, policy };
  expect(JSON.parse(stdout)).toEqual([{ ...clear, review: 'approve', erased: true }]);
  expect(stderr).toBe(`1 decision\nnot verified: run verdict audit verify ${dir}\n`);
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('no cell of the CSV is a formula (%j)', async (version) => {
  const policy = { name: 'a "name", and more; so\non', version, digest: DIGEST };
  const { dir } = await logOf({ ...FLAGGED, policy } as EntryFields, NOTE);
  const { stdout, stderr } = await runCli(['audit', 'search', dir, '--format', 'csv']);
  expect(stdout).toMatch(
    /^at,id,outcome,reasons,rules,undetermined,missing,policy,version,digest,review,label,erased\r\n/,
  );
  const [row, ...more] = parse(stdout, { columns: true, record_delimiter: '\r\n' });
  expect(row).toEqual({
    ...{ at: FLAGGED.at, id: FLAGGED.id, outcome: 'review', reasons: 'PORTED_AND_RISKY_EMAIL (SCORE) DARK_WEB?' },
    ...{ rules: 'port-and-email', undetermined: 'dark-web' },
    ...{ missing: 'email.darkWeb.hitCount=sourceFailed email.darkWeb.lastHit=sourceFailed' },
    ...{
      policy: policy.name,
      version: `'${printableLines(version)}`,
      digest: DIGEST,
      review: 'approve',
      label: '',
      erased: 'false',
    },
  });
  expect(more).toEqual([]);
  expect(stderr).toContain('not verified: ');
});

it('finds a subject, as an argument or on standard input, and never prints it', async () => {
  const { dir, folder } = await logOf(decision(1), decision(2));
  const [key] = await readIndexKeys(
    folderAt(keysFolder({ dir })),
    JSON.parse(readFileSync(join(dir, 'log.json'), 'utf8')).log,
  );
  const read = normaliseVariable('phoneNo', PHONE);
  if (!key || 'problem' in read) throw new Error('a key and a number were expected');
  const theirs = decision(3, { subjects: subjectsOf(new Map([['phoneNo', read.value]]), key) });
  const last = readdirSync(folder).sort().at(-1) ?? '';
  appendFileSync(join(folder, last), formatEntry({ chain: uuidV7(), seq: 1, prev: NO_HASH, batch: 1, ...theirs }).text);
  // No process can continue that chain.
  const search = ['audit', 'search', dir, '--json', '--unrecorded', '--subject'];
  const given = await runCli([...search, PHONE]);
  const typed = await runCli([...search, '-'], { stdin: '+1 (202) 555-0101\n' });
  expect(given.stderr).toMatch(/^not on record: chain .*; nothing was written\n/);
  expect(JSON.parse(given.stdout)).toMatchObject([{ id: theirs.id }]);
  expect(typed).toEqual(given);
  const elsewhere = ['--keys', join(dir, 'none')];
  const refused = [
    await runCli(['audit', 'search', dir, '--subject', PHONE, ...elsewhere]),
    await runCli(['audit', 'search', dir, '--subject', PHONE], { env: { VERDICT_AUDIT_KEYS: join(dir, 'none') } }),
    await runCli(['audit', 'search', dir, '--subject', `${PHONE} nobody`]),
    await runCli(['audit', 'search', dir, '--subject', PHONE, '--subject', PHONE]),
    await runCli(['audit', 'search', dir, '--subject', '-']),
  ];
  expect(refused.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2, 2]);
  for (const { stdout, stderr } of [given, typed, ...refused]) expect(stdout + stderr).not.toMatch(DIGITS);
});

it('finds the decisions of a reference, as an argument or on standard input, and never prints it', async () => {
  const { dir, folder } = await logOf(decision(1));
  const { log } = JSON.parse(readFileSync(join(dir, 'log.json'), 'utf8'));
  const [key] = await readIndexKeys(folderAt(keysFolder({ dir })), log);
  if (!key) throw new Error('a key was expected');
  const theirs = decision(3, { reference: referenceHash('ONB-7731', key) });
  const last = readdirSync(folder).sort().at(-1) ?? '';
  appendFileSync(join(folder, last), formatEntry({ chain: uuidV7(), seq: 1, prev: NO_HASH, batch: 1, ...theirs }).text);
  const given = await runCli(['audit', 'search', dir, '--reference', 'ONB-7731', '--json']);
  expect(JSON.parse(given.stdout)).toMatchObject([{ id: theirs.id }]);
  expect(await runCli(['audit', 'search', dir, '--reference', '-', '--json'], { stdin: 'ONB-7731\n' })).toEqual(given);
  expect((await runCli(['audit', 'search', dir, '--reference', 'ONB-773'])).stdout).toContain('no decision found');
  for (const refused of [
    await runCli(['audit', 'search', dir, '--reference', 'ONB-7731', '--keys', join(dir, 'none')]),
    await runCli(['audit', 'search', dir, '--reference', '-', '--subject', '-'], { stdin: 'ONB-7731\n' }),
  ]) {
    expect([refused.exitCode, refused.stdout]).toEqual([2, '']);
  }
  expect(given.stdout + given.stderr).not.toContain('ONB-7731');
});

it('counts decisions by keys in place of listing them: text, JSON and CSV', async () => {
  const both = { reasons: decidedBy('BLOCKED', 'PORTED_AND_RISKY_EMAIL'), rules: ['a', 'b'] };
  const { dir } = await logOf(decision(1), FLAGGED, decision(300, { ...both, outcome: 'reject' }));
  const args = ['audit', 'search', dir, '--count-by', 'reason,month'];
  const text = await runCli(args);
  expect(text.stdout.split('\n')).toEqual([
    '  reason                  month    decisions',
    '  PORTED_AND_RISKY_EMAIL  2026-11  1',
    '  PORTED_AND_RISKY_EMAIL  2026-12  1',
    '  BLOCKED                 2026-12  1',
    '  DEFAULT                 2026-11  1',
    '',
    '3 decisions; one with several decisive reasons counts once for each',
    `not verified: run verdict audit verify ${dir}`,
    '',
  ]);
  const json = await runCli([...args, '--json', '--outcome', 'reject']);
  expect(JSON.parse(json.stdout)).toEqual([
    { reason: 'BLOCKED', month: '2026-12', decisions: 1 },
    { reason: 'PORTED_AND_RISKY_EMAIL', month: '2026-12', decisions: 1 },
  ]);
  expect(json.stderr).toContain('1 decision; one with several');
  const csv = await runCli(['audit', 'search', dir, '--count-by', 'rule', '--format', 'csv']);
  expect(csv.stdout).toBe('rule,decisions\r\n,1\r\na,1\r\nb,1\r\nport-and-email,1\r\n');
  const none = await runCli([...args, '--from', '2030-01-01']);
  expect(none.stdout).toBe(`0 decisions\nnot verified: run verdict audit verify ${dir}\n`);
});

it.each([
  ['--count-by', 'week'],
  ['--count-by', 'reason,'],
  ['--count-by', 'reason', '--limit', '3'],
  ['--outcome', 'maybe'],
  ['--disposition', 'maybe'],
  ['--limit', 'many'],
  ['--limit', '0'],
  ['--from', 'yesterday'],
])('an invalid value is a usage error (%s %s)', async (...options) => {
  const { dir } = await logOf(decision(1));
  const { exitCode, stdout } = await runCli(['audit', 'search', dir, ...options]);
  expect([exitCode, stdout]).toEqual([2, '']);
});

it('a log with a malformed line is not searched in part', async () => {
  const { dir, folder } = await logOf(decision(1), decision(2));
  appendFileSync(join(folder, '00000002.ndjson'), 'x\n');
  const { exitCode, stdout, stderr } = await runCli(['audit', 'search', dir]);
  expect([exitCode, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(
    /^verdict: line 2 of segment 2 of chain \S+ cannot be read: verify the log with verdict audit verify/,
  );
});

it('control characters in a log do not reach the terminal', async () => {
  const policy = { name: 'a\u001b[2Jb', version: '\u202e1', digest: DIGEST };
  const { dir } = await logOf(decision(1, { policy, rules: ['\u0007'] }));
  const { stdout } = await runCli(['audit', 'search', dir]);
  expect(stdout).toContain('a\\u{001b}[2Jb@\\u{202e}1');
  expect(stdout).toContain('fired          \\u{0007}');
});
