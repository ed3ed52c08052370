/** Files of test/cases -> the same, laid out, with the reference's verdict where a case has no `expected` yet; to be read before it is kept. */

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
