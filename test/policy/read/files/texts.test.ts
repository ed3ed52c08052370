/** A policy from texts, such as rows of a database: read as from a folder, and no file is opened. */

import { globSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { readPolicy, readPolicyText } from '../../../../src/policy/load.ts';
import { loadPolicyText } from '../../../../src/policy/read/parse.ts';
import { HEAD, temporaryFolder } from '../../../support/policy/policy.ts';

const RULES = resolve(import.meta.dirname, '../../../../rules');

const shipped = Object.fromEntries(
  globSync(`${RULES}/{lists,rule-sets}/*`).map((path) => [relative(RULES, path), readFileSync(path, 'utf8')]),
);

const RULE = (id: string) => `  - { id: ${id}, when: { phone.valid: false }, then: review }\n`;

/** Policies, and the files that they name. */
const FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'with rule sets that name others from where they are': {
    'policy.yaml': `${HEAD}ruleSets: [sets/a.yaml, sets/b.yaml]\n`,
    'sets/a.yaml': `ruleSets: [deep/c.yaml, ../top.yaml]\nrules:\n${RULE('a')}`,
    'sets/b.yaml': `lists:\n  known: { file: ../lists/known.txt }\nrules:\n${RULE('b')}`,
    'sets/deep/c.yaml': `rules:\n${RULE('c')}`,
    'top.yaml': `rules:\n${RULE('top')}`,
    'lists/known.txt': '# none\nmail.example\n',
  },
  'with a mistake in each file': {
    'policy.yaml': `${HEAD}ruleSets: [a.yaml, absent.yaml, ../out.yaml, /etc/passwd, policy.yaml]\nlists:\n  l: { file: l.txt }\n`,
    'a.yaml': `ruleSets: [a.yaml, ./a.yaml]\nrules:\n  - { id: A, when: { phone.vaild: true }, then: reviw }\n`,
    'l.txt': '',
  },
  'with lists in CSV and with last days': {
    'policy.yaml': `${HEAD}lists:\n  a: { file: a.csv }\n  b: { file: b.txt }\nrules:\n${RULE('a')}`,
    'a.csv': '\ufeffvalue,until,note\none,2026-12-31,"why, and when"\ntwo,,\n',
    'b.txt': 'one until 2026-12-31 # why\n',
  },
  'with tables in CSV': {
    'policy.yaml': `${HEAD}ruleSets: [sets/a.yaml]\n`,
    'sets/a.yaml':
      'tables:\n  - { id: a, rows: { file: a.csv }, unique: true }\n  - { id: b, rows: { file: b.csv } }\n',
    'sets/a.csv': 'phone.type,then,points\nvoip,review,\n"[mobile, pager]",none,3\n',
    'sets/b.csv': 'phone.score,then\n"{ above: 5 }",reject\n',
  },
  'with mistakes in its tables': {
    'policy.yaml': `${HEAD}tables: [{ id: a, rows: { file: a.csv }, unique: true }]\n`,
    'a.csv': 'phone.type,phone.scor,then\nvoip,1,revew\n"{ iss: voip }",any,\n',
  },
  'with mistakes in its lists': {
    'policy.yaml': `${HEAD}lists:\n  a: { file: a.csv }\n  b: { file: b.txt }\nrules:\n${RULE('a')}`,
    'a.csv': 'value,until\none,soon\n,\n',
    'b.txt': 'one until soon\n',
  },
  'with a byte order mark': { 'policy.yaml': `\ufeff${HEAD}rules:\n${RULE('a')}` },
  'that is too large': { 'policy.yaml': `${HEAD}# ${'ä'.repeat(2_200_000)}` },
  'that is empty': { 'policy.yaml': '' },
};

test.each(Object.keys(FILES))('a policy %s is read as from a folder', (name) => {
  const files = FILES[name] ?? {};
  const folder = temporaryFolder(files);
  const path = join(folder, 'policy.yaml');
  const onDisk = readPolicy(path);
  const inText = readPolicyText(files['policy.yaml'] ?? '', { files, shown: path });
  expect(inText.policy?.digest).toBe(onDisk.policy?.digest);
  expect(inText.diagnostics).toEqual(onDisk.diagnostics);
});

test.each(
  globSync(`${RULES}/*.yaml`)
    .filter((path) => !path.endsWith('signals.yaml') && !path.endsWith('.test.yaml'))
    .map((path) => basename(path)),
)('the shipped policy %s is read as from its folder', (name) => {
  const path = join(RULES, name);
  const onDisk = readPolicy(path);
  const inText = readPolicyText(readFileSync(path, 'utf8'), { files: shipped, shown: path });
  expect(onDisk.policy).toBeDefined();
  expect(inText).toEqual(onDisk);
});

describe('a policy in a text', () => {
  it('has no list with half a character, for which there is no digest', () => {
    const policy = `${HEAD}lists: { a: { file: a.csv } }\n`;
    const { diagnostics } = readPolicyText(policy, { files: { 'a.csv': 'value\n\ud800\n' } });
    expect(diagnostics.map(({ code, position }) => [code, position?.line])).toEqual([['file-unreadable', 4]]);
  });

  it('names its problems with file, line and column', () => {
    const { policy, diagnostics } = readPolicyText(`${HEAD}rules:\n  - { id: one, whn: a, then: review }\n`, {
      shown: 'tenants/7/policy',
    });
    expect(policy).toBeUndefined();
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'unknown-key',
        file: 'tenants/7/policy',
        position: expect.objectContaining({ line: 5 }),
      }),
    );
  });

  it('opens no file, not even one that is there', () => {
    const folder = temporaryFolder({ 'set.yaml': `rules:\n${RULE('a')}` });
    const { diagnostics } = readPolicyText(`${HEAD}ruleSets: [set.yaml]\n`, { shown: join(folder, 'policy.yaml') });
    const message = `no such file in the folder ${folder}`;
    expect(diagnostics).toMatchObject([{ code: 'file-unreadable', message }]);
  });

  it('that has an error is thrown with all of its problems', () => {
    expect(() => loadPolicyText('policy: 7')).toThrow(expect.objectContaining({ code: 'POLICY_INVALID' }));
    expect(loadPolicyText(`${HEAD}rules:\n${RULE('a')}`).name).toBe('test');
  });

  it.each([
    ['REQUEST_INVALID', 7],
    ['CONFIGURATION_INVALID', 'a: b', { files: { 'a.yaml': 7 } }],
    ['CONFIGURATION_INVALID', 'a: b', { shown: 7 }],
    ['CONFIGURATION_INVALID', 'a: b', { file: {} }],
  ])('is refused with %s if it, a file or a name is not a text: %j %j', (code, ...given) => {
    for (const read of [readPolicyText, loadPolicyText] as readonly ((...args: unknown[]) => unknown)[]) {
      expect(() => read(...given)).toThrow(expect.objectContaining({ code }));
    }
  });
});
