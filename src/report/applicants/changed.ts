/** Applicants who are decided differently, or not at all -> tables and sentences. */

import {
  type ApplicantName,
  applicantsIn,
  type ChangedApplicant,
  type DecidingReasons,
  type Flow,
  type Unjudged,
} from '../../lab/backtest/applicants.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import { grouped, printable } from '../../text.ts';
import { type Block, code, lines, outcome, paragraph, soft, type Table, type Words } from '../outline.ts';
import { percent, signed } from '../words/numbers.ts';

/** The worst changes; none without any. */
export function worstBlocks(worst: readonly ChangedApplicant[], form: 'text' | 'page'): readonly Block[] {
  if (worst.length === 0) return [];
  return form === 'text' ? [worstLines(worst)] : [worstTable(worst), ...noteOn(worst).map((note) => paragraph(note))];
}

function worstLines(worst: readonly ChangedApplicant[]): Block {
  const words = worst.flatMap((changed) => {
    const { from, to, day, name } = changed;
    return [`${from} to ${to}  ${nameOf(name)} on ${day}`, `  ${reasonWords(changed)}`];
  });
  return lines('The worst', [...words, ...noteOn(worst)]);
}

function noteOn(worst: readonly ChangedApplicant[]): readonly string[] {
  return undeterminedNote(worst.flatMap(({ reasons }) => [...reasons.old, ...reasons.new]));
}

function worstTable(worst: readonly ChangedApplicant[]): Block {
  const rows = worst.map((changed) => {
    const { from, to, day, name } = changed;
    return [[code(nameOf(name)), ` on ${day}`], outcome(from), outcome(to), reasonWords(changed)];
  });
  const page = { id: 'worst', caption: 'The worst changes' };
  return { is: 'table', columns: ['the worst', 'before', 'after', 'reasons'], rows, page };
}

/** The flows between outcomes, with their sums: a row for each outcome of the old policy, and the sums. */
export function flowTable(flows: readonly Flow[]): Table {
  const sum = (isMeant: (flow: Flow) => boolean) => applicantsIn(flows.filter(isMeant));
  const all = sum(() => true);
  const cell = (n: number): Words => (n === 0 ? '0' : [grouped(n), soft(` (${percent(n, all)})`)]);
  const most = Math.max(...flows.map(({ from, to, applicants }) => (from === to ? 0 : applicants)));
  const flow = (from: Outcome, to: Outcome): Words => {
    const n = sum((each) => each.from === from && each.to === to);
    const level = [1, 2, 3, 4].find((each): each is 1 | 2 | 3 | 4 => n <= (most * each) / 4);
    return from === to || n === 0 || !level ? cell(n) : { mark: 'shade', of: cell(n), level: `${to}-${level}` };
  };
  const titles = [...OUTCOMES.map((to) => `to ${to}`), 'before'];
  const rows = OUTCOMES.map((from) => [
    outcome(from),
    ...OUTCOMES.map((to) => flow(from, to)),
    cell(sum((flow) => flow.from === from)),
  ]);
  const after = (outcome: Outcome): Words => {
    const [n, before] = [sum(({ to }) => to === outcome), sum(({ from }) => from === outcome)];
    return [cell(n), soft(` ${signed((100 * (n - before)) / (all || 1), 1)} pp`)];
  };
  return {
    is: 'table',
    columns: ['outcome', ...titles],
    ...{ rows, total: ['after', ...OUTCOMES.map(after), grouped(all)], numbersFrom: 1 },
    page: { id: 'flows', caption: 'Applicants by their outcome before and after', width: 'matrix' },
  };
}

function nameOf(name: ApplicantName): string {
  if ('decision' in name) return printable(name.decision);
  const reference = name.clientReference === undefined ? '' : `, reference ${printable(name.clientReference)}`;
  return `${'line' in name ? `line ${name.line}` : `row ${name.row}`}${reference}`;
}

/** `decided by RISKY, SCORE (voip, young-email); now by DEFAULT`. */
function reasonWords({ reasons, scoredBy = { old: [], new: [] } }: DecidingReasons): string {
  const words = (side: 'old' | 'new') =>
    listWords(reasons[side].map((code) => (code === 'SCORE' ? `${code}${rulesWords(scoredBy[side])}` : code)));
  return `decided by ${words('old')}; now by ${words('new')}`;
}

function rulesWords(rules: readonly string[]): string {
  return rules.length === 0 ? '' : ` (${listWords(rules)})`;
}

/** The most reason codes, or rules of a score, that people are shown of one applicant. */
const MOST_CODES = 5;

function listWords(codes: readonly string[]): string {
  const more = codes.length - MOST_CODES;
  return [...codes.slice(0, MOST_CODES).map(printable), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** Why applicants are not counted, a sentence each. */
export function unjudgedWords({ unreadable, erased, aborted, open, openFacts }: Unjudged): readonly string[] {
  return [
    ...(unreadable > 0 ? [`${grouped(unreadable)} cannot be read`] : []),
    ...(erased > 0 ? [`${grouped(erased)} erased`] : []),
    ...(aborted > 0 ? [`${grouped(aborted)} aborted: nobody was given an outcome`] : []),
    ...(open > 0 ? [openWords(open, openFacts)] : []),
  ];
}

/** `2 depend on facts that are not on record: phone.score (2)`. */
export function openWords(open: number, openFacts: Readonly<Record<string, number>>): string {
  const facts = Object.entries(openFacts).map(([path, n]) => `${printable(path)} (${grouped(n)})`);
  return `${grouped(open)} depend on facts that are not on record: ${facts.join(', ')}`;
}

/** What a code with a question mark means, if there is one. */
export function undeterminedNote(codes: readonly string[]): readonly string[] {
  return codes.some((code) => code.endsWith('?')) ? ['A code with ? is of a rule that could not be determined.'] : [];
}
