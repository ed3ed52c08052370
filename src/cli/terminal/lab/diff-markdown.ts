/** The difference of two policies -> Markdown, such as a comment on a pull request. */

import {
  type ChangedRegions,
  changesOf,
  closingWords,
  type Examples,
  exampleLines,
  FOR_OLD,
  firstEdits,
  NO_EXAMPLE,
  noEdits,
  reasonLines,
  reasonsClosing,
  type ShownDiff,
} from '../../../report/words/diff.ts';
import { count, grouped, printable } from '../../../text.ts';
import { impactAsMarkdown } from './print-impact.ts';

/** More regions than these are folded. */
const MOST_OPEN = 5;

/** The comment: edits, how many regions each change has, what is known of all others, and the regions. */
export function diffAsMarkdown(shown: ShownDiff): string {
  const { diff } = shown;
  const { regions } = diff;
  const { edits, more } = firstEdits(shown);
  const changes = changesOf(diff);
  const editLines = [
    ...edits.map(({ text, place }) => {
      return `- ${markdownText(text)}${place ? ` (${markdownText(place.file)}:${place.line})` : ''}`;
    }),
    ...more.map((each) => `- ${each}`),
  ];
  const flows = changes.map(({ from, to, regions: own }) => `| ${from} | ${to} | ${own.length} |`);
  const blocks = [
    (edits.length === 0 ? [noEdits(shown)] : editLines).join('\n'),
    ...(changes.length > 0 ? [['| from | to | regions |', '| --- | --- | ---: |', ...flows].join('\n')] : []),
    `**${markdownText(closingWords(shown))}**`,
    ...changes.map((change) => section(change, regions.length > MOST_OPEN, shown)),
    ...reasonBlocks(shown),
  ];
  const counted = shown.impact ? `\n${impactAsMarkdown(shown.impact)}` : '';
  return `${blocks.join('\n\n')}\n${counted}`;
}

function section({ from, to, regions }: ChangedRegions, isFolded: boolean, shown: ShownDiff): string {
  const isCounted = regions.some(({ applicants }) => applicants !== undefined);
  const rows = regions.map(({ conditions, applicants, ...examples }) => {
    const words = conditions.length > 0 ? conditions.map(markdownText).join('<br>') : 'every applicant';
    const counted = isCounted ? ` ${grouped(applicants ?? 0)} |` : '';
    return `| ${words} |${counted} ${exampleCell(examples, shown)} |`;
  });
  const head = isCounted
    ? ['| applicants | counted | such as |', '| --- | ---: | --- |']
    : ['| applicants | such as |', '| --- | --- |'];
  const table = [...head, ...rows].join('\n');
  if (!isFolded) return `### ${from} to ${to}\n\n${table}`;
  const summary = `${from} to ${to}: ${count(regions.length, 'region')}`;
  return `<details>\n<summary>${summary}</summary>\n\n${table}\n\n</details>`;
}

/** Longer examples are folded: they would make the table wider than a screen. */
const LONGEST_OPEN = 100;

function exampleCell(region: Examples, shown: ShownDiff): string {
  const lines = exampleLines(region, shown).map(code).join(FOR_OLD);
  if (lines.length <= LONGEST_OPEN) return lines || NO_EXAMPLE;
  return `<details><summary>an example</summary>${lines}</details>`;
}

/** Whose reasons change though they are decided the same, if that was asked for. */
function reasonBlocks(shown: ShownDiff): readonly string[] {
  const closing = reasonsClosing(shown);
  if (closing === undefined) return [];
  const { regions = [] } = shown.diff.reasons ?? {};
  const rows = regions.map((region) => {
    const words = region.conditions.length > 0 ? region.conditions.map(markdownText) : ['every applicant'];
    const changes = reasonLines(region).map(markdownText).join('<br>');
    return `| ${changes} | ${words.join('<br>')} | ${exampleCell(region, shown)} |`;
  });
  const head = ['| reasons | applicants | such as |', '| --- | --- | --- |'];
  const table = rows.length > 0 ? [`### The same outcome, other reasons\n\n${[...head, ...rows].join('\n')}`] : [];
  return [...table, `**${closing}**`];
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '@': '&#64;' };

/** A text in which nothing is markup, ends a cell or calls somebody. */
function markdownText(text: string): string {
  return printable(text).replace(/[&<>@\\`*_[\]|~]/g, (character) => ENTITIES[character] ?? `\\${character}`);
}

function code(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}
