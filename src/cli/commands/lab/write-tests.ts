/** Tests and the file of tests that they are for -> the file with them at its end. */

import { readFileSync, statSync } from 'node:fs';
import type { CommentedTest } from '../../../lab/writing/append-tests.ts';
import { realPathOf } from '../../../platform/files/real-path.ts';
import { replaceFile } from '../../../platform/files/replace-file.ts';
import { count } from '../../../text.ts';
import { CouldNotRunError, type Io, say } from '../../io.ts';

/** Appends tests to a file, which keeps the rest, and says so. */
export async function appendToFile(file: string, tests: readonly CommentedTest[], io: Io): Promise<void> {
  if (tests.length === 0) return;
  const { appendTests } = await import('../../../lab/writing/append-tests.ts');
  const text = appendTests(readFileSync(file, 'utf8'), tests);
  if (text === undefined) {
    throw new CouldNotRunError(`${file}: expected each test on lines of its own; nothing was written`);
  }
  writeTests(file, text);
  await say(io.stderr, `verdict: ${count(tests.length, 'test')} appended to ${file}\n`);
}

/** Replaces the text of a file of tests. */
export function writeTests(file: string, text: string): void {
  try {
    const path = realPathOf(file) ?? file;
    replaceFile(path, text, statSync(path).mode & 0o777);
  } catch {
    throw new CouldNotRunError(`${file} cannot be written`);
  }
}
