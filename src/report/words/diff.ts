/** The difference of two policies -> words for text, Markdown and page. */

import type { PolicyDiff } from '../../lab/diff/diff.ts';
import { noticeText } from '../../lab/diff/edits/rule-edits.ts';
import type { Change } from '../../lab/diff/parts.ts';
import type { ReasonChange } from '../../lab/diff/reason-cases.ts';
import type { DiffRegion } from '../../lab/diff/regions.ts';
import { BY_SEVERITY, type Impact } from '../../lab/impact/impact.ts';
import type { Policy } from '../../policy/language.ts';
import { shownLine } from './shown-line.ts';

/** A region, and how many of the counted applicants are in it. */
type CountedRegion = DiffRegion & { readonly applicants?: number };

/** The difference; with the applicants of each region, where applicants were counted. */
interface CountedDiff extends PolicyDiff {
  readonly regions: readonly CountedRegion[];
}

/** A difference with what its words depend on. */
export interface ShownDiff {
  readonly diff: CountedDiff;
  /** What it means for real applicants, where they were counted. */
  readonly impact?: Impact | undefined;
  readonly policies: readonly [old: Policy, now: Policy];
  /** The day of the decisions. */
  readonly at: string;
}

/** The lines of facts of a region. */
export type Examples = Pick<DiffRegion, 'example' | 'oldExample'>;

/** Whether all applicants are proved to be decided the same. */
export function isProvedSame({
  regions,
  elsewhere,
}: Pick<PolicyDiff, 'elsewhere'> & { readonly regions: readonly unknown[] }): boolean {
  return regions.length === 0 && elsewhere === 'same';
}

/** Whether it is undecided that the outcome of somebody changes in this way. */
export function isChangeUndecided({ regions, elsewhere, excluded = [] }: PolicyDiff, { from, to }: Change): boolean {
  const isIt = (change: Change) => change.from === from && change.to === to;
  const found = regions.filter(isIt);
  if (found.some(({ example }) => example)) return false;
  return found.length > 0 || (elsewhere !== 'same' && !excluded.some(isIt));
}

/** Whether anything is undecided: a region without an example, or all other applicants. */
export function isUndecided({ regions, elsewhere, reasons }: PolicyDiff): boolean {
  if (reasons?.elsewhere === 'undecided' || reasons?.regions.some(({ example }) => !example)) return true;
  return elsewhere === 'undecided' || elsewhere === 'notProved' || regions.some(({ example }) => !example);
}

/** The regions of one kind of change. */
export interface ChangedRegions extends Pick<DiffRegion, 'from' | 'to'> {
  readonly regions: readonly CountedRegion[];
}

/** The regions by change, the worst first. */
export function changesOf({ regions }: CountedDiff): readonly ChangedRegions[] {
  return BY_SEVERITY.flatMap(([from, to]) => {
    const own = regions.filter((region) => region.from === from && region.to === to);
    return own.length > 0 ? [{ from, to, regions: own }] : [];
  });
}

const OR = new Intl.ListFormat('en', { type: 'disjunction' });

/** What was found, in one sentence; and which changes happen to nobody, if that is not said by it. */
export function closingWords(shown: ShownDiff): string {
  const { diff, at } = shown;
  const excluded = (diff.excluded ?? []).map(({ from, to }) => `from ${from} to ${to}`);
  if (excluded.length === 0) return elsewhereWords(shown);
  return `${elsewhereWords(shown)} Nobody${whomWords(diff)} changes ${OR.format(excluded)} on ${at}: proved.`;
}

function whomWords({ where }: PolicyDiff): string {
  return where === undefined ? '' : ` for whom ${where}`;
}

function elsewhereWords({ diff, at }: ShownDiff): string {
  const whom = whomWords(diff);
  if (isProvedSame(diff)) return `The policies decide every applicant${whom} the same on ${at}: proved.`;
  switch (diff.elsewhere) {
    case 'same':
      return `All other applicants${whom} are decided the same on ${at}: proved.`;
    case 'notSought':
      return 'There may be more regions: --regions looks for more of them.';
    case 'notProved':
      return 'Nothing is proved: z3, an optional package, is not installed.';
    case 'undecided':
      return `Whether other applicants${whom} are decided differently is undecided: --timeout gives it more time.`;
  }
}

/** The most edits in a text: a comment on a pull request has a limit too. */
const MOST_EDITS = 40;

/** The edits that a text lists, and what it says of the others. */
export function firstEdits({ diff: { edits } }: ShownDiff): Pick<PolicyDiff, 'edits'> & { more: readonly string[] } {
  const left = edits.length - MOST_EDITS;
  return { edits: edits.slice(0, MOST_EDITS), more: left > 0 ? [`and ${left} more: --json lists them`] : [] };
}

/** What is said in place of edits where there are none. */
export function noEdits({ policies: [old, now] }: ShownDiff): string {
  const isSame = old.digest === now.digest;
  return isSame ? 'The policies say the same, apart from comments.' : 'Nothing was edited but order or spelling.';
}

/** What is said in place of an example. */
export const NO_EXAMPLE = 'no example was found: not proved';

/**
 * The example of a region as a line, and a second one for the old policy where it takes another; none without an
 * example. A text that may identify somebody is not shown.
 */
export function exampleLines({ example, oldExample }: Examples, { policies }: ShownDiff): readonly string[] {
  return [example, oldExample].flatMap((line) => (line ? shownLine(line, policies) : []));
}

/** What stands between the lines for the new and for the old policy. */
export const FOR_OLD = ', for the old policy ';

/** What is known of the reasons of all others; undefined if reasons were not compared. */
export function reasonsClosing({ diff: { reasons } }: ShownDiff): string | undefined {
  if (!reasons) return undefined;
  if (isProvedSame(reasons)) return 'Reasons and notices of those who are decided the same are the same: proved.';
  switch (reasons.elsewhere) {
    case 'same':
      return 'All others who are decided the same have the same reasons and notices: proved.';
    case 'notSought':
      return 'There may be more regions of other reasons: --regions looks for more of them.';
    case 'undecided':
      return 'Whether others have other reasons is undecided: --timeout gives it more time.';
  }
}

/** What is added to the reasons and removed from them: `reason HIGH is removed`. */
export function reasonLines({ added, removed }: ReasonChange): readonly string[] {
  const lines = ({ codes, notices }: ReasonChange['added'], what: string) => [
    ...codes.map((code) => `reason ${code} ${what}`),
    ...notices.map((notice) => `notice ${noticeText(notice)} ${what}`),
  ];
  return [...lines(removed, 'is removed'), ...lines(added, 'is added')];
}
