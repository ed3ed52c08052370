/** `node test/soak/planted-lab.ts [--only WORD]`: planted bugs of the lab -> whether an everyday test finds each. */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PLANTED_BUGS, type PlantedBug } from '../support/lab/planted.ts';
import { formatTable } from '../support/table.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const { values: options } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const folder = mkdtempSync(join(tmpdir(), 'verdict-planted-'));
try {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of files.trim().split('\n')) cpSync(join(ROOT, file), join(folder, file));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const bugs = PLANTED_BUGS.filter(({ name, file }) => `${file} ${name}`.includes(options.only));
  const tests = [...new Set(bugs.flatMap((bug) => bug.tests))];
  if (!pass(tests)) throw new Error(`the tests ${tests.join(', ')} fail as they are`);
  const missed = bugs.filter((bug) => !isFound(bug)).map(({ name }) => name);
  const rows = bugs.map(({ name, file }) => [name, file, missed.includes(name) ? 'missed' : 'found']);
  process.stdout.write(formatTable([['bug', 'in', ''], ...rows]));
  process.stdout.write(`\n${bugs.length - missed.length} of ${bugs.length} planted bugs found\n`);
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function isFound({ name, file, before, after, tests }: PlantedBug): boolean {
  const path = join(folder, 'src/lab', file);
  const source = readFileSync(path, 'utf8');
  if (source.split(before).length !== 2) throw new Error(`the place of "${name}" is not once in ${file}`);
  writeFileSync(
    path,
    source.replace(before, () => after),
  );
  const isUnnoticed = pass(tests);
  writeFileSync(path, source);
  return !isUnnoticed;
}

/** Whether tests pass; a test that does not end fails. */
function pass(tests: readonly string[]): boolean {
  const files = tests.map((each) => `test/lab/${each}.`);
  const args = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--bail=1', ...files];
  const env = { ...process.env, VERDICT_TEST: '' };
  return spawnSync('npx', args, { cwd: folder, env, stdio: 'ignore', timeout: 600_000 }).status === 0;
}
