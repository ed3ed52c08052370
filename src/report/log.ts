/** What a search or a replay of the log found -> text for people; decisions as CSV for spreadsheets. */

import type { CountedReason, OtherOutcomes, OutcomeChange } from '../audit/query/replay/comparison.ts';
import type { Replay, ReplayProblem } from '../audit/query/replay/replay.ts';
import type { CountKey, Counts } from '../audit/read/count-by.ts';
import type { FoundDecision } from '../audit/read/search-entry.ts';
import { count, groupedCount, printable } from '../text.ts';
import { openWords, undeterminedNote } from './applicants/changed.ts';
import { type Block, type Cells, lines, OUTCOME_STYLES, type Styler, type Words, wrong } from './outline.ts';
import { csvText, cutTo, padTo, plain, widthOf, wrapWords } from './plain-text.ts';
import { judgedWords } from './words/judged.ts';
import { missingWords } from './words/missing.ts';
import { markedCodes, markWords, UNDETERMINED_ALONE } from './words/reason-codes.ts';

const TITLES = ['at', 'id', 'outcome', 'note', 'policy'];

const GAP = '  ';

/** With less room than this, the last column moves to a line below. */
const NARROWEST = 6;

/**
 * A line for each decision, with its other clear fields below it, and the meaning of the marks. Fits the width
 * of a terminal: the policy is cut or moves below, and lines below wrap between words.
 */
export function searchTable(rows: readonly FoundDecision[], style: Styler, width = Number.POSITIVE_INFINITY): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => {
    const { at, id, outcome, policy } = row;
    return [at, id, outcome, judgedWords(row) || '-', `${policy.name}@${policy.version}`].map(printable);
  });
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
  const marks = markWords(rows);
  const table = [style('bold', lineOf(TITLES).join(GAP).trimEnd()), ...lines];
  return `${[...table, ...(marks === '' ? [] : ['', style('dim', `reasons: ${marks}`)])].join('\n')}\n`;
}

/** The widths of the columns. The last takes the room that is left, or is dropped if that is too little. */
function widthsIn(widths: readonly number[], room: number): readonly number[] {
  const others = widths.slice(0, -1);
  const rest = room - others.reduce((sum, width) => sum + width + GAP.length, 0);
  return rest < NARROWEST ? others : [...others, Math.min(rest, widths.at(-1) ?? 0)];
}

const LABEL_WIDTH = 16;

/** The lines below a decision. */
function moreLines(row: FoundDecision, width: number, hasPolicy: boolean): readonly string[] {
  const { rules, undetermined, missing, policy, erased } = row;
  const more: readonly (readonly [label: string, words: string])[] = [
    ['reasons', markedCodes(row).join(', ')],
    ['fired', rules.join(', ')],
    ['undetermined', undetermined.join(', ')],
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
  reasons: (row) => markedCodes(row).join(' '),
  rules: ({ rules }) => rules.join(' '),
  undetermined: ({ undetermined }) => undetermined.join(' '),
  missing: ({ missing }) =>
    Object.entries(missing)
      .flatMap(([cause, facts]) => facts.map((fact) => `${fact}=${cause}`))
      .join(' '),
  policy: ({ policy }) => policy.name,
  version: ({ policy }) => policy.version,
  digest: ({ policy }) => policy.digest,
  review: ({ review }) => review ?? '',
  label: ({ label }) => label ?? '',
  erased: ({ erased }) => String(erased),
};

/** RFC 4180, with a header. */
export function searchCsv(rows: readonly FoundDecision[]): string {
  return csvText([Object.keys(COLUMNS), ...rows.map((row) => Object.values(COLUMNS).map((cell) => cell(row)))]);
}

/** What one decision may have several of, in `words`, or none. */
const SEVERAL: { readonly [Key in CountKey]?: { readonly words?: string; readonly none: string } } = {
  reason: { words: 'decisive reasons', none: UNDETERMINED_ALONE },
  rule: { words: 'rules that fired', none: 'no rule fired' },
  review: { none: 'not reviewed' },
  label: { none: 'no label' },
  disposition: { none: 'nothing noted' },
  person: { none: 'nobody' },
  why: { none: 'nothing noted' },
  waited: { none: 'no case resolved' },
};

/** A row for each combination of values, with the number of decisions. */
export function countTable({ keys, rows }: Counts): Cells {
  return {
    is: 'table',
    columns: [...keys, 'decisions'],
    rows: rows.map(({ values, decisions }) => [
      ...values.map((value, i) => value ?? SEVERAL[keys[i] ?? 'day']?.none ?? ''),
      decisions.toLocaleString('en'),
    ]),
  };
}

/** The number of decisions, why the rows may sum up to more, and which decisions are in no row. */
export function countNotes({ keys, rows, decisions, earlier }: Counts): readonly string[] {
  const several = keys.flatMap((key) => SEVERAL[key]?.words ?? []).join(' or ');
  const isMore = rows.reduce((sum, row) => sum + row.decisions, 0) > decisions;
  return [
    `${groupedCount(decisions, 'decision')}${isMore ? `; one with several ${several} counts once for each` : ''}`,
    ...(earlier > 0
      ? [`not counted: ${count(earlier, 'record')} of an earlier form, which does not say what decided`]
      : []),
  ];
}

/** As data: an object for each row. */
export function countRows({ keys, rows }: Counts): readonly Readonly<Record<string, string | number | null>>[] {
  return rows.map(({ values, decisions }) => ({
    ...Object.fromEntries(keys.map((key, i) => [key, values[i] ?? null])),
    decisions,
  }));
}

/** RFC 4180, with a header; the cell of a decision without a value is empty. */
export function countCsv({ keys, rows }: Counts): string {
  return csvText([
    [...keys, 'decisions'],
    ...rows.map(({ values, decisions }) => [...values.map((value) => value ?? ''), decisions]),
  ]);
}

const WHY: Readonly<Record<ReplayProblem['why'], string>> = {
  differs: 'the verdict differs',
  'clear-differs': 'the clear fields differ from the plain body',
  'not-opened': 'its key does not open its body',
  'no-body': 'its body is malformed',
  'key-missing': 'its key is erased or missing, and no erasure for its subject is on record',
  'policy-missing': 'its policy or mapping is missing, was changed, or does not open with its keys',
};

const NOT_GIVEN = 'nobody was given an outcome';

const POLICY_ERASED = 'what their policy said of the applicant, such as an entry of a list, was erased';

/** For a text: how many decisions are the same, what is wrong with the others, and the outcomes of another policy. */
export function replayText(replay: Replay): readonly Block[] {
  const { compared, same, erased, policyErased, other } = replay;
  const left = [
    ...(erased > 0 ? [`${count(erased, 'decision')} erased: no facts to decide on`] : []),
    ...(policyErased > 0 ? [`${count(policyErased, 'decision')} not decided again: ${POLICY_ERASED}`] : []),
  ];
  const title = `${count(compared, 'decision')} decided again: ${same} the same to the last byte`;
  return [lines(title, [...left, ...problemLines(replay).map(wrong)]), ...(other ? otherBlocks(other) : [])];
}

/** Why decisions differ or could not be decided again, a line each. */
function problemLines({ problems, problemCount }: Replay): readonly string[] {
  return [
    ...problems.map(({ id, why, parts }) => `${id}: ${WHY[why]}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`),
    ...(problemCount > problems.length ? [`and ${problemCount - problems.length} more`] : []),
  ];
}

function otherBlocks({ changes, aborted, open, openFacts }: OtherOutcomes): readonly Block[] {
  const widest = Math.max(...changes.map(({ count: n }) => String(n).length), 1);
  const outcomes = changes.flatMap(({ from, to, count: n, decidedBy, ...shown }): readonly Words[] => {
    const text = `${from.padEnd(6)} to ${to.padEnd(6)}  ${String(n).padStart(widest)}`;
    if (from === to) return [{ mark: 'soft', of: text }];
    const why = `  decided by ${reasonWords(decidedBy.old)}; now by ${reasonWords(decidedBy.new)}`;
    return [
      `${text}  such as ${exampleNames(shown)
        .map((names) => names.join(' '))
        .join(', ')}`,
      why,
    ];
  });
  const codes = changes.flatMap(({ decidedBy }) => [...decidedBy.old, ...decidedBy.new].map(({ code }) => code));
  const left = [
    ...undeterminedNote(codes),
    ...(aborted > 0 ? [`${count(aborted, 'aborted decision')} not compared: ${NOT_GIVEN}`] : []),
    ...(open > 0 ? [`not compared: ${openWords(open, openFacts)}`] : []),
  ];
  return [lines('With the other policy', [...(outcomes.length > 0 ? outcomes : ['no decisions']), ...left])];
}

/** Of each example, the caller's reference and the id; without a reference, only the id. */
function exampleNames({ examples, references }: Pick<OutcomeChange, 'examples' | 'references'>): string[][] {
  return examples.map((id, i) => [...new Set([references[i] ?? id, id])]);
}

/** `EMAIL_RISK_HIGH (12), SCORE (3)`. */
function reasonWords(reasons: readonly CountedReason[]): string {
  return reasons.map(({ code, count: n }) => `${code} (${n})`).join(', ') || 'no reason on record';
}
