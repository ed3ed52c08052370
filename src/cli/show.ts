/** A decision -> text for people: the outcome, each reason with the values behind it, and what could not be determined. */

import type { Decision } from '../decision/decide.ts';
import type { Evidence, MissingEvidence } from '../decision/evidence.ts';
import type { FiredReason, Reason, UndeterminedRule } from '../decision/verdict.ts';
import { printable } from '../diagnostics.ts';
import type { Outcome, Policy } from '../policy/language.ts';
import { isOperator, operatorRow } from '../policy/operators.ts';
import type { Style, Styler } from './io.ts';

const OUTCOME_STYLES: Readonly<Record<Outcome, Style>> = { accept: 'green', review: 'yellow', reject: 'red' };

/** Why a fact is missing, for people. */
const CAUSE_WORDS: Readonly<Record<MissingEvidence['cause'], string>> = {
  notRequested: 'was not asked for',
  sourceFailed: 'its source did not answer',
  unmapped: 'the mapping has no place for it',
  notReturned: 'was not in the answer',
  invalid: 'was in the answer, but could not be read',
  notGiven: 'was not given',
  error: 'is known, but its test failed',
};

/** The text of a decision. Whatever came from outside is shown without control characters. */
export function showDecision(decision: Decision, policy: Policy, style: Styler): string {
  const { outcome, reasons, undetermined, signals } = decision;
  const decisive = reasons.filter((reason) => reason.decisive);
  const others = reasons.filter((reason) => !reason.decisive);
  const show = (reason: Reason) => showReason(reason, decision, policy, style);
  const sections = [
    [`${style(OUTCOME_STYLES[outcome], style('bold', outcome.toUpperCase()))}  ${showOrigin(decision)}`],
    section('Because', decisive.flatMap(show), style),
    section('Besides', others.flatMap(show), style),
    section('Could not be determined', undetermined.flatMap(showUndetermined), style),
    section(
      'Note',
      signals.warnings.map((warning) => `  ${printable(warning)}`),
      style,
    ),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[], style: Styler): readonly string[] {
  return lines.length === 0 ? [] : [style('bold', title), ...lines];
}

function showOrigin({ clientReference, decidedAt, policy }: Decision): string {
  return printable(`${clientReference}, ${decidedAt}, policy ${policy.name} ${policy.version}`);
}

function showReason(
  reason: Reason,
  { score }: Decision,
  { score: bands, default: fallback }: Policy,
  style: Styler,
): string[] {
  switch (reason.because) {
    case 'fired':
      return showFired(reason, style);
    case 'undetermined':
      return [`  ${reason.code}: asks for review, since rule ${reason.rule} could not be determined`];
    case 'score': {
      const band = reason.code === 'SCORE' ? reason.outcome : score.band === null ? 'review' : 'reject';
      const from = `${band} begins at ${band === 'reject' ? bands.reject : bands.review}`;
      return [
        `  ${reason.code}: ${score.least === score.most ? score.least : `${score.least} to ${score.most}`} points; ${from}`,
      ];
    }
    case 'default':
      return [`  ${reason.code}: no rule asked for anything; the policy's default is ${fallback}`];
  }
}

function showFired(reason: FiredReason, style: Styler): string[] {
  const asks = [reason.outcome, reason.points === undefined ? null : `${reason.points} points`].filter(
    (part) => part !== null,
  );
  return [
    `  ${style('bold', reason.code)}: ${asks.join(', ')} (rule ${reason.rule})`,
    ...(reason.message === undefined ? [] : [`    ${printable(reason.message)}`]),
    ...reason.evidence.map((evidence) => style('dim', `    - ${showEvidence(evidence)}`)),
  ];
}

/** `phone.porting.portedDate lies within the last 30 days: 2026-11-13`. */
function showEvidence({ fact, operator, expected, value, negated, other }: Evidence): string {
  const sentence = isOperator(operator) ? operatorRow(operator).sentence : operator;
  const argument = other ? `${other.fact} (${JSON.stringify(other.value)})` : showArgument(expected);
  const test = `${negated ? 'not: ' : ''}${fact} ${sentence.replace('…', () => argument)}`;
  return printable(value === undefined ? test : `${test}: ${showArgument(value)}`);
}

function showArgument(value: unknown): string {
  if (Array.isArray(value)) return value.map(showArgument).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function showUndetermined({ rule, missing }: UndeterminedRule): string[] {
  return [`  rule ${rule}`, ...missing.map(({ fact, cause }) => `    - ${fact} ${CAUSE_WORDS[cause]}`)];
}
