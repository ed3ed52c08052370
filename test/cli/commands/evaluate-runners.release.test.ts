import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openDuckDb } from '../../../src/decision/rows/duckdb.ts';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const db = await openDuckDb().catch(() => undefined);
afterAll(() => db?.close());

const COUNTRIES = ['IR', 'KP', 'MM', 'SY', 'CU', 'SD', 'ZW'];

const POLICY = `${HEAD}facts: { context.note: { type: string } }
lists: { countries: [${COUNTRIES.join(', ')}], isps: [acme mobile, "straße"] }
score: { review: 40, reject: 80 }
rules:
  - { id: allow, when: { context.note: ÉTOILE }, then: accept, final: true }
  - id: scored
    when: { phone.score: { above: 50 } }
    then: review
    message: "Score {phone.score}."
    notice: Sorry.
    points: 30
  - { id: moved, when: { phone.porting.portedDate: { withinLast: 7 days } }, then: reject, points: 50 }
  - { id: country, when: { phone.country: { inList: countries } }, then: review, points: 20 }
  - { id: isp, when: { ip.isp: { inList: isps } }, points: -20 }
  - { id: leaked, when: { email.darkWeb.hitCount: { above: 2 } }, then: review, whenUnknown: ignore }
  - { id: tried, when: { phone.score: { above: 10 } }, then: reject, mode: shadow }
`;
const policy = () => join(temporaryFolder({ 'policy.yaml': POLICY }), 'policy.yaml');

const LINES = [
  { facts: { 'phone.score': 60, 'phone.porting.portedDate': '2026-11-18', 'phone.country': ' ir ' } },
  { facts: { 'phone.score': 60, 'phone.porting.portedDate': 'never', 'phone.country': 'GB', 'ip.isp': 'STRASSE' } },
  {
    facts: { 'phone.score': 101, 'phone.porting.portedDate': '2026-11-21', 'ip.isp': 'ACME\u00a0Mobile' },
    clientReference: 'A "1"',
  },
  { facts: { 'context.note': 'e\u0301toile' }, missing: { 'ip.isp': 'sourceFailed' } },
  { facts: { 'phone.score': 'x', 'email.darkWeb.hitCount': 3 }, at: '2025-01-01' },
  { facts: {} },
];
const NDJSON = LINES.map((line) => `${JSON.stringify(line)}\n`).join('');

const evaluate = (args: readonly string[], stdin = NDJSON) =>
  runCli(['evaluate', '--policy', policy(), '--at', '2026-11-20', ...args], { stdin });
const parse = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the runners of verdict evaluate', () => {
  it('are the matcher by default and the live runner, with the same output byte for byte', async () => {
    const [byDefault, matcher, live] = await Promise.all([
      evaluate(['--facts', '-']),
      evaluate(['--facts', '-', '--runner', 'matcher']),
      evaluate(['--facts', '-', '--runner', 'live']),
    ]);
    expect(parse(byDefault.stdout).map(({ outcome }) => outcome)).toEqual([
      'reject',
      'review',
      'reject',
      'accept',
      'review',
      'review',
    ]);
    expect(matcher).toEqual(byDefault);
    expect(live).toEqual(byDefault);
  });
});

/** The lines as rows of a table with the default column names. Derived facts have columns too. */
const COLUMNS = `
  client_reference VARCHAR, "at" DATE, phone_score DOUBLE, phone_porting_ported_date DATE,
  phone_porting_ported_date_never BOOLEAN, phone_country VARCHAR, ip_isp VARCHAR, context_note VARCHAR,
  email_dark_web_hit_count BIGINT`;
const ROWS = `
  (NULL, NULL, 60, '2026-11-18', false, ' ir ', NULL, NULL, NULL),
  (NULL, NULL, 60, NULL, true, 'GB', 'STRASSE', NULL, NULL),
  ('A "1"', NULL, 101, '2026-11-21', NULL, NULL, 'ACME' || chr(160) || 'Mobile', NULL, NULL),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'e' || chr(769) || 'toile', NULL),
  (NULL, '2025-01-01', NULL, NULL, NULL, NULL, NULL, NULL, 3),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`;

const copy = async (select: string, name: string, options = '') => {
  const file = join(temporaryFolder(), name);
  await db?.connection.run(`COPY (${select}) TO '${file}' ${options}`);
  return file;
};

const table = async (name: string) => {
  await db?.connection.run(`CREATE OR REPLACE TABLE rows (${COLUMNS}); INSERT INTO rows VALUES ${ROWS}`);
  return copy('SELECT * FROM rows', name);
};

/** Removes the causes of missing facts: NULL in a column says nothing about the cause. */
const causesAside = (stdout: string) => stdout.replaceAll(/"cause":"\w+"/g, '"cause":""');

describe.skipIf(!db).each(['rows.parquet', 'rows.csv'])('verdict evaluate with %s', (name) => {
  it.each(['matcher', 'live'])('gives the verdicts of lines, with the original texts: %s', async (runner) => {
    const rows = await evaluate(['--facts', await table(name), '--runner', runner]);
    const lines = await evaluate(['--facts', '-']);
    expect(rows.stderr).toBe('');
    expect(causesAside(rows.stdout)).toBe(causesAside(lines.stdout));
    expect(rows.stdout).toContain('"value":" ir "');
  });

  it('keeps the order of the rows', async () => {
    const countries = ['gb', ...COUNTRIES].map((country) => `'${country}'`).join(', ');
    const country = `list_extract([${countries}], (i % 8 + 1)::INT)`;
    const select = `SELECT i::VARCHAR AS client_reference, ${country} AS phone_country
      FROM range(20000) t(i)`;
    const file = await copy(select, name, name.endsWith('.parquet') ? '(ROW_GROUP_SIZE 2048)' : '');
    const { stdout } = await evaluate(['--facts', file]);
    const found = parse(stdout).map(({ clientReference, reasons }) => [
      clientReference,
      reasons.some((each: { rule?: string }) => each.rule === 'country'),
    ]);
    expect(found).toEqual(Array.from({ length: 20_000 }, (_, i) => [String(i), i % 8 > 0]));
  });

  it('names the facts without a column', async () => {
    const { stderr, exitCode } = await evaluate(['--facts', await copy('SELECT 60 AS Phone_Score', name)]);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^note: no columns .*\bip_isp\b.*: their facts are missing in every row\n/);
    expect(stderr).not.toContain('phone_score');
  });

  describe('with --columns', () => {
    /** The table with a warehouse's own column names. */
    const COLUMNS_FILE = `phone.score: Risk
phone.porting.portedDate: { column: ported_on, never: not_ported }
phone.country: nation
email.darkWeb.hitCount: ~
`;
    const renamed = async () => {
      await db?.connection.run(`CREATE OR REPLACE TABLE rows (${COLUMNS}); INSERT INTO rows VALUES ${ROWS}`);
      const select = `SELECT client_reference, "at", phone_score AS risk, 1 AS phone_score,
        phone_porting_ported_date AS ported_on, phone_porting_ported_date_never AS not_ported,
        phone_country AS nation, ip_isp, context_note, email_dark_web_hit_count FROM rows`;
      return copy(select, name);
    };
    const run = async (columns: string, file: string) => {
      const map = join(temporaryFolder({ 'c.yaml': columns }), 'c.yaml');
      return evaluate(['--facts', file, '--columns', map]);
    };

    const stderr = 'note: 2 columns are not read: phone_score and email_dark_web_hit_count\n';

    it('decides on each row as on the line', async () => {
      const lines = LINES.map(({ facts: { 'email.darkWeb.hitCount': _, ...facts }, ...line }) => ({ ...line, facts }));
      const stdin = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      const rows = await run(COLUMNS_FILE, await renamed());
      const expected = await evaluate(['--facts', '-'], stdin);
      expect(causesAside(rows.stdout)).toBe(causesAside(expected.stdout));
      expect(expected).toMatchObject({ exitCode: 0, stderr: '' });
      expect(rows).toMatchObject({ exitCode: 0, stderr });
    });

    it('reads no column for `never` if the map sets it to null', async () => {
      const file = await copy("SELECT '2026-11-19'::DATE AS ported_on, true AS ported_on_never", name);
      const outcomesOf = async (columns: string) =>
        parse((await run(columns, file)).stdout).map(({ outcome }) => outcome);
      expect(await outcomesOf('phone.porting.portedDate: { column: ported_on, never: ~ }\n')).toEqual(['reject']);
      expect(await outcomesOf('phone.porting.portedDate: ported_on\n')).toEqual(['review']);
    });

    it.each([
      [
        'phone.score: riskk\n',
        'the file has no column riskk, which the map names for phone.score; did you mean "risk"?',
      ],
      [
        'phone.porting.portedDate: { column: ported_on, never: no_port }\n',
        'the file has no column no_port, which the map names for phone.porting.portedDate',
      ],
      ['phone.score: ip_isp\n', 'error[sql-column]: the column ip_isp is used for phone.score and for ip.isp'],
      ['phone.scor: risk\n', 'c.yaml:1:1: error[unknown-fact]: there is no fact "phone.scor"'],
      ['phone.score: ported_on\n', name.endsWith('.csv') ? '' : 'the column ported_on has the type DATE'],
    ])('cannot run with the columns %j', async (columns, said) => {
      const { exitCode, stderr } = await run(columns, await renamed());
      // A CSV file has no types: there, a value that is not a number is invalid.
      expect({ exitCode, stderr }).toEqual({ exitCode: said === '' ? 0 : 3, stderr: expect.stringContaining(said) });
    });

    it('ignores columns for facts that the policy does not read', async () => {
      const columns = `${COLUMNS_FILE}phone.type: kind_of_phone\n`;
      expect(await run(columns, await renamed())).toMatchObject({ exitCode: 0, stderr });
    });
  });

  it('cannot run if no fact has a column', async () => {
    const file = await copy('SELECT 60 AS phonescore', name);
    const { stderr, exitCode } = await evaluate(['--facts', file]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('no column of any fact that the policy reads');
  });
});

describe.skipIf(!db)('a file of rows', () => {
  it('is refused if a column has another type than its fact', async () => {
    const file = await copy("SELECT '60' AS phone_score", 'rows.parquet');
    const { stderr, exitCode } = await evaluate(['--facts', file]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('the column phone_score has the type VARCHAR; a numeric type was expected');
  });
});
