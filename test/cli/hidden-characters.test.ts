/** Characters that a terminal obeys or nobody sees are escaped in every output for tools. */

import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HIDDEN } from '../../src/text.ts';
import { runCli } from '../support/cli/cli.ts';
import { temporaryFolder } from '../support/policy/policy.ts';

/** ESC, the control CSI, DEL, bidirectional, zero width, separators, a tag beyond the basic plane, a noncharacter. */
const NASTY = 'a\u001b[31m\u009b31m\u007f\u202eb\u200bc\u2028d\u2029e\ufeff\u{e0041}f\u3164g\uffff';

const POLICY = `policy: p
version: ${JSON.stringify(NASTY)}
default: review
facts: { context.tier: { type: string, description: ${JSON.stringify(NASTY)}, unit: ${JSON.stringify(`in ${NASTY}`)} } }
lists: { l: [${JSON.stringify(NASTY)}] }
rules:
  - { id: a, when: { ip.isp: { is: ${JSON.stringify(NASTY)} } }, then: review, message: ${JSON.stringify(NASTY)} }
`;
const MAPPING = 'signals: { ip.isp: isp }\n';

function prepare(): (name: string) => string {
  const folder = temporaryFolder({
    'policy.yaml': POLICY,
    'broken.yaml': `${POLICY}${JSON.stringify(`k${NASTY}`)}: 1\n`,
    'mapping.yaml': MAPPING,
    'answer.json': JSON.stringify({ isp: NASTY }),
    'facts.ndjson': `${JSON.stringify({ clientReference: NASTY, facts: { 'ip.isp': NASTY } })}\n`,
  });
  return (name) => join(folder, name);
}

const withPolicy = (at: (name: string) => string) => ['--policy', at('policy.yaml'), '--mapping', at('mapping.yaml')];

describe('output for tools has no hidden characters', () => {
  it.each<[name: string, args: (at: (name: string) => string) => readonly string[]]>([
    ['evaluate', (at) => ['evaluate', ...withPolicy(at), '--facts', at('facts.ndjson')]],
    ['explain --json', (at) => ['explain', ...withPolicy(at).slice(1), '--facts', at('facts.ndjson'), '--json']],
    ['check --json', (at) => ['check', at('broken.yaml'), '--json']],
    ['check --format sarif', (at) => ['check', at('broken.yaml'), '--format', 'sarif']],
    ['mapping try --json', (at) => ['mapping', 'try', at('answer.json'), '--mapping', at('mapping.yaml'), '--json']],
    ['generate schema', (at) => ['generate', 'schema', ...withPolicy(at)]],
    [
      'decide --json',
      (at) => ['decide', '--sandbox', '--phone', '+12025550101', '--policy', at('policy.yaml'), '--json'],
    ],
  ])('as JSON: verdict %s', async (_, args) => {
    const { stdout } = await runCli(args(prepare()));
    expect(stdout).not.toMatch(HIDDEN);
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(NASTY).slice(1, -1));
  });

  it.each<[name: string, args: (at: (name: string) => string) => readonly string[]]>([
    ['check --format github', (at) => ['check', at('broken.yaml'), '--format', 'github']],
    ['generate types', (at) => ['generate', 'types', ...withPolicy(at)]],
    ['a message', (at) => ['explain', at(`none${NASTY}`), '--facts', '-']],
  ])('as text: verdict %s', async (_, args) => {
    const { stdout, stderr } = await runCli(args(prepare()));
    expect(stdout + stderr).toContain('\\u{009b}31m');
    expect(stdout + stderr).not.toMatch(HIDDEN);
  });

  it('from the log, as JSON and CSV', async () => {
    const at = prepare();
    const log = at('log');
    expect((await runCli(['audit', 'init', log])).exitCode).toBe(0);
    const applicant = ['--sandbox', '--phone', '+12025550101', '--policy', at('policy.yaml')];
    const { stdout } = await runCli(['decide', ...applicant, '--audit', log, '--json']);
    const { id } = JSON.parse(stdout);
    for (const args of [
      ['search', log, '--json'],
      ['search', log, '--format', 'csv'],
      ['show', log, id, '--json'],
      ['replay', log, '--json'],
    ]) {
      const shown = await runCli(['audit', ...args]);
      expect(shown.stdout, args.join(' ')).toMatch(/a\\u(001b|\{001b\})\[31m/);
      expect(shown.stdout.replaceAll('\r\n', '\n'), args.join(' ')).not.toMatch(HIDDEN);
    }
  });

  it('wherever a command writes JSON: one function does', () => {
    const root = resolve(import.meta.dirname, '../../src');
    const own = globSync('{cli,report}/**/*.ts', { cwd: root }).filter((file) =>
      readFileSync(join(root, file), 'utf8').includes('JSON.stringify('),
    );
    // Journals of their own, comparisons, and texts that are made printable.
    expect(own.sort()).toEqual([
      'cli/bulk/intent-log.ts',
      'cli/bulk/journal.ts',
      'report/check.ts',
      'report/decision.ts',
      'report/formats/lcov.ts',
      'report/mapping.ts',
      'report/record.ts',
    ]);
  });
});
