/** `checkFiles` since a git revision: a policy whose content changed under the same version. */

import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkFiles } from '../../../src/policy/check/check-files.ts';
import { runCli } from '../../support/cli/cli.ts';
import { commitAll, git } from '../../support/policy/git.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}ruleSets: [sets/a.yaml]
lists: { blocked: { file: lists/blocked.txt } }
rules:
  - { id: risky, when: { phone.score: { above: 80 } }, then: review }
  - { id: blocked, when: { applicant.emailDomain: { inDomainList: blocked } }, then: review }
`;
const FILES = {
  'rules/policy.yaml': POLICY,
  'rules/sets/a.yaml': 'tables: [{ id: t, rows: { file: t.csv } }]\n',
  'rules/sets/t.csv': 'phone.type,then\nvoip,review\n',
  'rules/lists/blocked.txt': 'spam.example\n',
};

/** A repository with the policy, which is committed once. */
const repository = mkdtempSync(join(tmpdir(), 'verdict-'));
beforeAll(() => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(repository, name)), { recursive: true });
    writeFileSync(join(repository, name), text);
  }
  commitAll(repository);
});
afterAll(() => rmSync(repository, { recursive: true, force: true }));

/** A copy of the repository, in which these files were edited since. */
function edited(edits: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder();
  cpSync(repository, folder, { recursive: true });
  for (const [name, text] of Object.entries(edits)) writeFileSync(join(folder, name), text);
  return folder;
}

const found = (folder: string, since = 'HEAD', path = 'rules') =>
  checkFiles([join(folder, path)], { since }).diagnostics.map(({ code, file, position }) =>
    [code, file.replace(`${folder}/`, ''), position?.line, position?.column].join(' '),
  );

const UNCHANGED = 'version-unchanged rules/policy.yaml 2 10';

describe('a policy under the same version', () => {
  it.each([
    {
      name: 'is reported if its content changed: a rule, a rule set, a list, a table in CSV',
      expected: [UNCHANGED],
      edits: [
        { 'rules/policy.yaml': POLICY.replace('80', '70') },
        { 'rules/sets/a.yaml': FILES['rules/sets/a.yaml'].replace('rows', 'owner: fraud, rows') },
        { 'rules/lists/blocked.txt': 'spam.example\nother.example\n' },
        { 'rules/sets/t.csv': 'phone.type,then\nvoip,reject\n' },
      ],
    },
    {
      name: 'is not reported if nothing changed, or comments alone, or the version too',
      expected: [],
      edits: [
        {},
        { 'rules/policy.yaml': `# ours\n${POLICY}`, 'rules/lists/blocked.txt': '# a\nspam.example\n' },
        { 'rules/policy.yaml': POLICY.replace('80', '70').replace('"1"', '"2"') },
      ],
    },
  ])('$name', ({ edits, expected }) => {
    const folder = edited();
    for (const edit of edits) {
      for (const [name, text] of Object.entries({ ...FILES, ...edit })) writeFileSync(join(folder, name), text);
      expect(found(folder)).toEqual(expected);
    }
  });

  it('is compared with the revision, whatever was committed since', () => {
    const folder = edited({ 'rules/lists/blocked.txt': 'other.example\n' });
    git(folder, 'tag', 'live');
    git(folder, 'commit', '-qam', 'other');
    expect(found(folder)).toEqual([]);
    expect(found(folder, 'live')).toEqual([UNCHANGED]);
    expect(found(folder, 'live', 'rules/lists/blocked.txt')).toEqual([UNCHANGED]);
  });

  it('is not reported if it is new, or did not load before', () => {
    expect(found(edited({ 'rules/new.yaml': HEAD.replace('accept', 'review') }))).toEqual([]);
    const folder = edited({ 'rules/policy.yaml': 'policy: 1\n' });
    git(folder, 'commit', '-qam', 'broken');
    writeFileSync(join(folder, 'rules/policy.yaml'), POLICY);
    expect(found(folder)).toEqual([]);
  });

  it('is not reported if a comment says why', () => {
    const allowed = POLICY.replace('version', '# verdict: allow version-unchanged (a trial)\nversion').replace(
      '80',
      '70',
    );
    const folder = edited({ 'rules/policy.yaml': allowed });
    const report = checkFiles([join(folder, 'rules')], { since: 'HEAD' });
    expect([report.diagnostics, report.silenced.map(({ reason }) => reason)]).toEqual([[], ['a trial']]);
    expect(checkFiles([join(folder, 'rules')]).diagnostics).toEqual([]);
  });
});

describe('a revision that cannot be read', () => {
  const check = (folder: string, since: string) => runCli(['check', join(folder, 'rules'), '--since', since]);

  it('is refused, and not repeated', async () => {
    const folder = edited();
    const said = 'the repository of the policy has no such revision; expected a commit, a branch or a tag';
    for (const since of ['mian', '--upload-pack=touch x', '-h', ' ', 'HEAD:rules/policy.yaml']) {
      expect(await check(folder, since)).toEqual({ exitCode: 2, stdout: '', stderr: `verdict: ${said}\n` });
    }
  });

  it('is refused outside of a repository', async () => {
    const ran = await check(temporaryFolder(FILES), 'HEAD');
    expect(ran).toMatchObject({ exitCode: 3, stdout: '' });
    expect(ran.stderr).toContain('git finds no repository there that it may read');
  });

  it('is refused without git', async () => {
    const folder = edited();
    const before = process.env['PATH'];
    process.env['PATH'] = folder;
    try {
      const said = 'git cannot be run: it is not installed, or not on the PATH';
      expect(await check(folder, 'HEAD')).toEqual({ exitCode: 3, stdout: '', stderr: `verdict: ${said}\n` });
    } finally {
      process.env['PATH'] = before;
    }
  });
});

it('nothing that the repository configures is run', () => {
  const folder = edited({ 'rules/policy.yaml': POLICY.replace('80', '70'), '.gitattributes': '* filter=x diff=x\n' });
  const script = join(folder, 'run.sh');
  writeFileSync(script, `#!/bin/sh\ntouch ${folder}/ran\n`);
  chmodSync(script, 0o755);
  const settings = {
    ...{ 'core.fsmonitor': script, 'core.pager': script, 'core.sshCommand': script, 'core.hooksPath': folder },
    ...{
      'filter.x.smudge': script,
      'filter.x.required': 'true',
      'diff.x.textconv': script,
      'alias.ls-tree': '!touch x',
    },
    ...{ 'remote.origin.url': `ext::${script}`, 'remote.origin.promisor': 'true', 'protocol.ext.allow': 'always' },
    ...{ 'extensions.partialClone': 'origin', 'core.repositoryFormatVersion': '1' },
  };
  for (const [name, value] of Object.entries(settings)) git(folder, 'config', name, value);
  expect(found(folder)).toContain(UNCHANGED);
  // A missing object is fetched from a promisor, if that is allowed.
  const blob = git(folder, 'rev-parse', 'HEAD:rules/lists/blocked.txt').trim();
  rmSync(join(folder, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  expect(() => found(folder)).toThrow('git cannot read a file of the revision');
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});
