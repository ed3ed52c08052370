/**
 * What the README promises somebody who clones the repository, done in a folder that nobody has used.
 *
 * An installation follows from what package.json and its lock file say. Once `npm ci`, which builds, and `npx` have
 * worked with these on this machine, a clone has the packages and the build of the working copy instead: it is started
 * all the same.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { IS_SOAK } from './support/sampled.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** The folder of what stays on this machine from run to run. */
const KEPT = dirname(process.env['NODE_COMPILE_CACHE'] ?? '');
const NO_NETWORK = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ENOTCACHED|ETIMEDOUT)\b/;

/** The environment of somebody at a shell: without the Node of the project, and without what npm sets in a script. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_|VERDICT_|NODE)/.test(name)));
env['PATH'] = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);
env['npm_config_prefer_offline'] = 'true';

const clone = mkdtempSync(join(tmpdir(), 'verdict-clone-'));
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
for (const file of listed.trim().split('\n')) cpSync(join(ROOT, file), join(clone, file));
afterAll(() => rmSync(clone, { recursive: true, force: true }));

function shell(command: string) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: clone, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const [trial, start = '', all] = [...readme.matchAll(/^```sh\n(.*)\n```$/gm)].map(([, command]) => command);

/** A file that is there once these packages were installed by the commands of the README. */
const setUp = createHash('sha256').update(shell('npm --version').stdout);
for (const name of ['package.json', 'package-lock.json', '.npmrc']) setUp.update(readFileSync(join(ROOT, name)));
const installed = join(KEPT, `verdict-installed-${setUp.digest('hex')}`);
const isLinked = !IS_SOAK && existsSync(installed);

/** Programs that take the place of others, for a shell that has the folder in its path. */
const standIns = join(clone, 'stand-ins');
mkdirSync(standIns);
function standIn(name: string, script: string): void {
  writeFileSync(join(standIns, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
if (isLinked) {
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  standIn('npx', 'shift; PATH=node_modules/.bin:$PATH exec node dist/cli/main.js "$@"');
  env['PATH'] = `${standIns}${delimiter}${env['PATH']}`;
}

// Everything below follows from it, so that it runs once, before the tests.
const started = shell(isLinked ? start.replace('npm ci', `cp -R '${join(ROOT, 'dist')}' .`) : start);
const isOffline = NO_NETWORK.test(started.stderr);
if (isOffline) test.skip('NOT TESTED: a clone cannot be set up without a registry');

describe.skipIf(isOffline)('a fresh clone', () => {
  it('has the commands of the README, the trial first, which serves until it is ended', () => {
    const commands = [
      'npm ci && npm run build && npx verdict serve --try',
      'npm ci && npm start',
      'npm ci && npm test',
    ];
    expect([trial, start, all]).toEqual(commands);
  });

  it('starts: it decides on three people, explains one, and says what to try next, without a warning', () => {
    const { status, stdout, stderr } = started;
    expect({ status, stderr }).toEqual({ status: 0, stderr: isLinked ? '' : 'Building verdict ...\n' });
    expect(stdout).toMatch(/^ACCEPT {2}clean: .*\nREVIEW {2}ported-risky-email: .*\nREJECT {2}voip-disposable: /m);
    expect(stdout).toContain('  PORTED_AND_RISKY_EMAIL: Number ported 7 days ago; email risk is high.\n');
    expect(stdout).toContain('What to try next:\n');
  });

  it('runs what the start says to try next', () => {
    const commands = [...started.stdout.matchAll(/^ {2}(npx verdict .*?)(?: {2,}.*)?$/gm)].map(([, each = '']) => each);
    // `npx verdict sandbox` serves until it is ended.
    const printed = commands.filter((each) => !each.endsWith('sandbox')).map(shell);
    expect(printed.map(({ status, stderr }) => ({ status, stderr }))).toEqual(Array(3).fill({ status: 0, stderr: '' }));
    expect(printed[0]?.stdout).toMatch(/^REVIEW /);
    expect(printed[1]?.stdout).toContain('0 errors, 0 warnings');
    expect(printed[2]?.stdout).toMatch(/^\d+ tests: \d+ passed$/m);
    writeFileSync(installed, '');
  });

  it('builds again what is older than its source, and only that', () => {
    expect(shell('npm run --silent verdict -- --version')).toMatchObject({ status: 0, stderr: '' });
    standIn('npm', 'echo npm "$@"');
    utimesSync(join(clone, 'src/version.ts'), new Date(), new Date());
    const build = 'node test/support/release/build-stale.ts';
    expect(JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')).scripts.verdict).toContain(`${build} &&`);
    expect(shell(`PATH=stand-ins:node_modules/.bin:$PATH ${build}`)).toEqual({
      status: 0,
      stdout: 'npm run --silent build\n',
      stderr: 'Building verdict ...\n',
    });
  });
});
