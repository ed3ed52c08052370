/** The working copy -> built, unless the build is newer than everything that it is made of. */

import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');

/** When a file was changed; 0 if it is not there. */
const changedAt = (file: string): number => statSync(join(ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

// The last two files that a build writes.
const built = Math.min(changedAt('dist/index.js'), changedAt('dist/cli/main.js'));
const sources = globSync(['src/**', 'package.json', 'package-lock.json', 'tsconfig.json'], { cwd: ROOT });
if (sources.some((file) => changedAt(file) > built)) {
  process.stderr.write('Building verdict ...\n');
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
