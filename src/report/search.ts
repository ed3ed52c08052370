/** The decisions that a search found -> a table for people, or CSV for spreadsheets. */

import type { FoundDecision } from '../audit/query/search-entry.ts';
import { printable } from '../text.ts';
import { OUTCOME_STYLES, type Styler } from './outline.ts';
import { csvText, cutTo, padTo, plain, widthOf, wrapWords } from './plain-text.ts';
import { missingWords } from './words/missing.ts';

const TITLES = ['at', 'id', 'outcome', 'note', 'policy'];

const GAP = '  ';

/** With less room than this, the last column moves to a line below. */
const NARROWEST = 6;

/**
 * A line for each decision, with its other clear fields below it. Fits the width of a terminal: the policy is cut or
 * moves below, and lines below wrap between words.
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

/** The widths of the columns. The last takes the room that is left, or is dropped if that is too little. */
function widthsIn(widths: readonly number[], room: number): readonly number[] {
  const others = widths.slice(0, -1);
  const rest = room - others.reduce((sum, width) => sum + width + GAP.length, 0);
  return rest < NARROWEST ? others : [...others, Math.min(rest, widths.at(-1) ?? 0)];
}

const LABEL_WIDTH = 16;

/** The lines below a decision. */
function moreLines(
  { codes, rules, undetermined, missing, policy, erased }: FoundDecision,
  width: number,
  hasPolicy: boolean,
): readonly string[] {
  const more: readonly (readonly [label: string, words: string])[] = [
    ['fired', rules.join(', ')],
    ['undetermined', undetermined.join(', ')],
    ['reasons', codes.join(', ')],
    ['missing facts', plain(missingWords(missing))],
    ['policy', hasPolicy ? `${policy.name}@${policy.version}` : ''],
    ['erased', erased ? 'the facts can no longer be read' : ''],
  ];
  return more.flatMap(([label, words]) => {
    if (words === '') return [];
    const lines = Number.isFinite(width)
      ? wrapWords(printable(words), width - LABEL_WIDTH - 1, '')
      : [printable(words)];
    return lines.map((line, i) => `  ${(i === 0 ? label : '').padEnd(LABEL_WIDTH - 2)} ${line}`);
  });
}

/** The columns of the CSV. Lists are separated by spaces, which ids and codes do not contain. */
const COLUMNS: Readonly<Record<string, (row: FoundDecision) => string>> = {
  at: ({ at }) => at,
  id: ({ id }) => id,
  outcome: ({ outcome }) => outcome,
  reasons: ({ codes }) => codes.join(' '),
  rules: ({ rules }) => rules.join(' '),
  undetermined: ({ undetermined }) => undetermined.join(' '),
  missing: ({ missing }) =>
    Object.entries(missing)
      .flatMap(([cause, facts]) => facts.map((fact) => `${fact}=${cause}`))
      .join(' '),
  policy: ({ policy }) => policy.name,
  version: ({ policy }) => policy.version,
  digest: ({ policy }) => policy.digest,
  note: ({ disposition }) => disposition ?? '',
  erased: ({ erased }) => String(erased),
};

/** RFC 4180, with a header. */
export function searchCsv(rows: readonly FoundDecision[]): string {
  return csvText([Object.keys(COLUMNS), ...rows.map((row) => Object.values(COLUMNS).map((cell) => cell(row)))]);
}
