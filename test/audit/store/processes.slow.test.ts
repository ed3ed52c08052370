import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isChainName } from '../../../src/audit/store/chain.ts';
import { commandOf, killAtRandom, listen, newLog, openLog, settle, start } from '../../support/audit/runs.ts';
import { hasStrace, INJECTIONS, injectAll } from '../../support/audit/strace.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

const chainsOf = (dir: string) => readdirSync(dir).filter(isChainName);

describe('processes that are killed', () => {
  it('leave all that was acknowledged, once, in a log that is whole', async () => {
    const tried = newLog(temporaryFolder());
    await killAtRandom(tried, 7, 5);
    expect(await settle(tried)).toEqual([]);
    expect(tried.acknowledged.size).toBeGreaterThan(20);
  });
});

/** Those of writing are in system-calls.release.test.ts; `node test/soak/audit.ts` lets each call of each kind fail. */
const SAMPLE = INJECTIONS.filter(({ call, fate }) => call === 'fdatasync' && fate === 'error=EIO');

describe.skipIf(!hasStrace())('one system call that fails (skipped where strace is not installed)', () => {
  it.each(SAMPLE.map((injection) => [Object.values(injection).join(' '), injection] as const))(
    '%s: nothing is acknowledged that is not there',
    async (_, injection) => {
      const { injected, broken } = await injectAll(temporaryFolder(), injection, 2);
      expect(broken).toEqual([]);
      expect(injected).toBeGreaterThan(0);
    },
  );
});

describe('processes on one log', () => {
  it('that begin at once have a chain each', async () => {
    const tried = newLog(temporaryFolder());
    await (await openLog(tried)).close();
    const opened: string[] = [];
    const children = Array.from({ length: 4 }, () => start(tried, 'endless'));
    const killAll = () => {
      for (const child of children) child.kill('SIGKILL');
    };
    onTestFinished(killAll);
    await Promise.all(
      children.map((child) =>
        listen(tried, child, (word, chain) => {
          if (word === 'opened') opened.push(chain);
          if (opened.length === children.length) killAll();
        }),
      ),
    );
    expect(new Set(opened).size).toBe(children.length);
    expect(chainsOf(tried.chains).sort()).toEqual(opened.toSorted());
    expect(await settle(tried)).toEqual([]);
  });

  it.each(['000', '777'])('make files and folders that are for their owner alone, with the umask %s', (umask) => {
    const tried = newLog(temporaryFolder());
    const { command, env } = commandOf(tried, 'short');
    const run = spawnSync('sh', ['-c', `umask ${umask} && exec "$@"`, 'sh', ...command], { env, encoding: 'utf8' });
    expect(run.stdout).toMatch(/\ndone\n$/);
    const modes = [tried.chains, tried.keys.path].flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
        const { mode } = statSync(join(entry.parentPath, entry.name));
        return `${entry.isDirectory() ? 'folder' : 'file'} ${(mode & 0o777).toString(8)}`;
      }),
    );
    expect([...new Set(modes)].sort()).toEqual(['file 600', 'folder 700']);
    expect(statSync(tried.chains).mode & 0o777).toBe(0o700);
  });
});
