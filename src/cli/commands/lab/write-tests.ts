/** Tests and the file of tests that they are for -> the file with them at its end, or a new one. */

import { readFileSync, statSync } from 'node:fs';
import type { CommentedTest, NewTestFile } from '../../../lab/cases/test-yaml.ts';
import { count } from '../../../text.ts';
import { CouldNotRunError, type Io, say, UsageError } from '../../io.ts';
import { writeNewFile, writeOwnFile } from '../../options/own-file.ts';

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
  // Never replaces a file that another program made meanwhile.
  writeNewFile(file, newTests(head, tests));
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
  writeOwnFile(file, text);
  await say(io.stderr, `verdict: ${count(tests.length, 'test')} appended to ${file}\n`);
}
