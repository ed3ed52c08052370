/** Commands that read a policy, with a mapping that declares match results for it. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}rules:\n  - { id: name, when: { identity.nameScore: { below: 80 } }, then: review }\n`;
const mapping = (type: string) =>
  `signals: { identity.nameScore: name }\nfacts: { identity.nameScore: { type: ${type} } }\n`;

const folderOf = (files: Readonly<Record<string, string>> = {}) =>
  temporaryFolder({ 'policy.yaml': POLICY, 'mapping.yaml': mapping('number'), ...files });

describe('verdict check', () => {
  const lines = async (...paths: readonly string[]) => {
    const { exitCode, stdout } = await runCli(['check', ...paths, '--format', 'line']);
    return { exitCode, found: stdout.match(/(error|warning)\[[a-z-]+\]/g) ?? [] };
  };

  it('uses the facts of the mappings that it checks for the policies next to them', async () => {
    const folder = folderOf();
    expect(await lines(folder)).toEqual({ exitCode: 0, found: [] });
    expect(await lines(join(folder, 'policy.yaml'))).toEqual({ exitCode: 1, found: ['error[unknown-fact]'] });
  });

  it('does so even if the mapping has other errors', async () => {
    const broken = `${mapping('number')}placeholders: none\n`;
    expect((await lines(folderOf({ 'mapping.yaml': broken }))).found).toEqual(['error[wrong-type]']);
  });

  it('warns about two mappings with different declarations of a fact, and uses the first by name', async () => {
    const folder = folderOf({ 'other.yaml': mapping('string') });
    expect(await lines(folder)).toEqual({ exitCode: 1, found: ['warning[duplicate-name]'] });
    expect((await lines(folderOf({ 'other.yaml': mapping('number') }))).found).toEqual([]);
  });

  it('reports a policy that declares such a fact differently', async () => {
    const rule = '{ id: n, when: { identity.nameScore: a }, then: review }';
    const own = `${HEAD}facts: { identity.nameScore: { type: string } }\nrules:\n  - ${rule}\n`;
    expect((await lines(folderOf({ 'policy.yaml': own }))).found).toEqual(['error[duplicate-name]']);
  });
});

describe('verdict evaluate and generate', () => {
  it('read the policy with the given mapping', async () => {
    const folder = folderOf();
    const files = ['--policy', join(folder, 'policy.yaml'), '--mapping', join(folder, 'mapping.yaml')];
    const stdin = '{"facts":{"identity.nameScore":79}}\n';
    const { exitCode, stdout } = await runCli(['evaluate', ...files, '--facts', '-'], { stdin });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'review' });
    for (const what of ['schema', 'types']) expect((await runCli(['generate', what, ...files])).exitCode).toBe(0);
  });

  it('use the shipped mapping by default, which declares no such facts', async () => {
    const policy = ['--policy', join(folderOf(), 'policy.yaml')];
    expect((await runCli(['evaluate', ...policy, '--facts', '-'])).exitCode).toBe(3);
    expect((await runCli(['generate', 'schema', ...policy])).exitCode).toBe(3);
  });
});
