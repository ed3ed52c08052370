/** Pages that explain codes -> the same pages with the sentences from the source. */

import { FINDING_CODES } from '../../../src/audit/verify/finding.ts';
import { DIAGNOSTIC_CODES } from '../../../src/diagnostics.ts';

/** docs/audit.md with a row for each finding of a verification. */
export function writeFindings(page: string): string {
  const rows = Object.entries(FINDING_CODES).map(([code, sentence]) => `| \`${code}\` | ${sentence} |\n`);
  return page.replace(/^(\| finding \| \|\n\| --- \| --- \|\n)(?:\|.*\n)*/m, (_, head: string) => head + rows.join(''));
}

/** docs/errors.md with the meaning of each diagnostic below its heading. Sections are not added or removed. */
export function writeMeanings(page: string): string {
  const meanings: Readonly<Record<string, string>> = DIAGNOSTIC_CODES;
  return page.replace(/^(### (\S+)\n\n)(?:.+\n)+/gm, (section, heading: string, code: string) => {
    const meaning = meanings[code];
    return meaning === undefined ? section : `${heading}${meaning}\n`;
  });
}
