/** Files of rows: each row of the named file is decided, or reported, or the file is refused. */

import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, describe, expect, it } from 'vitest';
import { readFactsFile } from '../../../src/cli/input/facts-file.ts';
import { type DuckDb, openDuckDb } from '../../../src/decision/rows/duckdb.ts';
import { openParquetRows } from '../../../src/decision/rows/parquet-rows.ts';
import { conditionFacts } from '../../../src/policy/language.ts';
import { runCli, silentIo } from '../../support/cli/cli.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';

const db = await openDuckDb().catch(() => undefined);
afterAll(() => db?.close());

const POLICY = `${HEAD}rules: [{ id: bad, when: { phone.riskLevel: { atLeast: high } }, then: reject }]\n`;
const HEADER = 'client_reference,phone_risk_level';

/** Writes a file of rows, as its name says; a CSV is given as text. */
async function writeRows(file: string, csv: string): Promise<string> {
  mkdirSync(dirname(file), { recursive: true });
  if (file.endsWith('.csv')) writeFileSync(file, csv);
  else {
    const [names = [], ...rows] = parse(csv);
    const values = rows.map((row) => `(${row.map((cell) => `'${cell}'`).join(', ')})`).join(', ');
    const quoted = names.map((name) => `"${name}"`).join(', ');
    await db?.connection.run(`COPY (FROM (VALUES ${values}) t(${quoted})) TO '${file}' (FORMAT parquet)`);
  }
  return file;
}

/** Decides on a file: its verdicts and its messages in short. */
async function evaluate(file: string) {
  const policy = join(temporaryFolder({ 'policy.yaml': POLICY }), 'policy.yaml');
  const args = ['evaluate', '--policy', policy, '--at', '2026-11-20', '--facts', file];
  const { exitCode, stdout, stderr } = await runCli(args);
  const verdicts = stdout.split('\n').flatMap((line) => {
    if (line === '') return [];
    const { clientReference, outcome } = JSON.parse(line);
    return [`${clientReference} ${outcome}`];
  });
  return { exitCode, verdicts, said: stderr.replaceAll('verdict: ', '').trimEnd() };
}

/** The rows of a file, with the facts of the policy. */
const readRows = (file: string) => readFactsFile(policyOf(POLICY), { facts: file, at: '2026-11-20' }, silentIo());

const fold = (from: string, to: string, signal?: AbortSignal) =>
  runCli(['facts', 'fold', '--from', from, '--out', to], signal ? { signal } : {});

describe.skipIf(!db).each(['csv', 'parquet'])('a .%s file', (ending) => {
  it('is read under its own name, and no other, though the name is a pattern', async () => {
    const folder = temporaryFolder();
    await writeRows(join(folder, `b1xy {a,b}%20.${ending}`), `${HEADER},ip_isp\nOTHER,low,B\n`);
    const mine = await writeRows(join(folder, 'mine', `m.${ending}`), `${HEADER},ip_isp\nMINE,veryHigh,A\n`);
    const file = join(folder, `b[1]*? {a,b}%20.${ending}`);
    writeFileSync(file, readFileSync(mine));
    expect(await evaluate(file)).toEqual({ exitCode: 0, verdicts: ['MINE reject'], said: '' });
    expect(await fold(file, join(folder, 'folded.csv'))).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(folder, 'folded.csv'), 'utf8')).toBe(`${HEADER},ip_isp\nMINE,veryHigh,a\n`);
  });

  it('has no columns of its folders', async () => {
    const folder = join(temporaryFolder(), 'at=2020-01-01', 'phone_risk_level=low', 'client_reference=B');
    const file = await writeRows(join(folder, `a.${ending}`), `${HEADER}\nA,veryHigh\n`);
    expect(await evaluate(file)).toEqual({ exitCode: 0, verdicts: ['A reject'], said: '' });
  });

  it('is refused if it is a folder, a pipe, a device, a link to itself or missing', async () => {
    const folder = temporaryFolder();
    const named = (name: string) => join(folder, `${name}.${ending}`);
    mkdirSync(named('folder'));
    execFileSync('mkfifo', [named('pipe')]);
    symlinkSync(named('loop'), named('loop'));
    symlinkSync('/dev/zero', named('device'));
    const expected = {
      folder: 'is a folder; expected a file',
      pipe: 'is not a regular file; expected a file',
      loop: 'cannot be read (ELOOP)',
      device: 'is not a regular file; expected a file',
      missing: ': no such file',
    };
    for (const [name, said] of Object.entries(expected)) {
      const file = named(name);
      const found = await evaluate(file);
      expect(found).toEqual({ exitCode: 3, verdicts: [], said: `${file}${said.startsWith(':') ? '' : ' '}${said}` });
    }
  });

  it('is refused, with nothing decided, if two columns have one name without regard to case', async () => {
    const folder = temporaryFolder();
    const file = join(folder, `twice.${ending}`);
    await writeRows(file, 'client_reference,phone_risk_level,xhone_risk_level\nA,low,veryHigh\n');
    // No writer of ours makes such a Parquet file, so the name is changed in its bytes.
    const bytes = readFileSync(file, 'latin1').replaceAll('xhone_risk_level', 'Phone_Risk_Level');
    writeFileSync(file, bytes, 'latin1');
    const said = `${file}: columns 2 and 3 have the same name`;
    expect(await evaluate(file)).toEqual({ exitCode: 3, verdicts: [], said });
    const folded = await fold(file, join(folder, 'to.csv'));
    expect(folded).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(said) });
  });

  it('that changes while it is read is an error', async () => {
    const file = await writeRows(join(temporaryFolder(), `rows.${ending}`), `${HEADER}\nA,low\n`);
    const reading = readRows(file);
    expect(await reading.next()).toMatchObject({ value: { clientReference: 'A' } });
    appendFileSync(file, 'B,veryHigh\n');
    await expect(Array.fromAsync(reading)).rejects.toThrow('changed while it was read');
  });
});

it.skipIf(!db)('a Parquet file that loses a row on its way through DuckDB is an error', async () => {
  const file = await writeRows(join(temporaryFolder(), 'rows.parquet'), `${HEADER}\nA,low\nB,veryHigh\nC,low\n`);
  const opened = await openDuckDb();
  const lossy: DuckDb['connection'] = Object.create(opened.connection, {
    stream: { value: (sql: string) => opened.connection.stream(`${sql} WHERE client_reference <> 'B'`) },
  });
  const policy = policyOf(POLICY);
  const reader = { ...policy, read: conditionFacts(policy.rules) };
  const { chunks } = await openParquetRows(reader, { ...opened, connection: lossy }, { file, at: '2026-11-20' });
  await expect(Array.fromAsync(chunks())).rejects.toThrow('2 results for 3 rows');
  opened.close();
});

describe('a CSV file of rows', () => {
  it('has decimal commas where semicolons separate, and no number that may be another', async () => {
    const policy = `${HEAD}facts: { context.limit: { type: number } }
rules: [{ id: half, when: { context.limit: 0.5 }, then: reject }]\n`;
    const files = { 'policy.yaml': policy, 'rows.csv': 'context_limit\n"0,5"\n', 'semi.csv': 'at;context_limit\n' };
    const folder = temporaryFolder(files);
    appendFileSync(join(folder, 'semi.csv'), '2026-11-20;0,5\n2026-11-20;1,000\n2026-11-20;1.000\n');
    const outcomesOf = async (file: string) => {
      const args = ['--policy', join(folder, 'policy.yaml'), '--at', '2026-11-20', '--facts', join(folder, file)];
      const { stdout, stderr } = await runCli(['evaluate', ...args]);
      return [stdout.match(/^\{"outcome":"\w+"/gm), stderr.match(/line \d+: the number in \w+/g)];
    };
    expect(await outcomesOf('semi.csv')).toEqual([
      ['{"outcome":"reject"'],
      ['line 3: the number in context_limit', 'line 4: the number in context_limit'],
    ]);
    expect(await outcomesOf('rows.csv')).toEqual([['{"outcome":"review"'], null]);
  });

  it.each<[string, string | Buffer, { verdicts?: readonly string[]; said?: string; exitCode?: number }]>([
    [
      'remarks and references that begin with #',
      `${HEADER}\n${'A,low\n'.repeat(30)}# checked\n#R,veryHigh\n`,
      { verdicts: [...Array(30).fill('A accept'), '#R reject'], said: 'line 32: 1 value; the header has 2 columns' },
    ],
    [
      'a second export behind the first',
      `${HEADER}\nR1,veryHigh\nR2,veryHigh\n${HEADER},phone_score\nR3,low,3\n`,
      {
        verdicts: ['R1 reject', 'R2 reject'],
        said: 'line 4: 3 values; the header has 2 columns\nline 5: 3 values; the header has 2 columns',
      },
    ],
    ['a cell too many, though empty', `${HEADER}\nA,low,\n`, { said: 'line 2: 3 values; the header has 2 columns' }],
    [
      'a row with another separator than the header',
      `${HEADER}\nA,low\nB;low\n`,
      { verdicts: ['A accept'], said: 'line 3: 1 value; the header has 2 columns, separated by commas: do so here' },
    ],
    ['no line break at its end', `${HEADER}\nA,veryHigh`, { verdicts: ['A reject'] }],
    ['a byte-order mark and CRLF', `\uFEFF${HEADER}\r\nA,veryHigh\r\n`, { verdicts: ['A reject'] }],
    ['quotes', `${HEADER}\n"A,""1""\nx",veryHigh\n`, { verdicts: ['A,"1"\nx reject'] }],
    ['semicolons', `${HEADER.replace(',', ';')}\nA,1;veryHigh\n`, { verdicts: ['A,1 reject'] }],
    ['blank lines', `\n${HEADER}\n\nA,veryHigh\n \nB,high\n\n`, { verdicts: ['A reject', 'B reject'] }],
    ['a row of empty cells', `${HEADER}\n,\n`, { verdicts: ['undefined review'] }],
    [
      'one column, where a blank line is a row',
      'phone_risk_level\nhigh\n\n',
      { verdicts: ['undefined reject', 'undefined review'] },
    ],
    ['spaces around the names', ' client_reference, phone_risk_level \nA,high\n', { verdicts: ['A reject'] }],
    [
      'rows in Latin-1',
      Buffer.from(`${HEADER}\nÉ,low\nA,high\n`, 'latin1'),
      { verdicts: ['A reject'], said: 'line 2: not UTF-8' },
    ],
    [
      'U+0000',
      `${HEADER}\nA\0,low\nB,high\n`,
      { verdicts: ['B reject'], said: 'line 2: it contains U+0000; save the file as UTF-8' },
    ],
    [
      'an open quote',
      `${HEADER}\n"A,low\nB,high\n`,
      { verdicts: ['B reject'], said: 'line 2: a quotation mark is not closed' },
    ],
    [
      'UTF-16',
      Buffer.from(`\uFEFF${HEADER}\n`, 'utf16le'),
      { exitCode: 3, said: 'F, line 1, the header: not UTF-8; save the file as UTF-8' },
    ],
    [
      'UTF-16 without a mark',
      Buffer.from(`${HEADER}\n`, 'utf16le'),
      { exitCode: 3, said: 'F, line 1, the header: it contains U+0000; save the file as UTF-8' },
    ],
    [
      'old line ends',
      `${HEADER}\rA,high\r`,
      { exitCode: 3, said: 'F, line 1, the header: a carriage return without a line feed' },
    ],
    [
      'a column without a name',
      `${HEADER},\nA,high,\n`,
      { exitCode: 3, said: 'F, line 1, the header: column 3 has no name' },
    ],
    [
      'too many columns',
      `${Array.from({ length: 10_001 }, (_, i) => `c${i}`).join(',')}\n`,
      { exitCode: 3, said: 'F has 10001 columns; at most 10000 are possible' },
    ],
    ['nothing', '\n', { exitCode: 3, said: 'F is empty; expected the names of the columns in its first line' }],
  ])(
    'with %s gives each row a verdict, or an error with its line',
    async (_, text, { verdicts = [], said = '', exitCode }) => {
      const file = join(temporaryFolder(), 'rows.csv');
      writeFileSync(file, text);
      const expected = { exitCode: exitCode ?? (said === '' ? 0 : 1), verdicts, said: said.replace(/^F/, file) };
      expect(await evaluate(file)).toEqual(expected);
    },
  );

  it('has the verdicts of lines with the same values, whatever its cells are', async () => {
    const policy = `${HEAD}facts:
  context.limit: { type: integer }
  context.half: { type: number, compute: { ratio: [context.limit, 2] } }
  context.known: { type: boolean }
rules:
  - { id: scored, when: { phone.score: { above: 50 } }, then: review }
  - { id: ported, when: { phone.porting.portedDate: { withinLast: 30 days } }, then: review }
  - { id: known, when: { context.known: true }, then: accept }
  - { id: half, when: { context.half: { above: 10 } }, then: review }
  - { id: type, when: { phone.type: voip }, then: reject }
  - { id: level, when: { phone.riskLevel: { atLeast: high } }, then: reject }
  - { id: domain, when: { applicant.emailDomain: mail.example }, then: reject }
  - { id: isp, when: { ip.isp: { contains: acme } }, then: review }
`;
    const header = [
      ...['client_reference', 'at', 'phone_score', 'phone_porting_ported_date', 'phone_porting_ported_date_never'],
      ...['context_known', 'context_limit', 'phone_type', 'phone_risk_level', 'applicant_email_domain', 'ip_isp'],
    ];
    const rows = [
      'A,2026-11-20T23:30:00.5-02:00,97.5,2026-11-18,,true,30,voip,high,Mail.Example,ACME',
      'B,2026-01-01T10:15Z,1e1,2026-11-18,false,false,1.5,VOIP,High,@mail.example, acme ',
      'C,,0x10,never,,TRUE,9999999999999999,mobile,low,mail.example.,',
      'D,,101,,true,yes,-3,voip,5,,',
      'E,, ,2026-02-30,true,,1e999,,,mail example,x',
      'F,,-1,2026-11-18,true,1,01,mobile,,,acme\u200b',
      'G,2026-13-01,1,,,,,,,,',
      'H,2026-11-20T10:15:00,1,,,,,,,,',
      ',,1,20261118,TRUE,true,+3,"voip",veryHigh,"mail.example","a ""quote"""',
    ];
    const domain = { 'applicant.emailDomain': 'Mail.Example', 'phone.porting.portedDate': '2026-11-18' };
    const values: readonly { readonly [name: string]: unknown }[] = [
      {
        ...{ clientReference: 'A', at: '2026-11-20T23:30:00.5-02:00' },
        ...{ 'phone.score': 97.5, 'context.known': true, 'context.limit': 30, 'phone.type': 'voip', ...domain },
        ...{ 'phone.riskLevel': 'high', 'ip.isp': 'ACME' },
      },
      {
        ...{ clientReference: 'B', at: '2026-01-01T10:15Z' },
        ...{ 'phone.score': 10, 'context.known': false, 'context.limit': 1.5, 'phone.type': 'VOIP', ...domain },
        ...{ 'applicant.emailDomain': '@mail.example', 'phone.riskLevel': 'High', 'ip.isp': ' acme ' },
      },
      {
        ...{ clientReference: 'C', 'phone.score': '0x10', 'context.known': 'TRUE', 'context.limit': 1e16 },
        ...{ 'phone.porting.portedDate': 'no day', 'phone.type': 'mobile', 'phone.riskLevel': 'low' },
        'applicant.emailDomain': 'mail.example.',
      },
      {
        ...{ clientReference: 'D', 'phone.score': 101, 'phone.porting.portedDate': 'never', 'context.known': 'yes' },
        ...{ 'context.limit': -3, 'phone.type': 'voip', 'phone.riskLevel': '5' },
      },
      {
        ...{ clientReference: 'E', 'phone.porting.portedDate': '2026-02-30', 'context.limit': 'none' },
        ...{ 'applicant.emailDomain': 'mail example', 'ip.isp': 'x' },
      },
      {
        ...{ clientReference: 'F', 'phone.score': -1, 'phone.porting.portedDate': 'no day', 'context.known': 1 },
        ...{ 'context.limit': '01', 'phone.type': 'mobile', 'ip.isp': 'acme\u200b' },
      },
      {
        ...{ 'phone.score': 1, 'phone.porting.portedDate': '20261118', 'context.known': true, 'context.limit': '+3' },
        ...{ 'phone.type': 'voip', 'phone.riskLevel': 'veryHigh', 'applicant.emailDomain': 'mail.example' },
        'ip.isp': 'a "quote"',
      },
    ];
    const lines = values.map(({ clientReference, at, ...facts }) => JSON.stringify({ clientReference, at, facts }));
    const folder = temporaryFolder({
      'policy.yaml': policy,
      'rows.csv': [header.join(), ...rows, ''].join('\n'),
      'rows.ndjson': lines.join('\n'),
    });
    const evaluated = (file: string, ...args: string[]) => {
      const files = ['--policy', join(folder, 'policy.yaml'), '--facts', join(folder, file)];
      return runCli(['evaluate', ...files, '--at', '2026-11-20', ...args]);
    };
    const wrong = '"at" has to be a calendar day, yyyy-MM-dd, or an instant like 2026-11-20T12:00:00Z';
    const expected = {
      exitCode: 1,
      stdout: (await evaluated('rows.ndjson')).stdout,
      stderr: [8, 9].map((line) => `verdict: line ${line}: ${wrong}\n`).join(''),
    };
    expect(expected.stdout.split('\n')).toHaveLength(8);
    expect(await evaluated('rows.csv')).toEqual(expected);
    expect(await evaluated('rows.csv', '--runner', 'live')).toEqual(expected);
  });

  it('is refused with the path of a fact as the name of its column, which would be missing in every row', async () => {
    const policy = POLICY.replace('rules: [', 'rules: [{ id: voip, when: { phone.type: voip }, then: review }, ');
    const folder = temporaryFolder({ 'policy.yaml': policy, 'rows.csv': 'phone_risk_level,Phone.Type\nlow,voip\n' });
    const files = ['--policy', join(folder, 'policy.yaml'), '--facts', join(folder, 'rows.csv')];
    const { exitCode, stdout, stderr } = await runCli(['evaluate', ...files]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toContain(
      'the file has a column phone.type, but the column of this fact is phone_type; ' +
        'rename it, or name it in a map of columns',
    );
  });
});

describe.skipIf(!db).each(['csv', 'parquet'])('verdict facts fold to .%s', (ending) => {
  it('writes a file for its owner alone', async () => {
    const folder = temporaryFolder({ 'raw.csv': 'ip_isp,x\n ACME ,1\n' });
    const to = join(folder, `to.${ending}`);
    expect(await fold(join(folder, 'raw.csv'), to)).toMatchObject({ exitCode: 0, stderr: '' });
    expect((statSync(to).mode & 0o777).toString(8)).toBe('600');
    expect(readdirSync(folder).sort()).toEqual(['raw.csv', `to.${ending}`]);
  });

  it('names bad rows, and leaves no file', async () => {
    const folder = temporaryFolder({ 'raw.csv': `ip_isp,x\nA,1\nB\n${'C,1,1\n'.repeat(12)}` });
    const { exitCode, stderr } = await fold(join(folder, 'raw.csv'), join(folder, `to.${ending}`));
    expect(exitCode).toBe(3);
    const lines = stderr.split('\n');
    expect(lines.slice(0, 3)).toEqual([
      `verdict: ${join(folder, 'raw.csv')} was not folded:`,
      'line 3: 1 value; the header has 2 columns',
      'line 4: 3 values; the header has 2 columns',
    ]);
    expect(lines).toHaveLength(13);
    expect(readdirSync(folder)).toEqual(['raw.csv']);
  });

  it('leaves no file if it is interrupted', async () => {
    const folder = temporaryFolder({ 'raw.csv': `ip_isp,x\n${'Straße,1\n'.repeat(50_000)}` });
    const interrupting = new AbortController();
    const folding = fold(join(folder, 'raw.csv'), join(folder, `to.${ending}`), interrupting.signal);
    while (readdirSync(folder).length === 1) await new Promise(setImmediate);
    interrupting.abort();
    const expected = { exitCode: 130, stdout: '', stderr: 'verdict: interrupted: nothing was written\n' };
    expect(await folding).toEqual(expected);
    expect(readdirSync(folder)).toEqual(['raw.csv']);
  });
});
