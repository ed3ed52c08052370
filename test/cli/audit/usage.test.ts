/** `verdict audit` used wrongly: each mistake has a message that names it, an exit code of 2 or 3, and repeats nothing that may be personal. */

import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../support/cli/cli.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

const ID = '01a1fd40-0000-7000-8000-000000000001';
const MAIN = resolve(import.meta.dirname, '../../../src/cli/main.ts');

/** Each command with what it cannot do without beside the log. */
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

async function begun() {
  const root = temporaryFolder();
  const dir = join(root, 'log');
  await runCli(['audit', 'init', dir]);
  return { root, dir, keys: `${dir}-keys` };
}

describe.each(COMMANDS)('verdict audit %s', (command, ...more) => {
  it('says that there is no log where there is nothing, something empty, or a file', async () => {
    const { root, keys } = await begun();
    mkdirSync(join(root, 'empty'));
    writeFileSync(join(root, 'file'), 'x');
    for (const place of ['nowhere', 'empty', 'file']) {
      const { exitCode, stderr } = await runCli(['audit', command, join(root, place), ...more, '--keys', keys]);
      expect({ place, exitCode }).toEqual({ place, exitCode: 2 });
      expect(stderr).toMatch(/^verdict: found no audit log in that folder/);
    }
  });

  it('takes no empty text for a folder', async () => {
    const { dir } = await begun();
    expect(await runCli(['audit', command, '', ...more])).toMatchObject({
      exitCode: 2,
      stderr: 'verdict: <dir> is empty: a folder was expected\n',
    });
    expect(await runCli(['audit', command, dir, ...more, '--keys', ''])).toMatchObject({
      exitCode: 2,
      stderr: 'verdict: --keys is empty: a folder was expected\n',
    });
  });

  it('does not repeat an argument too many', async () => {
    const { exitCode, stderr } = await runCli(['audit', command, 'log', ...more, 'x', '+1202.555\n0101.']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: too many arguments for '\w+'\. Expected \d arguments? but got \d\.\n$/);
  });

  it('names what was meant by a misspelt option', async () => {
    const { exitCode, stderr } = await runCli(['audit', command, 'log', ...more, '--kyes', 'x']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Did you mean --keys?');
  });
});

it('verdict audit show does not repeat what is no id', async () => {
  const { exitCode, stderr } = await runCli(['audit', 'show', 'log', "+12025550101' is invalid for argument 'x'"]);
  expect(exitCode).toBe(2);
  expect(stderr).toBe("error: argument 'id' is invalid. The id of a decision was expected, a UUID.\n");
});

describe('a key folder that is none', () => {
  it.each(['search --subject 203.0.113.7', 'replay', 'verify', `show ${ID}`, 'checkpoint', 'rotate --signing'])(
    'is an error of the key folder, and not of the log: %s',
    async (words) => {
      const { dir, keys } = await begun();
      renameSync(join(keys, 'keys.json'), join(keys, 'k'));
      renameSync(join(keys, 'signing.json'), join(keys, 's'));
      // A folder in place of a file: the system fails to read it, whoever the user is.
      for (const name of ['keys.json', 'signing.json']) mkdirSync(join(keys, name));
      const [command = '', ...more] = words.split(' ');
      const { exitCode, stderr } = await runCli(['audit', command, dir, ...more, '--keys', keys]);
      expect(exitCode).toBeGreaterThan(1);
      expect(stderr).toMatch(/^verdict: .*key folder.*\n$/);
      expect(stderr).not.toContain('internal error');
    },
  );
});

describe('a user who may read the log and not its keys', () => {
  /** Only the system's own user can become another one. */
  const test = it.skipIf(process.getuid?.() !== 0);
  const asNobody = (...args: readonly string[]) =>
    spawnSync(process.execPath, [MAIN, 'audit', ...args], { uid: 65534, gid: 65534, encoding: 'utf8' });

  test('verifies without them, unless they are named, and is told that it is the keys', async () => {
    const { root, dir, keys } = await begun();
    chmodSync(root, 0o755);
    spawnSync('chmod', ['-R', 'go+rX', dir]);
    const verified = asNobody('verify', dir);
    expect(verified).toMatchObject({ status: 0, stdout: expect.stringContaining('bodies: not opened') });
    const refused = { status: 3, stderr: 'verdict: the key folder could not be read (EACCES)\n' };
    expect(asNobody('verify', dir, '--keys', keys)).toMatchObject(refused);
    expect(asNobody('show', dir, ID)).toMatchObject(refused);
    expect(asNobody('checkpoint', dir)).toMatchObject(refused);
  });
});

it('where nobody can be told what is wrong, the exit code says it all the same', () => {
  const full = openSync('/dev/full', 'w');
  try {
    for (const args of [
      ['audit', 'search', '/nowhere'],
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
