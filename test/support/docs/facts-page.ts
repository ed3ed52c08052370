/** The fact catalog -> the text of docs/facts.md. */

import { LEVELS } from '../../../src/facts/catalog.ts';
import { CAUSES, type Cause } from '../../../src/facts/fact.ts';
import { type CatalogRow, catalogRows } from '../../../src/facts/json-schema.ts';
import { FORMATS, type Format } from '../../../src/platform/formats/format.ts';

/** A sentence for each cause. */
const CAUSE_MEANINGS: Readonly<Record<Cause, string>> = {
  notRequested: 'Its identity variable, or its service, was not requested.',
  sourceFailed: 'The source did not answer, or the whole call failed. Any value in the answer is ignored.',
  unmapped: 'The mapping has no path for it.',
  notReturned: 'At its path there is nothing, null, or a text or day that the mapping treats as no value.',
  invalid: 'The value cannot be read as its type, or the fact cannot be derived from its inputs.',
  notGiven: 'The caller did not give it.',
  incomplete: 'A count: its window reaches into a time that was not counted.',
  noneSeen: 'No such application came before, so it has no time to give.',
};

/** How each format is read, spellings of one value, and texts that are not of the format. */
const FORMAT_MEANINGS: Readonly<Record<Format, readonly [form: string, spellings: string, invalid: string]>> = {
  phone: [
    'digits with the country code (E.164)',
    '`447400123456`, `+44 (0)7400-123456`, `0044 7400 123456`',
    '`07400 123456`, an extension, `447400123456.0`',
  ],
  email: [
    'a plain address (RFC 5321, no quotes), the part before the @ folded, the rest as a domain',
    '`ann@mail.example`, `Ann@MAIL.example.`',
    '`<ann@mail.example>`, `mailto:ann@mail.example`, two addresses',
  ],
  domain: [
    'the ASCII form (UTS 46), without a final dot',
    '`xn--bcher-kva.example`, `BÜCHER.example.`',
    '`*.mail.example`, `@mail.example`, an IP address',
  ],
  ip: [
    'a public IPv4 address, also within an IPv6 address that embeds it',
    '`203.0.113.9`, `::ffff:203.0.113.9`, `::ffff:cb00:7109`, `2002:cb00:7109::1`',
    '`10.0.0.1`, other IPv6',
  ],
  country: ['ISO 3166-1 alpha-2, or XK', '`GB`, `gb`', '`UK`, `GBR`, `England`'],
};

/** Headings by the first word of a path, in the order of the catalog. */
const GROUPS: ReadonlyMap<string, string> = new Map([
  ['applicant', 'The applicant'],
  ['phone', 'The phone number'],
  ['email', 'The email'],
  ['ip', 'The IP address'],
  ['identity', 'The identity'],
]);

const HEAD = ['fact', 'type', 'values', 'unit', 'meaning', 'signal'];

const INTRODUCTION = `# Facts

This is what can be known about an applicant. A rule names a fact by its path. A fact either has a value of its type,
or is missing with a cause. Generated from \`src/facts/catalog.ts\`; \`verdict facts\` prints the same table. The
meaning of a fact begins with its name on pages.

- A \`level\` is one of ${LEVELS.join(' < ')}.
- A \`date\` is a calendar day, or \`never\` if the event is known not to have happened. If an answer has a time too, it
  is the day in UTC; a time without an offset is UTC. A date one day after the decision counts as the day of the
  decision, because the sender's clock may be east of UTC. A later date is \`invalid\`.
- A \`string\` is compared folded: Unicode NFC, lower case, no white space at its ends, no invisible characters (Unicode
  default-ignorable code points). Messages show the original text. A text of more than 4 KiB of UTF-8, or with more than
  30 combining marks in a row, is \`invalid\`.
- A \`string\` with a [format](#formats) is compared in the one form of the format; any other text is \`invalid\`.
- An \`enum\` has one of the listed values; case matters.
- A derived fact is computed from others. If one of them is missing, the derived fact is missing with the same cause.
`;

/** The whole text of docs/facts.md. */
export function catalogMarkdown(): string {
  const rows = catalogRows();
  const groups = [...new Set(rows.map(groupOf))].map((group) => {
    const cells = rows.filter((row) => groupOf(row) === group).map(cellsOf);
    return `## ${GROUPS.get(group) ?? group}\n\n${markdownTable(HEAD, cells)}`;
  });
  const causes = markdownTable(
    ['cause', 'meaning'],
    CAUSES.map((cause) => [`\`${cause}\``, CAUSE_MEANINGS[cause]]),
  );
  const formats = `## Formats\n\n${markdownTable(
    ['format', 'read as', 'examples of one value', 'invalid'],
    FORMATS.map((format) => [`\`${format}\``, ...FORMAT_MEANINGS[format]]),
  )}`;
  const missing = `## Why a fact is missing\n\nThe first cause in this table that applies:\n\n${causes}`;
  return [INTRODUCTION, ...groups, formats, missing].join('\n');
}

function groupOf({ path }: CatalogRow): string {
  return path.slice(0, path.indexOf('.'));
}

function cellsOf({ path, label, type, values, unit, description, signal }: CatalogRow): string[] {
  return [`\`${path}\``, type, values, unit, `${label}. ${description}`, signal];
}

/** Formats a Markdown table with aligned columns. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(escapeCell));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  const [first = [], ...others] = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  return `${[first, rule, ...others].map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`;
}

/** An unescaped bar would end the cell. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
