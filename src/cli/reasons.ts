/** Reasons of a verdict, and tests -> lines for people. */

import type { Evidence, MissingEvidence } from '../decision/evidence.ts';
import type { Score } from '../decision/outcome.ts';
import type { Reason } from '../decision/verdict.ts';
import { printable } from '../diagnostics.ts';
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

/** The score and where its bands begin. */
export interface Scored {
  readonly score: Score;
  readonly bands: { readonly review?: number; readonly reject?: number };
}

/** A reason, with its evidence where a rule fired. */
export function reasonLines(reason: Reason, { score, bands }: Scored, style: Styler): readonly string[] {
  const head = style('bold', reason.code);
  switch (reason.because) {
    case 'fired': {
      const asks = [reason.outcome ?? [], reason.points === undefined ? [] : `${reason.points} points`].flat();
      return [
        `  ${head}: ${asks.join(', ')} (rule ${reason.rule})`,
        ...(reason.message === undefined ? [] : [`    ${printable(reason.message)}`]),
        ...reason.evidence.map((evidence) => style('dim', `    - ${evidenceWords(evidence)}`)),
      ];
    }
    case 'undetermined':
      return [`  ${head}: review, since the rule ${reason.rule} could not be determined`];
    case 'score': {
      const points = score.least === score.most ? score.least : `${score.least} to ${score.most}`;
      const begins = Object.entries(bands).map(([band, from]) => `${band} from ${from}`);
      return [`  ${head}: ${points} points; ${begins.join(', ')}`];
    }
    case 'default':
      return [`  ${head}: no rule asked for anything; the policy's default is ${reason.outcome}`];
  }
}

function evidenceWords({ value, ...test }: Evidence): string {
  return printable(value === undefined ? testWords(test) : `${testWords(test)}: ${valueWords(value)}`);
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
