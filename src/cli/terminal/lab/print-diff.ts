/** The difference of two policies -> text, or data for JSON. */

import type { PolicyDiff } from '../../../lab/diff/diff.ts';
import type { DiffRegion } from '../../../lab/diff/region.ts';
import type { PolicyEdit } from '../../../lab/edits/edit.ts';
import type { Styler } from '../../../report/words/style.ts';
import { count, printable } from '../../../text.ts';
import { applicantWords, grouped } from './print-impact.ts';

/** A region, and how many of the counted applicants are in it. */
type CountedRegion = DiffRegion & { readonly applicants?: number };

/** The difference; with the applicants of each region, where applicants were counted. */
interface CountedDiff extends PolicyDiff {
  readonly regions: readonly CountedRegion[];
}

/** The difference as data. */
export function diffAsData({ edits, regions, elsewhere }: CountedDiff): object {
  const changes = changesOf(regions).map(([{ from, to }, own]) => ({
    from,
    to,
    regions: own.map(({ conditions, example, applicants }) => ({
      conditions,
      ...(example ? { example } : {}),
      ...(applicants === undefined ? {} : { applicants }),
    })),
  }));
  return {
    same: isSame({ regions, elsewhere }),
    edits,
    changes,
    elsewhere,
    undecided: isUndecided({ regions, elsewhere }),
  };
}

type Found = Pick<PolicyDiff, 'regions' | 'elsewhere'>;

/** Whether all applicants are proved to be decided the same. */
function isSame({ regions, elsewhere }: Found): boolean {
  return regions.length === 0 && elsewhere === 'same';
}

/** Whether anything is undecided: a region without an example, or all other applicants. */
export function isUndecided({ regions, elsewhere }: Found): boolean {
  return elsewhere === 'undecided' || elsewhere === 'notProved' || regions.some(({ example }) => !example);
}

export function printDiff(diff: CountedDiff, { at, style }: { readonly at: string; readonly style: Styler }): string {
  const { edits, regions, elsewhere } = diff;
  const head = editLines(edits, style)
    .map((line) => `${line}\n`)
    .join('');
  if (isSame(diff)) return `${head}The policies decide every applicant the same on ${at}: proved.\n`;
  const lines = changesOf(regions).flatMap(([{ from, to }, own]) => [
    style('bold', `${from} to ${to}: ${count(own.length, 'region')}`),
    ...own.flatMap(({ conditions, example, applicants }) => [
      '',
      ...(conditions.length > 0 ? conditions.map((each) => `  ${printable(each)}`) : ['  every applicant']),
      ...(applicants === undefined ? [] : [`  ${applicantWords(applicants, 'real applicant')}`]),
      style('dim', example ? `  such as ${printable(JSON.stringify(example))}` : '  no example was found: not proved'),
    ]),
    '',
  ]);
  return `${head}${[...lines, ELSEWHERE[elsewhere](at)].join('\n')}\n`;
}

/** The most edits that people are shown. */
const MOST_EDITS = 40;

/** What was edited, and an empty line. */
function editLines(edits: readonly PolicyEdit[], style: Styler): readonly string[] {
  const more = edits.length - MOST_EDITS;
  const lines = edits.slice(0, MOST_EDITS).map(({ text, place }) => {
    return `- ${printable(text)}${place ? style('dim', ` (${printable(place.file)}:${place.line})`) : ''}`;
  });
  return [
    ...(edits.length === 0 ? ['Nothing was edited but comments, order or spelling.'] : lines),
    ...(more > 0 ? [`- and ${more} more: --json lists them`] : []),
    '',
  ];
}

/** The difference as Markdown, such as a comment on a pull request. */
export function diffAsMarkdown({ regions, elsewhere }: CountedDiff, at: string): string {
  if (regions.length === 0 && elsewhere === 'same') return `Every applicant is decided the same on ${at}: proved.\n`;
  const code = (text: string) => `\`${printable(text).replaceAll('`', "'")}\``;
  const sections = changesOf(regions).map(([{ from, to }, own]) => {
    const isCounted = own.some(({ applicants }) => applicants !== undefined);
    const rows = own.map(({ conditions, example, applicants }) => {
      const cells = [
        conditions.length > 0
          ? conditions.map((each) => printable(each).replaceAll('<', '&lt;')).join('<br>')
          : 'every applicant',
        ...(isCounted ? [grouped(applicants ?? 0)] : []),
        example ? code(JSON.stringify(example)) : 'none was found: not proved',
      ];
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    });
    const head = isCounted
      ? ['| applicants | counted | such as |', '| --- | ---: | --- |']
      : ['| applicants | such as |', '| --- | --- |'];
    return [`### ${from} to ${to}`, '', ...head, ...rows, ''].join('\n');
  });
  return `${[...sections, ELSEWHERE[elsewhere](at)].join('\n')}\n`;
}

/** What is known of the applicants outside the regions. */
const ELSEWHERE: Readonly<Record<PolicyDiff['elsewhere'], (day: string) => string>> = {
  same: (day) => `All other applicants are decided the same on ${day}: proved.`,
  notSought: () => 'There may be more regions: --regions looks for more of them.',
  notProved: () => 'Nothing is proved: z3, an optional package, is not installed.',
  undecided: () => 'Whether other applicants are decided differently is undecided: --timeout gives it more time.',
};

type Change = Pick<DiffRegion, 'from' | 'to'>;

/** The regions by change, in the order in which they were found. */
function changesOf(regions: readonly CountedRegion[]): readonly (readonly [Change, readonly CountedRegion[]])[] {
  const groups = Map.groupBy(regions, ({ from, to }) => `${from} ${to}`);
  return [...groups.values()].map((own) => [own[0] as Change, own]);
}
