/** `verdict init`: what it makes, and where it refuses to write. The tarball test runs what it made. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkFiles } from '../../../src/policy/check/check-files.ts';
import { runCli } from '../../support/cli/cli.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

it('makes a folder whose rules have no warning, and says what to do next', async () => {
  const dir = join(temporaryFolder(), 'deep/er');
  const { exitCode, stdout, stderr } = await runCli(['init', dir]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(stdout).toContain(`Made ${files.length} files in ${dir}\n`);
  expect(stdout).toContain(`\n  cd ${dir}\n  npm install\n`);
  for (const [, part = ''] of stdout.matchAll(/^ {2}([\w.]+\/?) {2,}/gm))
    expect(existsSync(join(dir, part))).toBe(true);
  expect(checkFiles([join(dir, 'rules')]).diagnostics).toEqual([]);
});

it('leaves out how to enter a folder whose name a shell would not take as one word', async () => {
  const { stdout } = await runCli(['init', join(temporaryFolder(), "bob's $(rules)")]);
  expect(stdout).toContain('\nNext\n  npm install\n');
});

it('writes into an empty folder, and into a repository that has only its history', async () => {
  const dir = temporaryFolder({ '.git/HEAD': 'ref: refs/heads/main\n' });
  expect(await runCli(['init', dir])).toMatchObject({ exitCode: 0 });
  expect(await runCli(['init', temporaryFolder()])).toMatchObject({ exitCode: 0 });
});

it.each([
  [{ 'notes.txt': 'mine' }, 'notes.txt'],
  [{ '.env': 'mine', 'rules/own.yaml': 'mine', 'b/c': 'mine' }, '.env and 2 more'],
])('never writes into a folder with files (%j)', async (files, shown) => {
  const dir = temporaryFolder(files);
  const { exitCode, stdout, stderr } = await runCli(['init', dir]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
  expect(stderr).toBe(`verdict: ${dir} is not empty (${shown}); name a new or an empty folder. Nothing was written\n`);
  for (const [path, text] of Object.entries(files)) expect(readFileSync(join(dir, path), 'utf8')).toBe(text);
  expect(existsSync(join(dir, 'README.md'))).toBe(false);
});

it.each([
  ['file', 'is a file, or lies in one; a folder was expected'],
  ['file/new', 'is a file, or lies in one; a folder was expected'],
  ['x'.repeat(300), 'cannot be written (ENAMETOOLONG)'],
])('says so if no folder can be at %s', async (name, problem) => {
  const dir = join(temporaryFolder({ file: '' }), name);
  const { exitCode, stderr } = await runCli(['init', dir]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: `verdict: ${dir} ${problem}\n` });
});

it.skipIf(process.platform !== 'linux')('says so at once below /proc, where no folder can be made', async () => {
  const { exitCode, stderr } = await runCli(['init', '/proc/new/project']);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 3,
    stderr: 'verdict: /proc/new/project: no folder can be there\n',
  });
});
