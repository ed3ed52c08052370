/** `verdict velocity`: which store and key it takes, and what it does with them. */

import { chmodSync, existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initAuditLog } from '../../../../src/audit/init.ts';
import { createVelocityStore } from '../../../../src/stores/velocity/velocity.ts';
import { runCli } from '../../../support/cli/cli.ts';
import { CLOSED_PORT } from '../../../support/ports.ts';
import { counting, KEEP_MS } from '../../../support/stores/velocity/counting.ts';

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'velocity-'));
}

describe('verdict velocity', () => {
  it('makes a store and its key once, and again changes nothing', async () => {
    const sqlite = join(newFolder(), 'velocity.sqlite');
    for (let i = 0; i < 2; i++) {
      const { exitCode, stdout, stderr } = await runCli(['velocity', 'init', '--velocity', sqlite]);
      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: 0,
        stdout: 'the velocity store is ready\n',
        stderr: '',
      });
    }
    expect(statSync(join(sqlite, '../velocity.key')).mode & 0o777).toBe(0o600);
  });

  it('warns of a key file that is open to other users, and of no other', async () => {
    const sqlite = join(newFolder(), 'velocity.sqlite');
    const key = sqlite.replace('.sqlite', '.key');
    const run = (...args: readonly string[]) => runCli(['velocity', 'init', '--velocity', sqlite, ...args]);
    await run();
    chmodSync(key, 0o640);
    const said = `verdict: open to other users: ${key} (mode 0640); anyone with it and the store can look up a phone number: chmod go= ${key}\n`;
    for (const args of [[], ['--velocity-key', key]])
      expect(await run(...args)).toMatchObject({ exitCode: 0, stderr: said });
    chmodSync(key, 0o600);
    expect(await run()).toMatchObject({ stderr: '' });
  });

  it('prunes what is not kept any more, in the store that the environment names', async () => {
    const folder = newFolder();
    const env = { VERDICT_VELOCITY: join(folder, 'velocity.sqlite'), VERDICT_VELOCITY_KEY: join(folder, 'other.key') };
    const store = await createVelocityStore({ sqlite: env.VERDICT_VELOCITY, keyFile: env.VERDICT_VELOCITY_KEY });
    await store.count(counting(store, 'now', 'value'));
    await store.count(counting(store, 'then', 'value', Date.now() - KEEP_MS));
    const prune = async (...args: readonly string[]) => (await runCli(['velocity', 'prune', ...args], { env })).stdout;
    expect(await prune('--json')).toBe('{\n  "deleted": 1\n}\n');
    expect(await prune()).toBe('0 members deleted\n');
    await store.close();
  });

  it('has the key of the log that is named', async () => {
    const folder = newFolder();
    const [dir, sqlite] = [join(folder, 'log'), join(folder, 'velocity.sqlite')];
    await initAuditLog({ dir });
    const run = (command: string, file: string, ...args: readonly string[]) =>
      runCli(['velocity', command, '--velocity', file, ...args]);
    const refused = (message: RegExp) => ({ exitCode: 2, stderr: expect.stringMatching(message) });
    expect(await run('prune', sqlite, '--log', dir)).toMatchObject(refused(/no velocity store at .*velocity init/));
    expect(await run('init', sqlite, '--log', dir)).toMatchObject({ exitCode: 0 });
    expect(await run('prune', sqlite, '--log', dir)).toMatchObject({ exitCode: 0 });
    expect(await run('prune', sqlite)).toMatchObject(refused(/is not there: .* or the log whose key/));
    expect(existsSync(join(folder, 'velocity.key'))).toBe(false);
    expect(await run('init', dir)).toMatchObject(refused(/sqlite is a folder/));
    expect(await run('init', join(dir, 'velocity.sqlite'))).toMatchObject(refused(/folder of an audit log/));
    expect(await run('init', join(folder, 'new.sqlite'), '--velocity-key', join(dir, 'k'))).toMatchObject(
      refused(/folder of an audit log/),
    );
    expect(await run('init', join(folder, 'new.sqlite'), '--velocity-key', folder)).toMatchObject(
      refused(/key of the velocity store cannot be used .EISDIR.: expected a file/),
    );
  });

  it.each([
    [[], {}, 'no velocity store: give --velocity, or set VERDICT_VELOCITY'],
    [['--velocity', 'redis://canary@host'], {}, '--velocity names a file: a URL belongs in VERDICT_VELOCITY'],
    [[], { VERDICT_VELOCITY: 'mysql://canary@host' }, /expected a file, or the URL of PostgreSQL or Redis/],
    [['--velocity', 'a', '--keys', 'b'], {}, '--keys goes with --log'],
    [['--velocity', 'a', '--log', 'b', '--velocity-key', 'c'], {}, /the log has the key/],
    [['--velocity-key', 'c'], {}, '--velocity-key goes with --velocity'],
    [[], { VERDICT_VELOCITY: 'redis://canary@host' }, /has no key of its own: give a log, or --velocity-key/],
  ])('refuses a command line that names no store, or two: %j', async (args, env, message) => {
    const { exitCode, stderr } = await runCli(['velocity', 'init', ...args], { env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(message) });
    expect(stderr).not.toContain('canary');
  });

  it('could not run without its server, and says no more than the code', async () => {
    const env = {
      VERDICT_VELOCITY: `redis://canary@127.0.0.1:${CLOSED_PORT}`,
      VERDICT_VELOCITY_KEY: join(newFolder(), 'key'),
    };
    const { exitCode, stderr } = await runCli(['velocity', 'init'], { env });
    const said = 'verdict: the velocity store is not available (ECONNREFUSED)\n';
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: said });
  });
});
