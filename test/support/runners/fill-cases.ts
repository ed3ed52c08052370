/**
 * Files of test/cases -> the same, formatted, with the reference's verdict in cases without `expected`; review
 * it first.
 */

import { writeFileSync } from 'node:fs';
import { caseFiles, factsOfCase, formatJson, readCaseFile } from './case-file.ts';
import { referenceVerdict } from './reference.ts';

for (const path of caseFiles()) {
  const { about, cases } = readCaseFile(path);
  const filled = cases.map((each) => ({
    ...each,
    expected: each.expected ?? referenceVerdict(each.policy, factsOfCase(each), each.day),
  }));
  writeFileSync(path, `${formatJson({ about, cases: filled })}\n`);
}
