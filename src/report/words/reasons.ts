/** Reasons of a verdict, and tests -> lines for people. */

import type { RecordedOutcome } from '../../audit/entry/entry.ts';
import type { Distance } from '../../decision/explain/distance.ts';
import type { Evidence } from '../../decision/meaning/evidence.ts';
import { isListed, shownArgument } from '../../decision/meaning/listed.ts';
import type { Score } from '../../decision/meaning/outcome.ts';
import type { Reason } from '../../decision/meaning/verdict.ts';
import { CATALOG_TABLE, type FactTable } from '../../facts/catalog.ts';
import { isPersonal } from '../../policy/identities.ts';
import { type Notice, noticeTexts } from '../../policy/language.ts';
import { yearsWords } from '../../policy/operators.ts';
import { count, printable } from '../../text.ts';
import { type Bands, bandsOf, DEPENDING, possibleBand, scoreWords } from './score.ts';
import { type AskedTest, saysValue, sentenceOf } from './sentence.ts';
import type { Style, Styler } from './style.ts';

export const OUTCOME_STYLES: Readonly<Record<RecordedOutcome, Style>> = {
  ...{ accept: 'green', review: 'yellow', reject: 'red' },
  aborted: 'dim',
};

/** The score and where its bands begin. */
export interface Scored {
  readonly score: Score;
  readonly bands: Bands;
  /** The facts of the policy. Default: the catalog. */
  readonly table?: FactTable;
}

/** Reasons with their evidence. Undetermined rules, of which there may be dozens, share one paragraph. */
export function reasonLines(reasons: readonly Reason[], scored: Scored, style: Styler): readonly string[] {
  const open = reasons.flatMap((reason) => (reason.because === 'undetermined' ? reason.code : []));
  return [
    ...reasons.flatMap((reason) => oneReason(reason, scored, style)),
    ...(open.length === 0 ? [] : ['  review, since these could not be determined:', ...wrapList(open, '    ')]),
  ];
}

function oneReason(reason: Reason, { score, bands, table = CATALOG_TABLE }: Scored, style: Styler): readonly string[] {
  const head = style('bold', reason.code);
  switch (reason.because) {
    case 'fired': {
      const asks = [reason.outcome ?? [], reason.points === undefined ? [] : count(reason.points, 'point')].flat();
      return [
        `  ${head}: ${asks.join(', ')} (rule ${reason.rule})`,
        ...(reason.message === undefined ? [] : [`    ${printable(reason.message)}`]),
        ...reason.evidence.map((evidence) => style('dim', `    - ${evidenceWords(evidence, table)}`)),
        ...noticeLines(reason.notice),
      ];
    }
    case 'undetermined':
      return [];
    case 'score': {
      const begins = bandsOf(bands).map(([band, begin]) => `${band} from ${begin}`);
      const most = reason.code === 'SCORE' ? undefined : possibleBand(score, bands);
      const may = most === undefined ? '' : `, which may reach the band of ${most}, ${DEPENDING}`;
      return [`  ${head}: ${scoreWords(score)}${may}; ${begins.join(', ')}`, ...noticeLines(reason.notice)];
    }
    case 'default':
      return [
        `  ${head}: no rule certainly asked for an outcome; the policy's default is ${reason.outcome}`,
        ...noticeLines(reason.notice),
      ];
  }
}

/** What the applicant may be told, a line for each language. */
function noticeLines(notice: Notice | undefined): readonly string[] {
  if (notice === undefined) return [];
  return noticeTexts(notice).map(({ language, text }) => {
    const which = language === undefined ? '' : ` (${language})`;
    return `    the applicant may be told${which}: ${printable(text)}`;
  });
}

/**
 * `phone.porting.portedDate lies within the last 30 days: 2026-11-13`. Never shows the values of personal
 * facts, since the output of terminals is logged and copied.
 */
function evidenceWords({ value, other, ...test }: Evidence, table: FactTable): string {
  const isOtherShown = other?.value !== undefined && !isPersonal(other.fact, table);
  const against = other && { fact: isOtherShown ? `${other.fact} (${valueWords(other.value)})` : other.fact };
  const expected = shownArgument(test, table);
  const words = testWords({ ...test, expected, ...(against ? { other: against } : {}) });
  if (value === undefined || saysValue(test, value)) return words;
  return `${words}: ${isPersonal(test.fact, table) ? NOT_SHOWN : printable(valueWords(value))}`;
}

/** Replaces a known value. */
export const NOT_SHOWN = '(not shown)';

/** A longer list continues on the next line. */
export const LINE_WIDTH = 100;

export function wrapList(names: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  for (const [i, name] of names.entries()) {
    const text = i < names.length - 1 ? `${name},` : name;
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + text.length <= LINE_WIDTH) lines[lines.length - 1] = `${last} ${text}`;
    else lines.push(indent + text);
  }
  return lines;
}

/** `phone.porting.portedDate lies within the last 30 days`. */
export function testWords({
  fact,
  other,
  ...test
}: AskedTest & { readonly fact: string; readonly other?: { readonly fact: string } }): string {
  const { text, isNegated } = sentenceOf(test);
  const argument = other ? other.fact : valueWords(test.expected);
  return printable(`${isNegated ? 'not: ' : ''}${fact} ${text.replace('…', () => argument)}`);
}

/** `3 days`; `2 levels`; `12.5`. */
export function amountWords({ amount, unit }: Distance): string {
  return unit === 'number' ? String(amount) : count(amount, unit.slice(0, -1));
}

/** A value, or values, as people write them: `voip, pager`; `2 listed` for values that are left out. */
export function valueWords(value: unknown): string {
  if (isListed(value)) return value.listed === 1 ? 'the listed value' : `${value.listed} listed`;
  if (Array.isArray(value)) return value.map(valueWords).join(', ');
  return typeof value === 'string' ? value : (yearsWords(value, valueWords) ?? JSON.stringify(value));
}
