/** A decision -> text for people: the outcome, each reason with its values, and what could not be determined. */

import type { Decision } from '../../decision/decision.ts';
import type { UndeterminedRule } from '../../decision/meaning/verdict.ts';
import type { Policy } from '../../policy/language.ts';
import { causeWords } from '../../report/words/missing.ts';
import { LINE_WIDTH, OUTCOME_STYLES, reasonLines, wrapList } from '../../report/words/reasons.ts';
import type { Styler } from '../../report/words/style.ts';
import { printable } from '../../text.ts';

/** The text of a decision. Data from outside is shown without control characters. */
export function printDecision(decision: Decision, policy: Policy, style: Styler): string {
  const { outcome, reasons, undetermined, signals } = decision;
  const scored = { score: decision.score, bands: policy.score };
  const show = (isDecisive: boolean) =>
    reasonLines(
      reasons.filter(({ decisive }) => decisive === isDecisive),
      scored,
      style,
    );
  const sections = [
    [`${style(OUTCOME_STYLES[outcome], style('bold', outcome.toUpperCase()))}  ${showOrigin(decision)}`],
    section('Because', show(true), style),
    section('Besides', show(false), style),
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

/** Each missing fact with the rules that needed it. */
function showUndetermined(undetermined: readonly UndeterminedRule[]): string[] {
  const rules = new Map<string, string[]>();
  for (const { rule, missing } of undetermined) {
    for (const { fact, cause } of missing) {
      const what = `${fact}: ${causeWords(fact, cause)}`;
      rules.set(what, [...(rules.get(what) ?? []), rule]);
    }
  }
  return [...rules].flatMap(([what, needing]) => {
    const line = `  ${what}; needed by ${needing.join(', ')}`;
    return line.length <= LINE_WIDTH ? [line] : [`  ${what}; needed by`, ...wrapList(needing, '    ')];
  });
}
