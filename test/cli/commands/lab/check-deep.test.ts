/** `verdict check --deep`, as an analyst types it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../../support/policy/policy.ts';

const LOW = '  - { id: low, when: { phone.score: { below: 60 } }, then: review }\n';
const REST = '  - { id: rest, when: { phone.score: { atLeast: 60 } }, then: review }\n';
const UNKNOWABLE =
  '  - { id: isp, when: { all: [{ ip.isp: { matches: "^a+x" } }, { ip.isp: { matches: "^b+x" } }] }, then: reject }\n';

function folderWith(...rules: readonly string[]) {
  const file = join(temporaryFolder({ 'policy.yaml': `${HEAD}rules:\n${rules.join('')}` }), 'policy.yaml');
  return { file, check: (...args: string[]) => runCli(['check', file, '--deep', '--at', '2026-11-20', ...args]) };
}

describe('verdict check --deep', () => {
  it.each([
    ['nothing is found', 0, [LOW], []],
    ['something is found', 1, [LOW, REST], ['never-reached']],
    ['something is undecided', 4, [LOW, UNKNOWABLE], ['undecided']],
    ['something is found, and something undecided', 1, [LOW, REST, UNKNOWABLE], ['never-reached', 'undecided']],
  ] as const)('ends, if %s, with %d', async (_, expected, rules, codes) => {
    const { exitCode, stdout } = await folderWith(...rules).check('--json');
    const found = JSON.parse(stdout);
    expect(found.map(({ code }: { code: string }) => code).sort()).toEqual(codes);
    expect(exitCode).toBe(expected);
  });

  it('fixes files before it proves', async () => {
    const { file, check } = folderWith(LOW.replace('below: 60', "'<': 60"), REST);
    const { exitCode, stdout } = await check('--fix');
    expect(readFileSync(file, 'utf8')).toContain(LOW);
    expect(stdout).toContain('warning[never-reached]');
    expect(exitCode).toBe(1);
  });

  it('reports places in SARIF', async () => {
    const { stdout } = await folderWith(LOW, REST).check('--format', 'sarif');
    const [{ ruleId, locations }] = JSON.parse(stdout).runs[0].results;
    expect([ruleId, locations[0].physicalLocation.region.startLine]).toEqual(['never-reached', 3]);
  });
});
