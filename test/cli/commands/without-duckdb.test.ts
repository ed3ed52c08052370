import { expect, it, vi } from 'vitest';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

vi.mock('@duckdb/node-api', () => {
  throw new Error('Cannot find package');
});

it.each(['-', 'rows.parquet'])(
  'without DuckDB the SQL runner says how to install it (facts from %s)',
  async (facts) => {
    const policy = `${temporaryFolder({ 'policy.yaml': HEAD })}/policy.yaml`;
    const { exitCode, stderr } = await runCli(['evaluate', '--policy', policy, '--facts', facts, '--runner', 'sql']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('npm install @duckdb/node-api');
  },
);
