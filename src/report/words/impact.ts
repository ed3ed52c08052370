/** What a change of a policy means for real applicants -> words for text, Markdown and page. */

import type { ApplicantName, ChangedApplicant, Flow, Impact, Unjudged } from '../../lab/impact/impact.ts';
import { OUTCOMES } from '../../policy/language.ts';
import { grouped, printable } from '../../text.ts';

/** `812 of 48,212 applicants are decided differently (1.7%)`. */
export function impactHeadline({ applicants, changed }: Impact): string {
  if (applicants === 0) return 'No applicant was counted.';
  const of = `${grouped(changed)} of ${applicantWords(applicants)}`;
  return `${of} ${changed === 1 ? 'is' : 'are'} decided differently (${percent(changed, applicants)}).`;
}

/** The flows between outcomes, with their sums: the titles, a row for each outcome of the old policy, and the sums. */
export function flowTable(flows: readonly Flow[]): readonly (readonly string[])[] {
  const sum = (isMeant: (flow: Flow) => boolean) =>
    flows.filter(isMeant).reduce((all, { applicants }) => all + applicants, 0);
  const all = sum(() => true);
  const cell = (n: number) => (n === 0 ? '0' : `${grouped(n)} (${percent(n, all)})`);
  return [
    ['', ...OUTCOMES.map((to) => `to ${to}`), 'before'],
    ...OUTCOMES.map((from) => [
      from,
      ...OUTCOMES.map((to) => cell(sum((flow) => flow.from === from && flow.to === to))),
      cell(sum((flow) => flow.from === from)),
    ]),
    ['after', ...OUTCOMES.map((to) => cell(sum((flow) => flow.to === to))), grouped(all)],
  ];
}

/** Reviews a day, and who is in no region. */
export function notes({ reviewsADay, outsideRegions }: Impact): readonly string[] {
  const outside = `${grouped(outsideRegions)} of them ${outsideRegions === 1 ? 'is' : 'are'} in none of the regions.`;
  return [...(reviewsADay ? [reviewWords(reviewsADay)] : []), ...(outsideRegions > 0 ? [outside] : [])];
}

/** `Reviews a day: 61.0 before, 64.1 after (+3.1), over 92 days.` */
function reviewWords({ days, old, new: now }: NonNullable<Impact['reviewsADay']>): string {
  const [before, after] = [old, now].map(oneDigit);
  const sign = now < old ? '' : '+';
  const span = days === 1 ? '1 day' : `${grouped(days)} days`;
  return `Reviews a day: ${before} before, ${after} after (${sign}${oneDigit(now - old)}), over ${span}.`;
}

export function nameOf(name: ApplicantName): string {
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
export function unjudgedWords({ unreadable, erased, aborted, open, openFacts }: Unjudged): readonly string[] {
  const facts = Object.entries(openFacts).map(([path, n]) => `${printable(path)} (${grouped(n)})`);
  return [
    ...(unreadable > 0 ? [`${grouped(unreadable)} cannot be read`] : []),
    ...(erased > 0 ? [`${grouped(erased)} erased`] : []),
    ...(aborted > 0 ? [`${grouped(aborted)} aborted: nobody was given an outcome`] : []),
    ...(open > 0 ? [`${grouped(open)} depend on facts that are not on record: ${facts.join(', ')}`] : []),
  ];
}

/** `1,608 applicants`. */
export function applicantWords(n: number, noun = 'applicant'): string {
  return `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;
}

function oneDigit(n: number): string {
  return n.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** `1.7%`; a small share is not shown as none. */
function percent(n: number, all: number): string {
  const share = all === 0 ? 0 : (100 * n) / all;
  return n > 0 && share < 0.1 ? '<0.1%' : `${share.toFixed(1)}%`;
}
