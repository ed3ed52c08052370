/** What a change of a policy means for real applicants -> words, an outline, or data for JSON. */

import {
  type ApplicantName,
  BY_SEVERITY,
  type DecidingReasons,
  type Flow,
  type Unjudged,
} from '../../lab/backtest/applicants.ts';
import type { GroupCount, Grouped } from '../../lab/backtest/outcome-counts.ts';
import type { Impact } from '../../lab/impact/impact.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import { count, grouped, groupedCount, printable } from '../../text.ts';
import { type Block, code, lines, outcome, paragraph, soft, type Table, type Words } from '../outline.ts';
import { oneDigit, percent } from '../words/numbers.ts';
import { editBlocks } from './edits.ts';

/** The impact as data. Each region has its own count of applicants. */
export function impactAsData({ worst, ...impact }: Impact): object {
  return { ...impact, worst: worst.map(({ name, ...changed }) => ({ ...name, ...changed })) };
}

/** How many have which outcome before and after, and by which edits: every form says this before whom it concerns. */
export function impactMatrix({ applicants, flows, edits }: Impact): readonly Block[] {
  return applicants > 0 ? [flowTable(flows), ...(edits ? editBlocks(edits) : [])] : [];
}

/** All else, with a fact as the form names it; a text has no room for a table of the worst changes. */
export function impactDetails(
  impact: Impact,
  form: 'text' | 'page',
  nameOf: (path: string) => string,
): readonly Block[] {
  const { applicants, groups, reviewsADay, outsideRegions, notPlaced = 0, beginLater, worst, unjudged } = impact;
  const left = unjudgedWords(unjudged);
  return [
    ...(applicants > 0 ? groups.map((each) => groupTable(each, nameOf(each.by))) : []),
    ...(reviewsADay ? [paragraph(reviewWords(reviewsADay))] : []),
    ...(outsideRegions > 0 ? [paragraph(outsideWords(outsideRegions))] : []),
    ...(notPlaced > 0 ? [paragraph(`${grouped(notPlaced)} more were not looked for in the regions.`)] : []),
    ...(beginLater ? [paragraph(laterWords(beginLater))] : []),
    ...worstBlocks(worst, form),
    ...(left.length > 0 ? [lines('Not counted', left)] : []),
  ];
}

/** The worst changes; none without any. */
export function worstBlocks(worst: Impact['worst'], form: 'text' | 'page'): readonly Block[] {
  if (worst.length === 0) return [];
  return form === 'text' ? [worstLines(worst)] : [worstTable(worst), ...noteOn(worst).map((note) => paragraph(note))];
}

function worstLines(worst: Impact['worst']): Block {
  const words = worst.flatMap((changed) => {
    const { from, to, day, name } = changed;
    return [`${from} to ${to}  ${nameOf(name)} on ${day}`, `  ${reasonWords(changed)}`];
  });
  return lines('The worst', [...words, ...noteOn(worst)]);
}

function noteOn(worst: Impact['worst']): readonly string[] {
  return undeterminedNote(worst.flatMap(({ reasons }) => [...reasons.old, ...reasons.new]));
}

function worstTable(worst: Impact['worst']): Block {
  const rows = worst.map((changed) => {
    const { from, to, day, name } = changed;
    return [[code(nameOf(name)), ` on ${day}`], outcome(from), outcome(to), reasonWords(changed)];
  });
  const page = { id: 'worst', caption: 'The worst changes' };
  return { is: 'table', columns: ['the worst', 'before', 'after', 'reasons'], rows, page };
}

/** `1,880 of those who change are in none of the regions.` */
export function outsideWords(n: number, whom = 'who change'): string {
  return `${grouped(n)} of those ${whom} ${n === 1 ? 'is' : 'are'} in none of the regions.`;
}

/** `2 regions begin later, on 2026-12-01 at the earliest: …`. */
function laterWords({ regions, firstDay }: NonNullable<Impact['beginLater']>): string {
  const begin = `${count(regions, 'region')} ${regions === 1 ? 'begins' : 'begin'} later`;
  return `${begin}, on ${firstDay} at the earliest, and nobody is counted there: --as-if-in-force ${firstDay} does.`;
}

/** `812 of 48,212 applicants are decided differently (1.7%).` */
export function impactHeadline({ applicants, changed, inForceOn }: Impact): string {
  if (applicants === 0) return 'No applicant was counted.';
  const rules = inForceOn === undefined ? '' : `, by the rules in force on ${inForceOn}`;
  const of = `${grouped(changed)} of ${groupedCount(applicants, 'applicant')}`;
  return `${of} ${changed === 1 ? 'is' : 'are'} decided differently${rules} (${percent(changed, applicants)}).`;
}

/** The flows between outcomes, with their sums: a row for each outcome of the old policy, and the sums. */
export function flowTable(flows: readonly Flow[]): Table {
  const sum = (isMeant: (flow: Flow) => boolean) =>
    flows.filter(isMeant).reduce((all, { applicants }) => all + applicants, 0);
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
  const sums = ['after', ...OUTCOMES.map((to) => cell(sum((flow) => flow.to === to))), grouped(all)];
  return {
    is: 'table',
    columns: ['outcome', ...titles],
    ...{ rows, total: sums, numbersFrom: 1 },
    page: { id: 'flows', caption: 'Applicants by their outcome before and after', width: 'matrix' },
  };
}

/** A row for each value, with a column for each change that occurs. */
function groupTable({ values, others }: Grouped, name: string): Table {
  const groups: readonly (readonly [name: string, group: GroupCount])[] = [
    ...values.map(({ value, ...group }) => [value === null ? 'missing' : printable(value), group] as const),
    ...(others ? [[`others (${groupedCount(others.values, 'value')})`, others] as const] : []),
  ];
  const numberOf = ({ changes = [] }: GroupCount, from: Outcome, to: Outcome) =>
    changes.find((change) => change.from === from && change.to === to)?.applicants ?? 0;
  const shown = BY_SEVERITY.filter(([from, to]) => groups.some(([, group]) => numberOf(group, from, to) > 0));
  return {
    is: 'table',
    columns: [name, 'applicants', 'changed', ...shown.map(([from, to]) => `${from} to ${to}`)],
    rows: groups.map(([value, group]) => [
      value,
      grouped(group.applicants),
      `${grouped(group.changed)} (${percent(group.changed, group.applicants)})`,
      ...shown.map(([from, to]) => grouped(numberOf(group, from, to))),
    ]),
    numbersFrom: 1,
    page: { id: 'groups', caption: `Applicants by ${name}` },
  };
}

/** `Reviews a day: 61.0 before, 64.1 after (+3.1), over 92 days.` */
function reviewWords({ days, old, new: now }: NonNullable<Impact['reviewsADay']>): string {
  const [before, after] = [old, now].map(oneDigit);
  const sign = now < old ? '' : '+';
  const change = `${sign}${oneDigit(now - old)}`;
  return `Reviews a day: ${before} before, ${after} after (${change}), over ${groupedCount(days, 'day')}.`;
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
