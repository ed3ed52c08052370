import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openDuckDb } from '../../../src/decision/rows/duckdb.ts';
import { fold } from '../../../src/platform/formats/fold.ts';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const db = await openDuckDb().catch(() => undefined);
afterAll(() => db?.close());

const TEXTS = [
  'ACME',
  ' Acme\tMobile\u3000',
  'Straße',
  'ΣΊΣΥΦΟΣ',
  'E\u0301toile',
  'İ',
  '\u212a',
  '日本',
  '\u00a0',
  '\u000b',
  '😀 A',
];

describe.skipIf(!db).each(['.parquet', '.csv'])('verdict facts fold with %s', (ending) => {
  it("folds text facts like the policy language, including the policy's own facts, and nothing else", async () => {
    const policy = `${HEAD}facts: { context.note: { type: string }, context.kind: { type: enum, values: [A] } }\n`;
    const folder = temporaryFolder({ 'policy.yaml': policy });
    const [from, to] = [join(folder, `raw${ending}`), join(folder, `folded${ending}`)];
    const rows = TEXTS.map((text, i) => `(${i}, '${text}', '${text}', '${text}', '${text}')`).join(', ');
    const columns = 'id, ip_isp, context_note, context_kind, "Any thing"';
    await db?.connection.run(`COPY (SELECT * FROM (VALUES ${rows}) t(${columns})) TO '${from}'`);
    const ran = await runCli(['facts', 'fold', '--from', from, '--out', to, '--policy', join(folder, 'policy.yaml')]);
    expect(ran).toEqual({ exitCode: 0, stdout: '2 columns folded: ip_isp, context_note\n', stderr: '' });
    const read = ending === '.csv' ? `read_csv('${to}', all_varchar = true, nullstr = 'none')` : `'${to}'`;
    const found = await db?.connection.runAndReadAll(`SELECT * FROM ${read} ORDER BY id::INT`);
    expect(found?.columnNames()).toEqual(['id', 'ip_isp', 'context_note', 'context_kind', 'Any thing']);
    expect(found?.getRowsJS().map((row) => row.slice(1))).toEqual(
      TEXTS.map((text) => [fold(text), fold(text), text, text]),
    );
  });

  it('writes the one form of a fact with a format, and NULL for a text that is not of it', async () => {
    const folder = temporaryFolder({});
    const [from, to] = [join(folder, `raw${ending}`), join(folder, `folded${ending}`)];
    const rows = `
      (0, '+44 7400 123456', 'Ann@BÜCHER.example', 'SPAM.example.', '::ffff:203.0.113.9', 'GB'),
      (1, '07400 123456', '<ann@b.example>', '*.spam.example', '10.0.0.1', 'UK')`;
    const columns = 'id, applicant_phone_no, applicant_email, applicant_email_domain, applicant_ip, phone_country';
    await db?.connection.run(`COPY (SELECT * FROM (VALUES ${rows}) t(${columns})) TO '${from}'`);
    expect(await runCli(['facts', 'fold', '--from', from, '--out', to])).toMatchObject({
      exitCode: 0,
      stderr:
        'some texts cannot be facts of their format, and are missing in the copy: country, domain, email, ip, phone\n',
    });
    const read = ending === '.csv' ? `read_csv('${to}', all_varchar = true)` : `'${to}'`;
    const found = await db?.connection.runAndReadAll(`SELECT * FROM ${read} ORDER BY id::INT`);
    expect(found?.getRowsJS().map((row) => row.slice(1))).toEqual([
      ['447400123456', 'ann@xn--bcher-kva.example', 'spam.example', '203.0.113.9', 'gb'],
      [null, null, null, null, null],
    ]);
  });

  it('does not overwrite a file, and reports a missing one', async () => {
    const folder = temporaryFolder({ [`there${ending}`]: 'ip_isp\nx\n' });
    const there = join(folder, `there${ending}`);
    const over = await runCli(['facts', 'fold', '--from', there, '--out', there]);
    expect(over).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('exists; expected a new file') });
    const absent = await runCli([
      'facts',
      'fold',
      '--from',
      join(folder, `no${ending}`),
      '--out',
      join(folder, `to${ending}`),
    ]);
    expect(absent).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('no such file') });
    const other = await runCli(['facts', 'fold', '--from', there, '--out', join(folder, 'to.xlsx')]);
    expect(other).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('.parquet or .csv') });
  });
});

it('says why a copy cannot be written', async () => {
  const folder = temporaryFolder({ 'there.csv': 'ip_isp\nx\n' });
  const nowhere = join(folder, 'none', 'to.csv');
  const { exitCode, stderr } = await runCli(['facts', 'fold', '--from', join(folder, 'there.csv'), '--out', nowhere]);
  const said = `verdict: ${nowhere} cannot be written: its folder does not exist\n`;
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: said });
});
