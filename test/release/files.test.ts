/** Which files can be in a release, and that they are in it to the byte. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { propose } from '../../src/release/acts.ts';
import { formatBundle, readBundle } from '../../src/release/bundle.ts';
import { checkTexts, readRules } from '../../src/release/files.ts';
import { makeManifest, readManifest } from '../../src/release/manifest.ts';
import type { Release } from '../../src/release/store.ts';
import { temporaryFolder } from '../support/policy/policy.ts';
import { ANA, newLogPlace, openReleasesIn, TINY } from '../support/release/releases.ts';

describe('a path is refused', () => {
  it.each([
    ['above the folder', '../signup.yaml'],
    ['above it further on', 'lists/../../signup.yaml'],
    ['absolute', '/etc/passwd'],
    ['of the drive', 'C:/signup.yaml'],
    ['with the other slash', 'lists\\people.txt'],
    ['empty', ''],
    ['with an empty step', 'lists//people.txt'],
    ['that ends with a slash', 'lists/'],
    ['of this folder', './signup.yaml'],
    ['with a dot first', 'lists/.people.txt'],
    ['that ends with a dot', 'lists/people.'],
    ['that ends with a space', 'lists/people.txt '],
    ['decomposed', 'lists/cafe\u0301.txt'],
    ['with a control character', 'lists/a\u0007.txt'],
    ['with a line break', 'lists/a\nb.txt'],
    ['with a character of no width', 'lists/a\u200b.txt'],
    ['that turns the direction', 'lists/a\u202etxt.yaml'],
    ['with half a character', 'lists/a\ud800.txt'],
    ['of 201 characters', `${'a'.repeat(196)}.yaml`],
    ['that is not a key of its own', '__proto__'],
  ])('%s', (_, path) => {
    expect(() => checkTexts(Object.fromEntries([[path, 'a text']]))).toThrow(/ cannot be the path of a file: /);
  });
});

it.each([
  ['a name', 'lists/a.txt', 'lists/A.txt'],
  ['a folder', 'lists/a.txt', 'Lists/b.txt'],
  ['ß and SS', 'lists/straße.txt', 'lists/STRASSE.txt'],
  ['a long s', 'lists/ſ.txt', 'lists/s.txt'],
  ['a file and a folder', 'lists', 'lists/a.txt'],
  ['a file and a folder of another case', 'LISTS', 'lists/a.txt'],
])('two paths are refused that are one on some machines: %s', (_, one, other) => {
  const expected = / and .* are one path on some machines: rename one$/;
  for (const paths of [
    [one, other],
    [other, one],
  ])
    expect(() => checkTexts(Object.fromEntries(paths.map((path) => [path, ''])))).toThrow(expected);
});

test('paths of many scripts are taken, in the order of their code units', () => {
  const paths = ['lists/straße.txt', 'lists/名前.txt', 'lists/a.b-c_d e.txt', 'lists/caf\u00e9.txt', 'signup.yaml'];
  expect(Object.keys(checkTexts(Object.fromEntries(paths.map((path) => [path, '']))))).toEqual(paths.toSorted());
});

test('a release has 2,000 files and 16 MiB at most', () => {
  const files = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`${i}.txt`, '']));
  expect(Object.keys(checkTexts(files(2000)))).toHaveLength(2000);
  expect(() => checkTexts(files(2001))).toThrow('found 2001 files, expected up to 2000');
  const half = 'é'.repeat(4 * 1024 * 1024);
  expect(Object.keys(checkTexts({ a: half, b: half }))).toEqual(['a', 'b']);
  expect(() => checkTexts({ a: half, b: half, c: 'c' })).toThrow('expected up to 16777216 in all files together');
});

test.each([
  ['half a character', { 'a.txt': '\ud800' }],
  ['no text', { 'a.txt': 1 }],
])('%s is refused', (_, texts) => {
  expect(() => checkTexts(texts)).toThrow('a.txt is not a text');
});

describe('of a folder', () => {
  it('files and folders that begin with a dot are left out', () => {
    const folder = temporaryFolder({ 'signup.yaml': 'a', '.hidden': 'b', '.git/config': 'c', 'lists/.kept': 'd' });
    expect(readRules(folder)).toEqual({ 'signup.yaml': 'a' });
  });

  it('a link out of the project is refused, and one in it is the file', () => {
    const folder = temporaryFolder({ '.git/config': '', 'rules/a.txt': 'a' });
    symlinkSync(join(folder, 'rules/a.txt'), join(folder, 'rules/b.txt'));
    expect(readRules(join(folder, 'rules'))).toEqual({ 'a.txt': 'a', 'b.txt': 'a' });
    symlinkSync('/etc/hostname', join(folder, 'rules/c.txt'));
    expect(() => readRules(join(folder, 'rules'))).toThrow('c.txt: a link out of the project');
  });

  it('a file that is not UTF-8 is refused', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.txt'), Buffer.from([0x61, 0xff]));
    expect(() => readRules(folder)).toThrow('a.txt cannot be read as UTF-8 text');
  });

  it('a pipe is refused, and not waited for', () => {
    const folder = temporaryFolder();
    execFileSync('mkfifo', [join(folder, 'a.txt')]);
    expect(() => readRules(folder)).toThrow('a.txt is not a file');
  });

  it('more than 16 MiB is refused before it is read', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.txt'), '');
    truncateSync(join(folder, 'a.txt'), 16 * 1024 * 1024 + 1);
    expect(() => readRules(folder)).toThrow('expected up to 16777216 in all files together');
  });
});

test('a byte order mark, line ends, tabs and a missing last line end come back to the byte', async () => {
  const texts = {
    ...TINY,
    'notes/bom.txt': '\ufeffa mark',
    'notes/crlf.txt': 'a\r\nb\rc\n',
    'notes/tabs.txt': '\ta\t\n\n\n',
    'notes/no-end.txt': 'a\u2028b\u0000c',
    'notes/empty.txt': '',
  };
  const folder = temporaryFolder(texts);
  mkdirSync(join(folder, 'empty'));
  const { means, store } = await openReleasesIn(await newLogPlace());
  const files = readRules(folder);
  expect(files).toEqual(texts);
  await propose(means, { files, mapping: 'signals.yaml', title: 'Bytes', authors: [ANA.by] });
  const { content } = readBundle(formatBundle((await store.read(1)) as Release));
  expect(content?.files).toEqual(texts);
});

test('a manifest names no mapping and no policy beside its files', () => {
  const given = { series: '7a4c2a52-6b1c-4f6c-9a67-2f1f3f0b9f55', number: 1, base: null, title: 'A', authors: ['ana'] };
  const at = { createdAt: '2026-11-20T09:00:00.000Z', policies: { a: { file: 'a.yaml', version: '1' } } };
  const content = { salt: 'ab'.repeat(32), files: { 'a.yaml': '', 'signals.yaml': '' } };
  const made = (mapping: string, file = 'a.yaml') =>
    makeManifest(content, { ...given, ...at, mapping, policies: { a: { file, version: '1' } } });
  expect(readManifest(made('signals.yaml').text).manifest.mapping).toBe('signals.yaml');
  const expected = 'the manifest names a mapping or a policy that is not one of its files';
  expect(() => made('../signals.yaml')).toThrow(expected);
  expect(() => made('signals.yaml', '/etc/a.yaml')).toThrow(expected);
});
