/** The decisions that a search found -> a table for people, and CSV for spreadsheets. */

import type { FoundDecision } from '../../audit/query/collector.ts';
import { causeList } from '../../report/words/missing.ts';
import { OUTCOME_STYLES } from '../../report/words/reasons.ts';
import type { Styler } from '../../report/words/style.ts';
import { printable } from '../../text.ts';
import { wrapWords } from './table.ts';
import { cutTo, padTo, widthOf } from './width.ts';

const TITLES = ['at', 'id', 'outcome', 'note', 'policy'];

const GAP = '  ';

/** Where there is no more room for the last column, it stands below. */
const NARROWEST = 6;

/**
 * A line for each decision, and below it what else stands in clear; none where nothing was found. In so many columns, of a
 * terminal, the policy is cut or stands below too, and what stands below is broken between words.
 */
export function searchTable(rows: readonly FoundDecision[], style: Styler, width = Number.POSITIVE_INFINITY): string {
  if (rows.length === 0) return '';
  const cells = rows.map(({ at, id, outcome, policy, disposition }) =>
    [at, id, outcome, disposition ?? '-', `${policy.name}@${policy.version}`].map(printable),
  );
  const widths = widthsIn(
    TITLES.map((title, i) => cells.reduce((widest, line) => Math.max(widest, widthOf(line[i] ?? '')), title.length)),
    width,
  );
  const lineOf = (line: readonly string[]) => widths.map((most, i) => padTo(cutTo(line[i] ?? '', most), most));
  const lines = rows.flatMap((row, i) => {
    const padded = lineOf(cells[i] ?? []);
    padded[2] = style(OUTCOME_STYLES[row.outcome], padded[2] ?? '');
    return [
      padded.join(GAP).trimEnd(),
      ...moreLines(row, width, widths.length < TITLES.length).map((line) => style('dim', line)),
    ];
  });
  return `${[style('bold', lineOf(TITLES).join(GAP).trimEnd()), ...lines].join('\n')}\n`;
}

/** The widths of the columns, the last with what the others leave; without it where that is too little. */
function widthsIn(widths: readonly number[], room: number): readonly number[] {
  const others = widths.slice(0, -1);
  const left = room - others.reduce((sum, width) => sum + width + GAP.length, 0);
  return left < NARROWEST ? others : [...others, Math.min(left, widths.at(-1) ?? 0)];
}

const LABEL_WIDTH = 16;

/** What fired and what could not be determined, each by itself; the codes of both; why facts were missing. */
function moreLines(
  { codes, rules, undetermined, causes, policy, erased }: FoundDecision,
  width: number,
  hasPolicy: boolean,
): readonly string[] {
  const more: readonly (readonly [label: string, words: string])[] = [
    ['fired', rules.join(', ')],
    ['undetermined', undetermined.join(', ')],
    ['reasons', codes.join(', ')],
    ['missing facts', causeList(causes)],
    ['policy', hasPolicy ? `${policy.name}@${policy.version}` : ''],
    ['erased', erased ? 'its facts are gone' : ''],
  ];
  return more.flatMap(([label, words]) => {
    if (words === '') return [];
    const lines = Number.isFinite(width)
      ? wrapWords(printable(words), width - LABEL_WIDTH - 1, '')
      : [printable(words)];
    return lines.map((line, i) => `  ${(i === 0 ? label : '').padEnd(LABEL_WIDTH - 2)} ${line}`);
  });
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
export function searchCsv(rows: readonly FoundDecision[]): string {
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
