/** Paths of files and folders -> the files of tests there. */

import { existsSync } from 'node:fs';
import { type Diagnostic, DiagnosticsError } from '../../diagnostics.ts';
import { candidatesAt, classify, distinct, isTestFile } from '../../policy/check/candidates.ts';

/** Throws a `DiagnosticsError` (`TESTS_INVALID`) for paths without a file, and where no file of tests is found. */
export function testFilesAt(paths: readonly string[]): readonly string[] {
  const problems: Diagnostic[] = [];
  const refuse = (file: string, message: string, code: Diagnostic['code'], hint: Pick<Diagnostic, 'hint'> = {}) =>
    problems.push({ code, severity: 'error', message, file, ...hint });
  const found = paths.flatMap((path) => {
    const files = distinct(filesAt(path));
    if (files.length === 0) refuse(path, 'no file of tests (*.test.yaml) in this folder', 'unknown-file');
    return files;
  });
  for (const file of found) {
    const { path, problem } = file;
    if (problem !== undefined) refuse(path, problem, 'file-unreadable');
    else if (!isTestFile(path) && classify(file).kind === 'policy') {
      const own = path.replace(/\.ya?ml$/, '.test.yaml');
      const hint = existsSync(own) ? { hint: `did you mean "${own}"?` } : {};
      refuse(path, 'a policy; expected a file of tests', 'unknown-file', hint);
    }
  }
  if (problems.length > 0) throw new DiagnosticsError('TESTS_INVALID', problems);
  return distinct(found).map(({ path }) => path);
}

function filesAt(path: string): ReturnType<typeof candidatesAt> {
  try {
    return candidatesAt([path], isTestFile);
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    throw new DiagnosticsError('TESTS_INVALID', error.diagnostics);
  }
}
