/** A folder of rules -> its tests, which read nothing outside it. */

import { resolve } from 'node:path';
import type { TestReader } from '../lab/test/read-tests.ts';
import { type CaseInFile, readTests } from '../lab/test/run-tests.ts';
import { isBelow } from '../platform/files/project.ts';
import { candidatesAt, isTestFile } from '../policy/check/candidates.ts';
import { refused } from './files.ts';

/** The test cases of a folder; none if it has no test files. Throws RELEASE_REFUSED and what `readTests` throws. */
export function testsIn(folder: string, reader: TestReader): readonly CaseInFile[] {
  const cases = candidatesAt([folder], isTestFile).length === 0 ? [] : readTests([folder], reader);
  if (![...reader.stamps.keys()].every((each) => isBelow(folder, resolve(each))))
    throw refused('a test reads a file outside the folder of rules; copy it there');
  return cases;
}
