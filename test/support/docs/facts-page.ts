/** The catalog -> the text of docs/facts.md. */

import { LEVELS } from '../../../src/facts/catalog.ts';
import { type CatalogRow, catalogRows } from '../../../src/facts/catalog-rows.ts';
import { CAUSES, type Cause } from '../../../src/facts/fact.ts';

/** Each cause in a sentence. */
const CAUSE_MEANINGS: Readonly<Record<Cause, string>> = {
  notRequested: 'Its identity variable, or its service, was not asked for.',
  sourceFailed: 'The source did not answer, or the whole call failed. Whatever stands in its place is not believed.',
  unmapped: 'The mapping has no place for it.',
  notReturned: 'Nothing stands at its place, or null, or a text that stands for no value.',
  invalid: 'What stands there cannot be read as its type, or nothing follows from its inputs.',
  notGiven: 'Facts in hand: nobody gave it.',
};

/** Headings by the beginning of a path, in the catalog's order. */
const GROUPS: ReadonlyMap<string, string> = new Map([
  ['applicant', 'The applicant'],
  ['phone', 'The phone number'],
  ['email', 'The email'],
  ['ip', 'The IP address'],
  ['identity', 'The identity'],
]);

const INTRODUCTION = `# Facts

What can be known of an applicant. A rule names a fact by its path; a fact is present with a value of its type, or missing
with a cause. Generated from \`src/facts/catalog.ts\`; \`verdict facts\` prints the same table.

- A \`level\` is a step of ${LEVELS.join(' < ')}.
- A \`date\` is a calendar day (UTC), or \`never\` where it is known not to have happened. One day ahead of the decision counts
  as its day, since the sender's clock may be east of UTC; further ahead is \`invalid\`.
- A \`string\` is compared folded: Unicode NFC, no white space at its ends, lower case. Messages show it as it came.
- An \`enum\` has the values listed and no others; case matters.
- A derived fact is computed from others; where one of these is missing, it is missing with the same cause.
`;

/** The whole text of docs/facts.md. */
export function catalogMarkdown(): string {
  const rows = catalogRows();
  const groups = [...new Set(rows.map(groupOf))].map((group) => {
    const cells = rows.filter((row) => groupOf(row) === group).map(cellsOf);
    return `## ${GROUPS.get(group) ?? group}\n\n${markdownTable(['fact', 'type', 'values', 'unit', 'meaning', 'signal'], cells)}`;
  });
  const causes = markdownTable(
    ['cause', 'meaning'],
    CAUSES.map((cause) => [`\`${cause}\``, CAUSE_MEANINGS[cause]]),
  );
  const missing = `## Why a fact is missing\n\nThe first of these that holds:\n\n${causes}`;
  return [INTRODUCTION, ...groups, missing].join('\n');
}

function groupOf({ path }: CatalogRow): string {
  return path.slice(0, path.indexOf('.'));
}

function cellsOf({ path, type, values, unit, description, signal }: CatalogRow): string[] {
  return [`\`${path}\``, type, values, unit, description, signal];
}

/** A Markdown table, its columns aligned as a formatter of Markdown aligns them. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(escapeCell));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  const [first = [], ...others] = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  return `${[first, rule, ...others].map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`;
}

/** A bar would end the cell. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
