/** Usage errors of `verdict audit`: each message names the mistake and repeats nothing that may be personal. */

import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../support/cli/cli.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';

const ID = '01a1fd40-0000-7000-8000-000000000001';
const MAIN = resolve(import.meta.dirname, '../../../../dist/cli/main.js');

/** Each command with its required arguments after the log. */
const COMMANDS: readonly (readonly [string, ...string[]])[] = [
  ['search'],
  ['show', ID],
  ['replay'],
  ['note', ID, '--disposition', 'approve', '--by', 'a', '--why', 'b'],
  ['verify'],
  ['checkpoint'],
  ['erase', '--subject', '+12025550101'],
  ['prune', '--before', '2020-01-01'],
  ['rotate', '--index'],
];

async function newLog() {
  const root = temporaryFolder();
  const dir = join(root, 'log');
  await runCli(['audit', 'init', dir]);
  return { root, dir, keys: `${dir}-keys` };
}

describe.each(COMMANDS)('verdict audit %s', (command, ...more) => {
  it('says that there is no log if the folder is absent, empty, or a file', async () => {
    const { root, keys } = await newLog();
    mkdirSync(join(root, 'empty'));
    writeFileSync(join(root, 'file'), 'x');
    for (const place of ['nowhere', 'empty', 'file']) {
      const { exitCode, stderr } = await runCli(['audit', command, join(root, place), ...more, '--keys', keys]);
      expect({ place, exitCode }).toEqual({ place, exitCode: 2 });
      expect(stderr).toMatch(/^verdict: found no audit log in that folder/);
    }
  });

  it('rejects an empty text as a folder', async () => {
    const { dir } = await newLog();
    expect(await runCli(['audit', command, '', ...more])).toMatchObject({
      exitCode: 2,
      stderr: 'verdict: the log is empty, expected a folder or postgres:NAME\n',
    });
    expect(await runCli(['audit', command, dir, ...more, '--keys', ''])).toMatchObject({
      exitCode: 2,
      stderr: 'verdict: --keys is empty, expected a folder or postgres:NAME\n',
    });
  });
});

it('verdict audit show does not repeat a malformed id', async () => {
  const { exitCode, stderr } = await runCli(['audit', 'show', 'log', "+12025550101' is invalid for argument 'x'"]);
  expect(exitCode).toBe(2);
  expect(stderr).toBe(
    "error: argument 'id' has an invalid value. Expected the id of a decision, a UUID of version 7; " +
      '--reference takes your own reference.\n',
  );
});

describe('an unreadable key folder', () => {
  it.each(['search --subject 203.0.113.7', 'replay', 'verify', `show ${ID}`, 'checkpoint', 'rotate --signing'])(
    'is reported as an error of the key folder, not of the log: %s',
    async (words) => {
      const { dir, keys } = await newLog();
      renameSync(join(keys, 'keys.json'), join(keys, 'k'));
      renameSync(join(keys, 'signing.json'), join(keys, 's'));
      // A folder in place of a file cannot be read, not even by root.
      for (const name of ['keys.json', 'signing.json']) mkdirSync(join(keys, name));
      const [command = '', ...more] = words.split(' ');
      const { exitCode, stderr } = await runCli(['audit', command, dir, ...more, '--keys', keys]);
      expect(exitCode).toBeGreaterThan(1);
      expect(stderr).toMatch(/^verdict: .*key folder.*\n$/);
      expect(stderr).not.toContain('internal error');
    },
  );
});

describe('a user who may read the log but not its keys', () => {
  /** Only root can become another user. */
  const test = it.skipIf(process.getuid?.() !== 0);
  const asNobody = (...args: readonly string[]) =>
    spawnSync(process.execPath, [MAIN, 'audit', ...args], { uid: 65534, gid: 65534, encoding: 'utf8' });

  test('verifies without the keys, unless they are named; other errors name the key folder', async () => {
    const { root, dir, keys } = await newLog();
    chmodSync(root, 0o755);
    spawnSync('chmod', ['-R', 'go+rX', dir]);
    const verified = asNobody('verify', dir);
    expect(verified).toMatchObject({ status: 0, stdout: expect.stringContaining('bodies: not opened') });
    const refused = { status: 3, stderr: 'verdict: the key folder could not be read (EACCES)\n' };
    expect(asNobody('verify', dir, '--keys', keys)).toMatchObject(refused);
    expect(asNobody('checkpoint', dir)).toMatchObject(refused);
  });
});

it('the exit code reports an error even if standard error cannot be written', () => {
  const full = openSync('/dev/full', 'w');
  try {
    for (const args of [
      ['audit', 'serch'],
      ['audit', 'verify', '/nowhere'],
    ]) {
      const { status } = spawnSync(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', full] });
      expect(status).toBe(2);
    }
  } finally {
    closeSync(full);
  }
});
