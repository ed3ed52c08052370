/** What a change of a policy means for real applicants -> words, an outline, or data for JSON. */

import type { ApplicantName, ChangedApplicant, Flow, Impact, Unjudged } from '../lab/impact/impact.ts';
import { OUTCOMES } from '../policy/language.ts';
import { grouped, groupedCount, printable } from '../text.ts';
import { type Block, code, heading, lines, outcome, paragraph, type Table, type Words } from './outline.ts';

/** The impact as data. Each region has its own count of applicants. */
export function impactAsData({ inRegions: _, worst, ...impact }: Impact): object {
  return { ...impact, worst: worst.map(({ name, ...changed }) => ({ ...name, ...changed })) };
}

/** For a text. */
export function impactText(impact: Impact): readonly Block[] {
  const worst = impact.worst.flatMap((changed) => {
    const { from, to, day, name } = changed;
    return [`${from} to ${to}  ${nameOf(name)} on ${day}`, `  ${reasonWords(changed)}`];
  });
  return [
    heading(impactHeadline(impact)),
    ...countedBlocks(impact),
    ...(worst.length > 0 ? [lines('The worst', worst)] : []),
    ...leftBlocks(impact),
  ];
}

/** For Markdown. */
export function impactMarkdown(impact: Impact): readonly Block[] {
  const rows = impact.worst.map((changed): readonly Words[] => {
    const { from, to, day, name } = changed;
    return [`${from} to ${to}`, `${nameOf(name)} on ${day}`, reasonWords(changed)];
  });
  return [
    heading('Real applicants'),
    paragraph(impactHeadline(impact)),
    ...countedBlocks(impact),
    ...(rows.length > 0 ? [worstTable(['the worst', 'applicant', 'reasons'], rows)] : []),
    ...leftBlocks(impact),
  ];
}

/** For a page, whose head has the headline. */
export function impactPage(impact: Impact): readonly Block[] {
  const rows = impact.worst.map((changed): readonly Words[] => {
    const { from, to, day, name } = changed;
    return [[code(nameOf(name)), ` on ${day}`], outcome(from), outcome(to), reasonWords(changed)];
  });
  return [
    ...countedBlocks(impact),
    ...(rows.length > 0 ? [worstTable(['Applicant', 'Before', 'After', 'Reasons'], rows)] : []),
    ...leftBlocks(impact),
  ];
}

function worstTable(columns: readonly string[], rows: Table['rows']): Table {
  return { is: 'table', columns, rows, page: { id: 'worst', caption: 'The worst changes' } };
}

/** The flows between outcomes, and what else is known of those that were counted. */
function countedBlocks({ applicants, flows, reviewsADay, outsideRegions }: Impact): readonly Block[] {
  if (applicants === 0) return [];
  const outside = `${grouped(outsideRegions)} of them ${outsideRegions === 1 ? 'is' : 'are'} in none of the regions.`;
  return [
    flowTable(flows),
    ...(reviewsADay ? [paragraph(reviewWords(reviewsADay))] : []),
    ...(outsideRegions > 0 ? [paragraph(outside)] : []),
  ];
}

function leftBlocks({ unjudged }: Impact): readonly Block[] {
  const left = unjudgedWords(unjudged);
  return left.length > 0 ? [lines('Not counted', left)] : [];
}

/** `812 of 48,212 applicants are decided differently (1.7%).` */
export function impactHeadline({ applicants, changed }: Impact): string {
  if (applicants === 0) return 'No applicant was counted.';
  const of = `${grouped(changed)} of ${groupedCount(applicants, 'applicant')}`;
  return `${of} ${changed === 1 ? 'is' : 'are'} decided differently (${percent(changed, applicants)}).`;
}

/** The flows between outcomes, with their sums: a row for each outcome of the old policy, and the sums. */
function flowTable(flows: readonly Flow[]): Table {
  const sum = (isMeant: (flow: Flow) => boolean) =>
    flows.filter(isMeant).reduce((all, { applicants }) => all + applicants, 0);
  const all = sum(() => true);
  const cell = (n: number) => (n === 0 ? '0' : `${grouped(n)} (${percent(n, all)})`);
  const titles = [...OUTCOMES.map((to) => `to ${to}`), 'before'];
  const rows = OUTCOMES.map((from) => [
    from,
    ...OUTCOMES.map((to) => cell(sum((flow) => flow.from === from && flow.to === to))),
    cell(sum((flow) => flow.from === from)),
  ]);
  const sums = ['after', ...OUTCOMES.map((to) => cell(sum((flow) => flow.to === to))), grouped(all)];
  return {
    is: 'table',
    columns: ['', ...titles],
    rows: [...rows, sums],
    numbersFrom: 1,
    page: {
      id: 'flows',
      caption: 'Applicants by their outcome before and after',
      columns: ['Outcome', ...titles],
      width: 'tight',
    },
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

/** `decided by RISKY; now by DEFAULT`. */
export function reasonWords({ reasons }: Pick<ChangedApplicant, 'reasons'>): string {
  return `decided by ${codeWords(reasons.old)}; now by ${codeWords(reasons.new)}`;
}

/** The most reason codes that people are shown of one applicant. */
const MOST_CODES = 5;

function codeWords(codes: readonly string[]): string {
  const more = codes.length - MOST_CODES;
  return [...codes.slice(0, MOST_CODES).map(printable), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** Why applicants are not counted, a sentence each. */
function unjudgedWords({ unreadable, erased, aborted, open, openFacts }: Unjudged): readonly string[] {
  const facts = Object.entries(openFacts).map(([path, n]) => `${printable(path)} (${grouped(n)})`);
  return [
    ...(unreadable > 0 ? [`${grouped(unreadable)} cannot be read`] : []),
    ...(erased > 0 ? [`${grouped(erased)} erased`] : []),
    ...(aborted > 0 ? [`${grouped(aborted)} aborted: nobody was given an outcome`] : []),
    ...(open > 0 ? [`${grouped(open)} depend on facts that are not on record: ${facts.join(', ')}`] : []),
  ];
}

function oneDigit(n: number): string {
  return n.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** `1.7%`; a small share is not shown as none. */
function percent(n: number, all: number): string {
  const share = all === 0 ? 0 : (100 * n) / all;
  return n > 0 && share < 0.1 ? '<0.1%' : `${share.toFixed(1)}%`;
}
