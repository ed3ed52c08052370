/** A decision -> text for people: the outcome, each reason with the values behind it, and what could not be determined. */

import type { Decision } from '../decision/decide.ts';
import type { Evidence } from '../decision/evidence.ts';
import type { FiredReason, Reason, UndeterminedRule } from '../decision/verdict.ts';
import { printable } from '../diagnostics.ts';
import type { Policy } from '../policy/language.ts';
import { isOperator, operatorRow } from '../policy/operators.ts';
import type { Styler } from './io.ts';
import { CAUSE_WORDS, OUTCOME_STYLES } from './reasons.ts';

/** The text of a decision. Whatever came from outside is shown without control characters. */
export function showDecision(decision: Decision, policy: Policy, style: Styler): string {
  const { outcome, reasons, undetermined, signals } = decision;
  const show = (shown: readonly Reason[]) => [
    ...shown.flatMap((reason) => showReason(reason, decision, policy, style)),
    ...showOpenReasons(shown),
  ];
  const sections = [
    [`${style(OUTCOME_STYLES[outcome], style('bold', outcome.toUpperCase()))}  ${showOrigin(decision)}`],
    section('Because', show(reasons.filter((reason) => reason.decisive)), style),
    section('Besides', show(reasons.filter((reason) => !reason.decisive)), style),
    section('Could not be determined', showUndetermined(undetermined), style),
    section(
      'Note',
      signals.warnings.map((warning) => `  ${printable(warning)}`),
      style,
    ),
  ];
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${texts.join('\n\n')}\n`;
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
      return []; // all of them together, in `showOpenReasons`
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

/** The rules that ask for review because they could not be determined, in one paragraph: there may be dozens. */
function showOpenReasons(reasons: readonly Reason[]): string[] {
  const codes = reasons.filter((reason) => reason.because === 'undetermined').map((reason) => reason.code);
  return codes.length === 0 ? [] : ['  review, since these could not be determined:', ...wrap(codes, '    ')];
}

/** What was missing, each fact with the rules that needed it. */
function showUndetermined(undetermined: readonly UndeterminedRule[]): string[] {
  const rules = new Map<string, string[]>();
  for (const { rule, missing } of undetermined) {
    for (const { fact, cause } of missing) {
      const what = `${fact} ${CAUSE_WORDS[cause]}`;
      rules.set(what, [...(rules.get(what) ?? []), rule]);
    }
  }
  return [...rules].flatMap(([what, needing]) => {
    const line = `  ${what}; needed by ${needing.join(', ')}`;
    return line.length <= LINE_WIDTH ? [line] : [`  ${what}; needed by`, ...wrap(needing, '    ')];
  });
}

/** A list that is longer goes on in the next line. */
const LINE_WIDTH = 100;

/** The words, separated by commas, in lines. */
function wrap(words: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  for (const [i, word] of words.entries()) {
    const text = i < words.length - 1 ? `${word},` : word;
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + text.length <= LINE_WIDTH) lines[lines.length - 1] = `${last} ${text}`;
    else lines.push(indent + text);
  }
  return lines;
}
