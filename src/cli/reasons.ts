/** Reasons of a verdict, and tests -> lines for people. */

import type { Evidence, MissingEvidence } from '../decision/evidence.ts';
import type { Score } from '../decision/outcome.ts';
import type { Reason } from '../decision/verdict.ts';
import { count, printable } from '../diagnostics.ts';
import type { Outcome } from '../policy/language.ts';
import { isOperator, operatorRow } from '../policy/operators.ts';
import type { Style, Styler } from './io.ts';

/** The colour of an outcome. */
export const OUTCOME_STYLES: Readonly<Record<Outcome, Style>> = { accept: 'green', review: 'yellow', reject: 'red' };

/** Why a fact is missing: what stands behind its path and a colon. */
export const CAUSE_WORDS: Readonly<Record<MissingEvidence['cause'], string>> = {
  notRequested: 'was not asked for',
  sourceFailed: 'its source did not answer',
  unmapped: 'the mapping has no place for it',
  notReturned: 'was not in the answer',
  invalid: 'was in the answer, but could not be read',
  notGiven: 'was not given',
  error: 'is known, but its test failed',
};

/** Why a missing fact is among those that an outcome stands on. */
export const MISSING_FOUNDATION = 'A missing fact is among them where the outcome could be another if it were known.';

/** The score and where its bands begin. */
export interface Scored {
  readonly score: Score;
  readonly bands: { readonly review?: number | undefined; readonly reject?: number | undefined };
}

/** Reasons with their evidence; those of rules that could not be determined in one paragraph: there may be dozens. */
export function reasonLines(reasons: readonly Reason[], scored: Scored, style: Styler): readonly string[] {
  const open = reasons.flatMap((reason) => (reason.because === 'undetermined' ? reason.code : []));
  return [
    ...reasons.flatMap((reason) => oneReason(reason, scored, style)),
    ...(open.length === 0 ? [] : ['  review, since these could not be determined:', ...wrapList(open, '    ')]),
  ];
}

function oneReason(reason: Reason, { score, bands }: Scored, style: Styler): readonly string[] {
  const head = style('bold', reason.code);
  switch (reason.because) {
    case 'fired': {
      const asks = [reason.outcome ?? [], reason.points === undefined ? [] : count(reason.points, 'point')].flat();
      return [
        `  ${head}: ${asks.join(', ')} (rule ${reason.rule})`,
        ...(reason.message === undefined ? [] : [`    ${printable(reason.message)}`]),
        ...reason.evidence.map((evidence) => style('dim', `    - ${evidenceWords(evidence)}`)),
      ];
    }
    case 'undetermined':
      return [];
    case 'score': {
      const points =
        score.least === score.most ? count(score.least, 'point') : `${score.least} to ${score.most} points`;
      const begins = Object.entries(bands).flatMap(([band, from]) =>
        from === undefined ? [] : `${band} from ${from}`,
      );
      return [`  ${head}: ${points}; ${begins.join(', ')}`];
    }
    case 'default':
      return [`  ${head}: no rule asked for anything certain; the policy's default is ${reason.outcome}`];
  }
}

/** `phone.porting.portedDate lies within the last 30 days: 2026-11-13`. */
function evidenceWords({ value, other, ...test }: Evidence): string {
  const against = other && {
    fact: other.value === undefined ? other.fact : `${other.fact} (${valueWords(other.value)})`,
  };
  const words = testWords({ ...test, ...(against ? { other: against } : {}) });
  return value === undefined ? words : `${words}: ${printable(valueWords(value))}`;
}

/** A list that is longer goes on in the next line. */
export const LINE_WIDTH = 100;

/** Names, separated by commas, in lines. */
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
  operator,
  expected,
  negated,
  other,
}: {
  readonly fact: string;
  readonly operator: string;
  readonly expected: unknown;
  readonly negated?: true;
  readonly other?: { readonly fact: string };
}): string {
  const sentence = isOperator(operator) ? operatorRow(operator).sentence : operator;
  const argument = other ? other.fact : valueWords(expected);
  return printable(`${negated ? 'not: ' : ''}${fact} ${sentence.replace('…', () => argument)}`);
}

/** A value, or values, as people write them. */
export function valueWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueWords).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
