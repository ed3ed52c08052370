/** docs/audit.md -> the same page with the sentences on findings from the source. */

import { FINDING_CODES } from '../../../src/audit/verify/finding.ts';

/** docs/audit.md with a row for each finding of a verification. */
export function writeFindings(page: string): string {
  const rows = Object.entries(FINDING_CODES).map(([code, sentence]) => `| \`${code}\` | ${sentence} |\n`);
  return page.replace(/^(\| finding \| \|\n\| --- \| --- \|\n)(?:\|.*\n)*/m, (_, head: string) => head + rows.join(''));
}
