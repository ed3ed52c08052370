/** The decisions that a search found -> a table for people, and CSV for spreadsheets. */

import type { FoundDecision } from '../../audit/gathering.ts';
import { printable } from '../../diagnostics.ts';
import type { Styler } from '../io.ts';
import { OUTCOME_STYLES } from '../reasons.ts';

const TITLES = ['at', 'id', 'outcome', 'note', 'policy', 'reasons'];

/** A line for each decision, and one below it that says what else is known; none where nothing was found. */
export function foundTable(rows: readonly FoundDecision[], style: Styler): string {
  if (rows.length === 0) return '';
  const cells = rows.map(({ at, id, outcome, codes, policy, disposition }) =>
    [at, id, outcome, disposition ?? '-', `${policy.name}@${policy.version}`, codes.join(', ') || '-'].map(printable),
  );
  const widths = TITLES.map((title, i) => Math.max(title.length, ...cells.map((line) => line[i]?.length ?? 0)));
  const lines = cells.flatMap((line, i) => {
    const padded = line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    const row = rows[i];
    if (!row) return [];
    padded[2] = style(OUTCOME_STYLES[row.outcome], padded[2] ?? '');
    const more = moreWords(row);
    return [padded.join('  ').trimEnd(), ...(more === '' ? [] : [style('dim', `  ${printable(more)}`)])];
  });
  const head = TITLES.map((title, i) => title.padEnd(widths[i] ?? 0));
  return `${[style('bold', head.join('  ').trimEnd()), ...lines].join('\n')}\n`;
}

/** `fired port-and-email; undetermined dark-web (sourceFailed); erased`. */
function moreWords({ rules, undetermined, causes, erased }: FoundDecision): string {
  const missing = causes.length > 0 ? `missing: ${causes.join(', ')}` : '';
  return [
    rules.length > 0 ? `fired ${rules.join(', ')}` : '',
    undetermined.length > 0 ? `undetermined ${undetermined.join(', ')}${missing && ` (${missing})`}` : missing,
    erased ? 'erased: its facts are gone' : '',
  ]
    .filter((part) => part !== '')
    .join('; ');
}

/** The columns of the CSV, and what stands in them; ids and codes have no spaces, which separate those of a list. */
const COLUMNS: Readonly<Record<string, (row: FoundDecision) => string>> = {
  at: ({ at }) => at,
  id: ({ id }) => id,
  outcome: ({ outcome }) => outcome,
  reasons: ({ codes }) => codes.join(' '),
  rules: ({ rules }) => rules.join(' '),
  undetermined: ({ undetermined }) => undetermined.join(' '),
  causes: ({ causes }) => causes.join(' '),
  policy: ({ policy }) => policy.name,
  version: ({ policy }) => policy.version,
  digest: ({ policy }) => policy.digest,
  note: ({ disposition }) => disposition ?? '',
  erased: ({ erased }) => String(erased),
};

/** RFC 4180, with a header. */
export function foundCsv(rows: readonly FoundDecision[]): string {
  const lines = [Object.keys(COLUMNS), ...rows.map((row) => Object.values(COLUMNS).map((cell) => cell(row)))];
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

/**
 * A cell of CSV. A text that a spreadsheet would take for a formula gets an apostrophe in front, since whoever writes a
 * policy's version, or a log, must not run anything at whoever reads it (OWASP, "CSV Injection").
 */
function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
