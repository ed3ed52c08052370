/** Every command that needs DuckDB says how to add it, where it is not installed. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { HOW_TO_INSTALL } from '../../../src/decision/rows/duckdb.ts';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const NOT_INSTALLED = `DuckDB, an optional package, is not installed. This needs it: ${HOW_TO_INSTALL}`;

/** Runs a command in a folder with a policy and a table, and expects that it cannot run. */
async function refusal(args: (folder: string) => readonly string[]): Promise<string> {
  const folder = temporaryFolder({ 'policy.yaml': HEAD, 'rows.csv': 'phone.score\n1\n' });
  const { exitCode, stderr } = await runCli(args(folder));
  expect(exitCode).toBe(3);
  return stderr;
}

const evaluate = (facts: string) => (folder: string) => {
  return ['evaluate', '--policy', join(folder, 'policy.yaml'), '--facts', facts];
};

describe('without DuckDB', () => {
  vi.doMock('@duckdb/node-api', () => {
    throw new Error('Cannot find package');
  });

  it.each([
    ['evaluate', evaluate('rows.parquet')],
    ['facts fold', (folder: string) => ['facts', 'fold', '--from', join(folder, 'rows.csv'), '--out', 'out.parquet']],
  ])('%s says how to add it', async (_, args) => {
    expect(await refusal(args)).toBe(`verdict: ${NOT_INSTALLED}\n`);
  });

  it('a backtest counts the velocities of lines', async () => {
    const policy = `${HEAD}velocity: { sameIp: { count: applications, by: ip, within: 1 hour } }
rules: [{ id: burst, when: { velocity.sameIp: { atLeast: 2 } }, then: reject }]
`;
    const line = (minute: number) => `{"at":"2026-11-20T12:0${minute}:00Z","facts":{"applicant.ip":"203.0.113.7"}}\n`;
    const lines = line(0) + line(1) + line(2);
    const folder = temporaryFolder({ 'policy.yaml': policy, 'a.ndjson': lines });
    const files = ['--policy', join(folder, 'policy.yaml'), '--facts', join(folder, 'a.ndjson')];
    const { stdout } = await runCli(['backtest', ...files]);
    expect(stdout).toMatch(/accept +2 .*review +0 .*reject +1 /s);
  });
});

it('another version than the tested one is refused', async () => {
  vi.doMock('@duckdb/node-api', () => ({ version: () => 'v1.6.0' }));
  const message = `DuckDB 1.6.0 is installed; 1.5 was expected: ${HOW_TO_INSTALL}`;
  expect(await refusal(evaluate('rows.parquet'))).toBe(`verdict: ${message}\n`);
});

it('the version in the message is the one that is tested, and the docs name it too', () => {
  const read = (file: string) => readFileSync(resolve(import.meta.dirname, '../../..', file), 'utf8');
  expect(read('docs/cli/evaluate.md')).toContain(HOW_TO_INSTALL);
  const manifest = JSON.parse(read('package.json'));
  expect(HOW_TO_INSTALL).toBe(`npm install @duckdb/node-api@${manifest.devDependencies['@duckdb/node-api']}`);
});
