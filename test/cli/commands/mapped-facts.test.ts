/** Commands that read a policy, told of the mapping whose match results it asks about. */

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

  it('gives the facts of the mappings that it checks to the policies beside them', async () => {
    const folder = folderOf();
    expect(await lines(folder)).toEqual({ exitCode: 0, found: [] });
    expect(await lines(join(folder, 'policy.yaml'))).toEqual({ exitCode: 1, found: ['error[unknown-fact]'] });
  });

  it('does so where the mapping is broken elsewhere, too', async () => {
    const broken = `${mapping('number')}placeholders: none\n`;
    expect((await lines(folderOf({ 'mapping.yaml': broken }))).found).toEqual(['error[wrong-type]']);
  });

  it('warns of two mappings that declare a fact otherwise, and takes the first by name', async () => {
    const folder = folderOf({ 'other.yaml': mapping('string') });
    expect(await lines(folder)).toEqual({ exitCode: 1, found: ['warning[duplicate-name]'] });
    expect((await lines(folderOf({ 'other.yaml': mapping('number') }))).found).toEqual([]);
  });

  it('tells of a policy that declares such a fact otherwise', async () => {
    const own = `${HEAD}facts: { identity.nameScore: { type: string } }\nrules:\n  - { id: n, when: { identity.nameScore: a }, then: review }\n`;
    expect((await lines(folderOf({ 'policy.yaml': own }))).found).toEqual(['error[duplicate-name]']);
  });
});

describe('verdict evaluate and generate', () => {
  it('read the policy with the mapping that is named', async () => {
    const folder = folderOf();
    const files = ['--policy', join(folder, 'policy.yaml'), '--mapping', join(folder, 'mapping.yaml')];
    const stdin = '{"facts":{"identity.nameScore":79}}\n';
    const { exitCode, stdout } = await runCli(['evaluate', ...files, '--facts', '-'], { stdin });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'review' });
    for (const what of ['schema', 'types']) expect((await runCli(['generate', what, ...files])).exitCode).toBe(0);
  });

  it('else by the shipped one, which declares none', async () => {
    const policy = ['--policy', join(folderOf(), 'policy.yaml')];
    expect((await runCli(['evaluate', ...policy, '--facts', '-'])).exitCode).toBe(3);
    expect((await runCli(['generate', 'schema', ...policy])).exitCode).toBe(3);
  });
});
