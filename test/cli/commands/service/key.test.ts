/** `verdict key` prints a key once, lists and removes keys without their secrets, and says what is wrong. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readKeys, watchKeys } from '../../../../src/service/auth/keys.ts';
import { type Ran, runCli } from '../../../support/cli/cli.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';

interface Commands {
  readonly file: string;
  readonly config: string;
  /** Runs `verdict key` with the configuration. */
  key(...args: readonly string[]): Promise<Ran>;
}

function newCommands(): Commands {
  const folder = temporaryFolder({
    'serve.yaml': 'policies: { onboarding: onboarding.yaml }\nkeysFile: state/k.json\n',
  });
  const config = join(folder, 'serve.yaml');
  const key = (...args: readonly string[]) => runCli(['key', ...args, '--config', config]);
  return { file: join(folder, 'state', 'k.json'), config, key };
}

/** The id of an added key. */
async function add({ key }: Commands, name: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await key('add', name, '--role', 'decide', ...args);
  return stdout.slice(3, 11);
}

describe('verdict key add', () => {
  it('prints the key alone, once, and what it is good for beside it', async () => {
    const { file, key } = newCommands();
    const roles = ['--role', 'decide', '--role', 'read', '--role', 'decide'];
    const { exitCode, stdout, stderr } = await key('add', 'web', ...roles, '--rate', '2.5', '--expires', '9999-12-31');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^vk_[0-9a-f]{8}_[\w-]{43}\n$/);
    expect(stderr).toBe('This is shown once: the file of keys has only a hash of it.\n');
    const ring = watchKeys(file, { onChange: () => {}, onError: () => {} });
    ring.close();
    expect(ring.find(`Bearer ${stdout.trim()}`, Date.now())).toEqual({
      id: stdout.slice(3, 11),
      name: 'web',
      roles: ['decide', 'read'],
      rate: 2.5,
      expires: '9999-12-31',
      createdAt: expect.any(String),
    });
  });

  const LETTERS = 'the name of a key has to be up to 64 letters';
  it.each([
    ['no role', ['web'], "error: required option '--role <role>' not specified"],
    [
      'a misspelled role',
      ['web', '--role', 'reed'],
      'Allowed choices are decide, read, review, edit, approve, tighten, audit; did you mean "read"?',
    ],
    [
      'an unknown role',
      ['web', '--role', 'c0ffee'],
      'Allowed choices are decide, read, review, edit, approve, tighten, audit.',
    ],
    ['a control character', ['w\u0007eb', '--role', 'read'], LETTERS],
    ['a name that is too long', ['x'.repeat(65), '--role', 'read'], LETTERS],
    ['an empty name', ['', '--role', 'read'], LETTERS],
    ['a key as its name', [`vk_c0ffee00_${'c0ffee00'.repeat(5)}abc`, '--role', 'read'], LETTERS],
    ['a rate of 0', ['web', '--role', 'read', '--rate', '0'], 'Expected a number above 0.'],
    ['a rate in words', ['web', '--role', 'read', '--rate', 'c0ffee'], 'Expected a number above 0.'],
    ['no day', ['web', '--role', 'read', '--expires', '2026-02-30'], 'Expected a calendar day: yyyy-MM-dd.'],
    ['a day that is over', ['web', '--role', 'read', '--expires', '2026-01-01'], 'the day of --expires is over'],
    ['two rates', ['web', '--role', 'read', '--rate', '1', '--rate', '2'], 'was given twice'],
  ])('refuses %s, and repeats nothing of it', async (_, args, problem) => {
    const { file, key } = newCommands();
    const { exitCode, stdout, stderr } = await key('add', ...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(problem);
    for (const typed of ['c0ffee', '\u0007']) expect(stderr).not.toContain(typed);
    expect(() => readKeys(file)).toThrow('does not exist');
  });

  it('does not run with a configuration or a file of keys that cannot be used', async () => {
    const { config, file, key } = newCommands();
    expect(await runCli(['key', 'add', 'web', '--role', 'read', '--config', `${config}.old`])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('serve.yaml cannot be used'),
    });
    await key('add', 'web', '--role', 'read');
    writeFileSync(file, '{"format": 1, "keys": [7]}');
    for (const args of [['add', 'app', '--role', 'read'], ['list'], ['remove', 'web']]) {
      expect(await key(...args)).toEqual({
        exitCode: 3,
        stdout: '',
        stderr: 'verdict: /keys/0 of the file of keys must be an object\n',
      });
    }
    writeFileSync(config, 'policies: {}\n');
    expect(await key('list')).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('keysFile') });
  });
});

describe('verdict key list', () => {
  it('lists the keys, and never a hash', async () => {
    const commands = newCommands();
    const [web, app] = [await add(commands, 'web', '--role', 'read', '--rate', '5'), await add(commands, 'app')];
    await add(commands, 'app', '--expires', '9999-12-31');
    const { exitCode, stdout } = await commands.key('list');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`${web} +web +decide, read +5 a second`));
    expect(stdout).toMatch(new RegExp(`${app} +app +decide +\\d{4}-`));
    expect(stdout).toMatch(/app +decide +9999-12-31/);
    expect(stdout).toContain('3 keys');
    const json = await commands.key('list', '--json');
    expect(JSON.parse(json.stdout)).toEqual(readKeys(commands.file));
    const stored = readFileSync(commands.file, 'utf8').match(/[0-9a-f]{64}/g) ?? [];
    expect(stored).toHaveLength(3);
    for (const hash of stored) expect(stdout + json.stdout).not.toContain(hash.slice(0, 12));
  });

  it('says how to begin while there is no file', async () => {
    const { key } = newCommands();
    const stderr = 'verdict: the file of keys does not exist: `verdict key add NAME --role decide` makes it\n';
    expect(await key('list')).toEqual({ exitCode: 3, stdout: '', stderr });
  });
});

describe('verdict key remove', () => {
  it('removes a key by its id, or by its name if one key has it', async () => {
    const commands = newCommands();
    const [web, app] = [await add(commands, 'web'), await add(commands, 'app')];
    expect(await commands.key('remove', web)).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: `removed ${web} of web; a running service refuses it within a second\n`,
    });
    expect(readKeys(commands.file).map(({ id }) => id)).toEqual([app]);
    expect(await commands.key('remove', 'app')).toMatchObject({ exitCode: 0 });
    expect(readKeys(commands.file)).toEqual([]);
  });

  it('leaves several keys of one name, and says their ids', async () => {
    const commands = newCommands();
    const ids = [await add(commands, 'web'), await add(commands, 'web')];
    expect(await commands.key('remove', 'web')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `verdict: 2 keys have that name: remove one by its id, ${ids.join(' or ')}\n`,
    });
    expect(readKeys(commands.file)).toHaveLength(2);
  });

  it('takes an id before a name that is the same', async () => {
    const commands = newCommands();
    const web = await add(commands, 'web');
    const other = await add(commands, web);
    await commands.key('remove', web);
    expect(readKeys(commands.file).map(({ id }) => id)).toEqual([other]);
  });

  it('says of an unknown one what is similar, and repeats nothing of it', async () => {
    const commands = newCommands();
    await add(commands, 'onboarding');
    const problem = 'verdict: no key has that id or name; ';
    const similar = await commands.key('remove', 'onboardign');
    expect(similar).toMatchObject({ exitCode: 2, stderr: `${problem}did you mean "onboarding"?\n` });
    const unknown = await commands.key('remove', 'vk_c0ffee00_c0ffee');
    expect(unknown).toMatchObject({ exitCode: 2, stderr: `${problem}\`verdict key list\` shows them\n` });
  });
});
