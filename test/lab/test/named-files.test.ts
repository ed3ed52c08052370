/** The files that a file of tests names: those of its project, and no others. */

import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatDiagnostic } from '../../../src/diagnostics.ts';
import { TestReader } from '../../../src/lab/test/read-tests.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const AT = 'at: 2026-11-20\n';
const EXPECT = 'expect: { outcome: accept }';

/** A file of tests, by the key that names the file. */
const NAMING: Readonly<Record<string, (file: string) => string>> = {
  policy: (file) => `policy: ${file}\n${AT}tests: [{ name: a, ${EXPECT} }]\n`,
  mapping: (file) => `policy: policy.yaml\nmapping: ${file}\n${AT}tests: [{ name: a, ${EXPECT} }]\n`,
  facts: (file) =>
    `policy: policy.yaml\n${AT}facts: { k: { file: ${file} } }\ntests: [{ name: a, from: k, ${EXPECT} }]\n`,
  answer: (file) => `policy: policy.yaml\n${AT}tests: [{ name: a, answer: ${file}, ${EXPECT} }]\n`,
  table: (file) => `policy: policy.yaml\n${AT}tests: [{ name: a, table: { file: ${file} } }]\n`,
};

/** Nothing that can be read with any of the keys. */
const SECRET = 'CANARY: { CANARY: "CANARY\n';

const FILES = {
  'project/package.json': '{}',
  'project/in/policy.yaml': HEAD,
  ...Object.fromEntries(['txt', 'yaml', 'json', 'csv'].map((ending) => [`secret.${ending}`, SECRET])),
};

function read(text: string, files: Readonly<Record<string, string>>, link?: readonly [path: string, to: string]) {
  const folder = temporaryFolder({ ...FILES, ...files, 'project/in/a.test.yaml': text });
  if (link) symlinkSync(link[1], join(folder, 'project/in', link[0]));
  const { diagnostics, cases } = new TestReader({ allowOnly: true }).read(join(folder, 'project/in/a.test.yaml'));
  return { diagnostics, cases };
}

/** Names of files outside of the project, seen from the folder `in`. */
const OUTSIDE: [name: string, link?: readonly [path: string, to: string]][] = [
  ['../../secret.txt'],
  ['../../secret.yaml'],
  ['../../secret.json'],
  ['../../secret.csv'],
  ['../../absent.yaml'],
  ['../in/../../secret.csv'],
  ['link.csv', ['link.csv', '../../secret.csv']],
  ['up/secret.yaml', ['up', '../..']],
  ['up/absent.yaml', ['up', '../..']],
  ['env.csv', ['env.csv', existsSync('/proc/self/environ') ? '/proc/self/environ' : '/etc/hosts']],
];

describe.each(Object.entries(NAMING))('the file of `%s`', (_, naming) => {
  it.each(OUTSIDE)('cannot be %s, outside of the project', (name, link) => {
    const { diagnostics, cases } = read(naming(name), {}, link);
    expect([...new Set(diagnostics.map(({ code }) => code))]).toEqual(['file-outside']);
    expect(diagnostics.map(formatDiagnostic).join() + JSON.stringify(diagnostics)).not.toMatch(/CANARY|PATH=/);
    expect(cases).toEqual([]);
  });
});

it('may be anywhere in the project, above the tests and behind a link too', () => {
  const text = `policy: ../shared/policy.yaml\n${AT}tests: [{ name: a, table: { file: link/rows.csv } }]\n`;
  const files = { 'project/shared/policy.yaml': HEAD, 'project/shared/rows.csv': 'outcome\naccept\n' };
  expect(read(text, files, ['link', '../shared'])).toMatchObject({ diagnostics: [], cases: [{ name: 'a, row 1' }] });
});

it('is looked for where a link leads to the project', () => {
  const folder = temporaryFolder({ ...FILES, 'project/in/a.test.yaml': NAMING['policy']?.('sub/absent.yaml') ?? '' });
  symlinkSync('project', join(folder, 'link'));
  const { diagnostics } = new TestReader({ allowOnly: true }).read(join(folder, 'link/in/a.test.yaml'));
  expect(diagnostics).toMatchObject([{ code: 'file-unreadable', message: expect.stringContaining('no such file') }]);
});

it('may be in another package of the repository', () => {
  const text = `policy: ../../policy.yaml\n${AT}tests: [{ name: a, ${EXPECT} }]\n`;
  expect(read(text, { '.git': 'gitdir: x\n', 'policy.yaml': HEAD })).toMatchObject({ diagnostics: [] });
});
