/** Tests and the file of tests that they are for -> the file with them at its end, or a new one. */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { CommentedTest, NewTestFile } from '../../../lab/cases/test-yaml.ts';
import { realPathOf } from '../../../platform/files/real-path.ts';
import { checkWritable, replaceFile } from '../../../platform/files/replace-file.ts';
import { count } from '../../../text.ts';
import { CouldNotRunError, type Io, say, UsageError } from '../../io.ts';

/** Whether `--write` names a file that is still to be made; refuses what can be no file of tests. */
export async function isNewFile(file: string): Promise<boolean> {
  const { isTestFile } = await import('../../../policy/check/candidates.ts');
  let stats: ReturnType<typeof statSync>;
  try {
    stats = statSync(file, { throwIfNoEntry: false });
  } catch {
    throw new CouldNotRunError(`${file} cannot be read`);
  }
  if (stats && !stats.isFile()) throw new UsageError(`--write: ${file} is not a file; expected a file of tests`);
  if (!stats && !isTestFile(file)) {
    throw new UsageError(
      `--write: there is no ${file}; expected a file of tests, or a new name that ends in .test.yaml`,
    );
  }
  return stats === undefined;
}

/** Makes a file with tests, and says so. */
export async function createFile(
  file: string,
  head: NewTestFile,
  tests: readonly CommentedTest[],
  io: Io,
): Promise<void> {
  if (tests.length === 0) return;
  const { newTests } = await import('../../../lab/cases/test-yaml.ts');
  try {
    // Not over a file that somebody else made meanwhile.
    writeFileSync(file, newTests(head, tests), { flag: 'wx' });
  } catch {
    throw new CouldNotRunError(`${file} cannot be written`);
  }
  await say(io.stderr, `verdict: ${file} created with ${count(tests.length, 'test')}\n`);
}

/** Appends tests to a file, which keeps the rest, and says so. */
export async function appendToFile(file: string, tests: readonly CommentedTest[], io: Io): Promise<void> {
  if (tests.length === 0) return;
  const { appendTests } = await import('../../../lab/cases/test-yaml.ts');
  const text = appendTests(readFileSync(file, 'utf8'), tests);
  if (text === undefined) {
    throw new CouldNotRunError(`${file}: expected each test on lines of its own; nothing was written`);
  }
  writeTests(file, text);
  await say(io.stderr, `verdict: ${count(tests.length, 'test')} appended to ${file}\n`);
}

/** Replaces the text of a file of tests. */
export function writeTests(file: string, text: string): void {
  orCannotWrite(file, (path) => replaceFile(path, text));
}

/** Throws a `CouldNotRunError` for a file of tests that is read-only. */
export function checkTestsWritable(file: string): void {
  orCannotWrite(file, checkWritable);
}

/** Calls `act` with the path that a link leads to: a link stays one. */
function orCannotWrite(file: string, act: (path: string) => void): void {
  try {
    act(realPathOf(file) ?? file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const isReadOnly = ['EACCES', 'EPERM', 'EROFS'].includes(code);
    throw new CouldNotRunError(`${file} ${isReadOnly ? 'is read-only; it was not changed' : 'cannot be written'}`);
  }
}
