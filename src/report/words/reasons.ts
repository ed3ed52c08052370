/** Reasons of a verdict, its score and its tests -> words for people. */

import type { Distance } from '../../decision/explain/distance.ts';
import type { FactState, FailedSource } from '../../decision/explain/explanation.ts';
import { saysValue, testWords, valueWords } from '../../decision/explain/sentence.ts';
import type { Evidence, MissingEvidence } from '../../decision/meaning/evidence.ts';
import { shownArgument } from '../../decision/meaning/evidence.ts';
import type { Score } from '../../decision/meaning/outcome.ts';
import type { Reason, UndeterminedRule } from '../../decision/meaning/verdict.ts';
import { CATALOG_TABLE, type FactTable } from '../../facts/catalog.ts';
import { isDay } from '../../facts/day.ts';
import type { ExampleLine } from '../../lab/question/find-applicant.ts';
import { hasPersonalTexts, isPersonal } from '../../policy/identities.ts';
import { bandAbove, noticeTexts, type Outcome, type Policy } from '../../policy/language.ts';
import { count, printable, toJson } from '../../text.ts';
import { code, type Styler, soft, type Words } from '../outline.ts';
import { ageWords } from './days.ts';
import { causeList, causeWords, failureWords } from './missing.ts';

/** What reasons are shown with: the verdict that they are of, and its policy. */
export interface Scored {
  readonly score: Score;
  readonly bands: Bands;
  /** All reasons of the verdict: some give points. */
  readonly reasons: readonly Reason[];
  readonly undetermined: readonly Pick<UndeterminedRule, 'rule' | 'missing'>[];
  /** The sources that did not answer. Default: each missing fact is shown by itself. */
  readonly failedSources?: readonly FailedSource[];
  /** The facts of the policy. Default: the catalog. */
  readonly table?: FactTable;
}

/** Reasons with their evidence. Undetermined rules, which may be dozens, share one paragraph. */
export function reasonLines(reasons: readonly Reason[], scored: Scored, style: Styler): readonly string[] {
  const open = reasons.filter((reason) => reason.because === 'undetermined');
  return [...reasons.flatMap((reason) => oneReason(reason, scored, style)), ...openReasonLines(open, scored, style)];
}

function oneReason(reason: Reason, scored: Scored, style: Styler): readonly string[] {
  const { score, bands, table = CATALOG_TABLE } = scored;
  const head = style('bold', reason.code);
  switch (reason.because) {
    case 'fired': {
      const asks = [reason.outcome ?? [], reason.points ? count(reason.points, 'point') : []].flat();
      return [
        `  ${head}: ${asks.join(', ')} (rule ${reason.rule})`,
        ...(reason.message === undefined ? [] : [`    ${printable(reason.message)}`]),
        ...reason.evidence.map((evidence) => style('dim', `    - ${evidenceWords(evidence, table)}`)),
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

/**
 * `phone.porting.portedDate lies within the last 30 days: 2026-11-13`. Never shows the values of personal
 * facts, since the output of terminals is logged and copied.
 */
export function evidenceWords({ value, other, ...test }: Evidence, table: FactTable): string {
  const isOtherShown = other?.value !== undefined && !isPersonal(other.fact, table);
  const against = other && { fact: isOtherShown ? `${other.fact} (${valueWords(other.value)})` : other.fact };
  const expected = shownArgument(test, table);
  const words = testWords({ ...test, expected, ...(against ? { other: against } : {}) });
  if (value === undefined || saysValue(test, value)) return words;
  return `${words}: ${isPersonal(test.fact, table) ? NOT_SHOWN : printable(valueWords(value))}`;
}

/** Replaces a known value. */
export const NOT_SHOWN = '(not shown)';

/** What the words for facts of a decision depend on. */
export interface StateSetting {
  /** yyyy-MM-dd. */
  readonly day: string;
  /** The facts of its policy. */
  readonly table: FactTable;
}

/** The longest description of a declared fact that can be its name. */
const LONGEST_NAME = 60;

/** The name of a fact for people: its label in the catalog, or its description if that is short. */
export function nameOfFact(path: string, table: FactTable): string | undefined {
  const { label, description = '' } = table.get(path) ?? {};
  if (label !== undefined) return label;
  const text = description.replace(/\.$/, '');
  return text === '' || text.length > LONGEST_NAME || text.includes('. ') ? undefined : text;
}

/** The state of a fact: `2026-11-13, 7 days before`; `missing: its source did not answer`. */
export function stateWords(path: string, state: FactState, { day, table }: StateSetting): Words {
  if ('missing' in state) return { mark: 'missing', of: `missing: ${causeWords(path, state.missing, table)}` };
  if ('hidden' in state) return soft(NOT_SHOWN);
  const { value } = state;
  const shown = code(valueWords(value));
  return typeof value === 'string' && isDay(value) ? [shown, `, ${ageWords(value, day)}`] : shown;
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

/** `3 days`; `2 levels`; `12.5`. */
export function amountWords({ amount, unit }: Distance): string {
  return unit === 'number' ? String(amount) : count(amount, unit.slice(0, -1));
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

/** The policies say which facts are personal. */
export function shownLine({ facts, ...causes }: ExampleLine, policies: readonly Policy[]): string {
  const isHidden = (path: string) => policies.some((policy) => hasPersonalTexts(path, policy.facts));
  const shown = Object.entries(facts).map(([path, value]) => [path, isHidden(path) ? NOT_SHOWN : value]);
  return toJson({ facts: Object.fromEntries(shown), ...causes });
}
