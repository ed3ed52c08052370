/** The difference of two policies -> text, or data for JSON. */

import {
  changesOf,
  closingWords,
  type Examples,
  exampleLines,
  FOR_OLD,
  firstEdits,
  isProvedSame,
  isUndecided,
  NO_EXAMPLE,
  noEdits,
  reasonLines,
  reasonsClosing,
  type ShownDiff,
} from '../../../report/words/diff.ts';
import { applicantWords } from '../../../report/words/impact.ts';
import type { Styler } from '../../../report/words/style.ts';
import { count, printable } from '../../../text.ts';
import { impactAsData, printImpact } from './print-impact.ts';

/** The difference as data. An example is a line that `evaluate` takes. */
export function diffAsData({ diff, impact }: ShownDiff): object {
  const { where, edits, elsewhere, excluded, reasons } = diff;
  const changes = changesOf(diff).map(({ from, to, regions }) => ({
    from,
    to,
    regions: regions.map(({ from: _, to: __, ...region }) => region),
  }));
  return {
    same: isProvedSame(diff) && (reasons === undefined || isProvedSame(reasons)),
    ...(where === undefined ? {} : { where }),
    edits,
    changes,
    elsewhere,
    ...(excluded ? { excluded } : {}),
    undecided: isUndecided(diff),
    ...(reasons ? { reasons } : {}),
    ...(impact ? { impact: impactAsData(impact) } : {}),
  };
}

/** The difference as text: the edits, the regions of each change, and what is known of all others. */
export function printDiff(shown: ShownDiff, style: Styler): string {
  const { diff } = shown;
  const lines = changesOf(diff).flatMap(({ from, to, regions }) => [
    style('bold', `${from} to ${to}: ${count(regions.length, 'region')}`),
    ...regions.flatMap(({ conditions, applicants, ...examples }) => [
      '',
      ...(conditions.length > 0 ? conditions.map((each) => `  ${printable(each)}`) : ['  every applicant']),
      ...(applicants === undefined ? [] : [`  ${applicantWords(applicants, 'real applicant')}`]),
      exampleText(examples, shown, style),
    ]),
    '',
  ]);
  const counted = shown.impact ? `\n${printImpact(shown.impact, style)}` : '';
  const all = [...editLines(shown, style), ...lines, printable(closingWords(shown)), ...reasonText(shown, style)];
  return `${all.join('\n')}\n${counted}`;
}

function exampleText(region: Examples, shown: ShownDiff, style: Styler): string {
  const lines = exampleLines(region, shown);
  return style('dim', `  ${lines.length > 0 ? `such as ${lines.join(FOR_OLD)}` : NO_EXAMPLE}`);
}

/** Whose reasons change though they are decided the same, if that was asked for. */
function reasonText(shown: ShownDiff, style: Styler): readonly string[] {
  const closing = reasonsClosing(shown);
  if (closing === undefined) return [];
  const { regions = [] } = shown.diff.reasons ?? {};
  return [
    '',
    ...regions.flatMap((region) => [
      style('bold', 'the same outcome, other reasons'),
      ...reasonLines(region).map((line) => `  ${printable(line)}`),
      ...(region.conditions.length > 0 ? region.conditions : ['every applicant']).map((each) => `  ${printable(each)}`),
      exampleText(region, shown, style),
      '',
    ]),
    closing,
  ];
}

/** What was edited, and an empty line. */
function editLines(shown: ShownDiff, style: Styler): readonly string[] {
  const { edits, more } = firstEdits(shown);
  const lines = edits.map(({ text, place }) => {
    return `- ${printable(text)}${place ? style('dim', ` (${printable(place.file)}:${place.line})`) : ''}`;
  });
  return [...(edits.length === 0 ? [noEdits(shown)] : lines), ...more.map((each) => `- ${each}`), ''];
}
