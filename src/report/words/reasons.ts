/** Reasons of a verdict, its score and its tests -> words for people. */

import type { FailedSource } from '../../decision/explain/explanation.ts';
import type { MissingEvidence } from '../../decision/meaning/evidence.ts';
import type { Score } from '../../decision/meaning/outcome.ts';
import type { Reason, UndeterminedRule } from '../../decision/meaning/verdict.ts';
import { bandAbove, noticeTexts, type Outcome } from '../../policy/language.ts';
import { count, printable } from '../../text.ts';
import type { Styler } from '../outline.ts';
import { plain } from '../plain-text.ts';
import { evidenceWords, type StateSetting } from './fact-states.ts';
import { causeList, failureWords } from './missing.ts';

/** What reasons are shown with: the verdict that they are of, and its policy. */
export interface Scored extends StateSetting {
  readonly score: Score;
  readonly bands: Bands;
  /** All reasons of the verdict: some give points. */
  readonly reasons: readonly Reason[];
  readonly undetermined: readonly Pick<UndeterminedRule, 'rule' | 'missing'>[];
  /** The sources that did not answer. Default: each missing fact is shown by itself. */
  readonly failedSources?: readonly FailedSource[];
}

/** Reasons with their evidence. Undetermined rules, which may be dozens, share one paragraph. */
export function reasonLines(reasons: readonly Reason[], scored: Scored, style: Styler): readonly string[] {
  const open = reasons.filter((reason) => reason.because === 'undetermined');
  return [...reasons.flatMap((reason) => oneReason(reason, scored, style)), ...openReasonLines(open, scored, style)];
}

function oneReason(reason: Reason, scored: Scored, style: Styler): readonly string[] {
  const { score, bands } = scored;
  const head = style('bold', reason.code);
  switch (reason.because) {
    case 'fired': {
      const asks = [reason.outcome ?? [], reason.points ? count(reason.points, 'point') : []].flat();
      return [
        `  ${head}: ${asks.join(', ')} (rule ${reason.rule})`,
        ...(reason.message === undefined ? [] : [`    ${printable(reason.message)}`]),
        ...reason.evidence.map((evidence) => style('dim', `    - ${plain(evidenceWords(evidence, scored))}`)),
      ];
    }
    case 'undetermined':
      return [];
    case 'score': {
      const begins = bandsOf(bands).map(([band, begin]) => `${band} from ${begin}`);
      const most = reason.code === 'SCORE' ? undefined : possibleBand(score, bands);
      const may = most === undefined ? '' : `, which may reach the band of ${most}, ${DEPENDING}`;
      return [
        `  ${head}: ${scoreWords(score)}${may}; ${begins.join(', ')}`,
        ...sumLines(scored).map((line) => style('dim', line)),
      ];
    }
    case 'default':
      return [
        `  ${head}: no rule that fired asks for an outcome, nor does the score: ` +
          `the policy's default is ${reason.outcome}`,
      ];
  }
}

/** The points of the rules that fired, and their sum; none where a single rule or none gave points. */
function sumLines({ reasons }: Scored): readonly string[] {
  const given = reasons.filter((reason) => reason.because === 'fired').filter(({ points }) => points);
  if (given.length < 2) return [];
  const sum = given.reduce((total, { points = 0 }) => total + points, 0);
  const parts = given.map(({ rule, points = 0 }, i) => {
    const sign = points < 0 ? '− ' : i === 0 ? '' : '+ ';
    return `${sign}${Math.abs(points)} ${rule}`;
  });
  return wrapWords(`${sum} =`, parts, '    ');
}

/** Undetermined rules with what is missing, those that lack the same together. */
function openReasonLines(
  open: readonly { readonly code: string; readonly rule: string }[],
  { undetermined, failedSources = [] }: Scored,
  style: Styler,
): readonly string[] {
  if (open.length === 0) return [];
  const missing = new Map(undetermined.map((each) => [each.rule, missingWords(each.missing, failedSources)]));
  const groups = Map.groupBy(open, ({ rule }) => missing.get(rule) ?? '');
  const which = open.length === 1 ? 'this rule' : `these ${open.length} rules`;
  return [
    `  review, since ${which} could not be determined:`,
    ...[...groups].flatMap(([words, rules]) => [
      ...wrapList(
        rules.map(({ code }) => code),
        '    ',
      ),
      ...(words === '' ? [] : [style('dim', `      - ${words}`)]),
    ]),
  ];
}

/** Why a rule lacks facts: `the email source did not answer; missing facts: not returned`. */
function missingWords(missing: readonly MissingEvidence[], failed: readonly FailedSource[]): string {
  const sources = failed.filter(({ facts }) => missing.some(({ fact }) => facts.includes(fact)));
  const others = missing.filter(({ fact }) => !sources.some(({ facts }) => facts.includes(fact)));
  const causes = causeList(others.map(({ cause }) => cause));
  return [...sources.map(failureWords), ...(causes === '' ? [] : [`missing facts: ${causes}`])].join('; ');
}

/**
 * What the applicant may be told: the notices of the decisive reasons, in their order, each once. Of one in several
 * languages, a line for each.
 */
export function noticeLines(reasons: readonly Reason[]): readonly string[] {
  const notices = reasons.flatMap((reason) =>
    reason.decisive && 'notice' in reason && reason.notice !== undefined ? [reason.notice] : [],
  );
  const lines = notices.flatMap((notice) =>
    noticeTexts(notice).map(
      ({ language, text }) => `  ${language === undefined ? '' : `${language}: `}${printable(text)}`,
    ),
  );
  return [...new Set(lines)];
}

/** A longer list continues on the next line. */
export const LINE_WIDTH = 100;

export function wrapList(names: readonly string[], indent: string): string[] {
  return wrapWords(
    '',
    names.map((name, i) => (i < names.length - 1 ? `${name},` : name)),
    indent,
  );
}

/** Words after a first one, over several lines. */
function wrapWords(first: string, words: readonly string[], indent: string): string[] {
  const lines: string[] = first === '' ? [] : [indent + first];
  for (const text of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + text.length <= LINE_WIDTH) lines[lines.length - 1] = `${last} ${text}`;
    else lines.push(indent + text);
  }
  return lines;
}

/** The first points of each band of a policy. */
export type Bands = { readonly [Band in 'review' | 'reject']?: number | undefined };

/** The bands that a policy has, each with its first points. */
export function bandsOf({ review, reject }: Bands): readonly (readonly [band: keyof Bands, begin: number])[] {
  return [
    ...(review === undefined ? [] : [['review', review] as const]),
    ...(reject === undefined ? [] : [['reject', reject] as const]),
  ];
}

/** `25 to 40 points`. */
export function scoreWords({ least, most }: Pick<Score, 'least' | 'most'>): string {
  return least === most ? count(least, 'point') : `${least} to ${most} points`;
}

/** The band that a score may reach, beyond the band that it certainly reaches, depending on missing facts. */
export function possibleBand({ least, most }: Score, { review, reject }: Bands): Outcome | undefined {
  return bandAbove({ review, reject }, least, most);
}

/** Follows the band that a score may reach. */
export const DEPENDING = 'depending on missing facts';
