import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toSql } from '../../../src/decision/sql/sql.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}rules:
  - { id: risky, when: { phone.score: { above: 50 } }, then: review }
  - { id: moved, when: { phone.porting.portedDate: { withinLast: 7 days } }, then: reject }
`;

const exportSql = async (args: readonly string[], files: Readonly<Record<string, string>> = {}) => {
  const folder = temporaryFolder({ 'policy.yaml': POLICY, ...files });
  const placed = args.map((arg) => (arg in files ? join(folder, arg) : arg));
  const policy = join(folder, 'policy.yaml');
  return { policy, ...(await runCli(['export', '--policy', policy, ...placed])) };
};

describe('verdict export', () => {
  it.each(['duckdb', 'postgres', 'clickhouse'] as const)('prints the result of toSql for %s', async (dialect) => {
    const args = [
      '--dialect',
      dialect,
      '--table',
      'lake.people',
      '--at',
      '2026-11-20',
      '--key',
      'id',
      '--key',
      'batch',
    ];
    const { policy, ...ran } = await exportSql(args);
    const { sql } = toSql(loadPolicy(policy), {
      dialect,
      table: 'lake.people',
      at: '2026-11-20',
      keys: ['id', 'batch'],
    });
    expect(ran).toEqual({ exitCode: 0, stdout: sql, stderr: '' });
  });

  it('reads the day from the column `at` of the table `applicants` by default', async () => {
    const { policy, stdout } = await exportSql(['--dialect', 'duckdb']);
    expect(stdout).toBe(
      toSql(loadPolicy(policy), { dialect: 'duckdb', table: 'applicants', at: { column: 'at' } }).sql,
    );
    const other = await exportSql(['--dialect', 'duckdb', '--at', 'decided_on']);
    expect(other.stdout).toContain('t."decided_on"');
  });

  it('reads the column names from a file', async () => {
    const columns = `phone.score: risk\nphone.porting.portedDate: { column: ported_on, never: ~ }\n`;
    const { stdout } = await exportSql(['--dialect', 'duckdb', '--columns', 'c.yaml'], { 'c.yaml': columns });
    expect(stdout).toContain('t."risk"');
    expect(stdout).toContain('t."ported_on"');
    expect(stdout).not.toContain('never');
    const withNever = 'phone.porting.portedDate: { column: ported_on, never: not_ported }\nphone.score: ~\n';
    const { stdout: other } = await exportSql(['--dialect', 'duckdb', '--columns', 'c.yaml'], { 'c.yaml': withNever });
    expect(other).toContain('t."not_ported"');
    expect(other).not.toContain('score"');
  });

  it.each([
    ['phone.scor: x\n', 'unknown-fact'],
    ['phone.score: 3\n', 'wrong-type'],
    ['phone.score: { column: x }\n', 'wrong-type'],
    ['phone.porting.portedDate: { never: x }\n', 'missing-key'],
    ['phone.porting.portedDate: { column: x, ever: y }\n', 'unknown-key'],
    ['phone.score: a\nphone.score: b\n', 'duplicate-key'],
    ['- a\n', 'wrong-type'],
  ])('cannot run with a columns file like %j', async (text, code) => {
    const { exitCode, stderr } = await exportSql(['--dialect', 'duckdb', '--columns', 'c.yaml'], { 'c.yaml': text });
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(new RegExp(`c\\.yaml:\\d+:\\d+: error\\[${code}\\]`));
  });

  it('lists everything that the dialect cannot express, prints no SQL, and exits with 1', async () => {
    const policy = `${POLICY}  - { id: odd, when: { ip.isp: { matches: "^x" } }, then: review }\n`;
    const file = join(temporaryFolder({ 'policy.yaml': policy }), 'policy.yaml');
    const ran = await runCli(['export', '--policy', file, '--dialect', 'postgres', '--key', 'fired']);
    expect(ran).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `${file}: error[sql-column]: the result already has a column fired, so it cannot be a key column
${file}:7:43: error[sql-pattern]: ip.isp matches: postgres has no RE2 regular expressions (rule odd)
  7 |   - { id: odd, when: { ip.isp: { matches: "^x" } }, then: review }
    |                                           ^^^^
  hint: use other operators or lists, or decide with the matcher
`,
    });
  });

  it('with --json prints the SELECT, or all refusals as diagnostics', async () => {
    const args = ['--dialect', 'postgres', '--at', '2026-11-20'];
    const { policy, ...ran } = await exportSql([...args, '--json']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    const { sql } = toSql(loadPolicy(policy), { dialect: 'postgres', table: 'applicants', at: '2026-11-20' });
    expect(JSON.parse(ran.stdout)).toEqual({ sql, refusals: [] });

    const odd = `${POLICY}  - { id: odd, when: { ip.isp: { matches: "^x" } }, then: review }\n`;
    const file = join(temporaryFolder({ 'policy.yaml': odd }), 'policy.yaml');
    const refused = await runCli(['export', '--policy', file, ...args, '--key', 'fired', '--json']);
    expect(refused).toMatchObject({ exitCode: 1, stderr: '' });
    expect(JSON.parse(refused.stdout)).toMatchObject({
      sql: null,
      refusals: [
        { file, code: 'sql-column', severity: 'error', rules: [] },
        { file, code: 'sql-pattern', rules: ['odd'], position: { line: 7, column: 43, length: 4 } },
      ],
    });
  });
});
