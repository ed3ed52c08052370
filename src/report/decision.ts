/** A decision -> text for people: the outcome, each reason with its values, and what could not be determined. */

import type { Decision } from '../decision/decision.ts';
import type { FailedSource, Failures } from '../decision/explain/explanation.ts';
import type { UndeterminedRule } from '../decision/meaning/verdict.ts';
import type { FactTable } from '../facts/catalog.ts';
import type { Outcome, Policy } from '../policy/language.ts';
import { printable } from '../text.ts';
import { OUTCOME_STYLES, type Styler } from './outline.ts';
import { causeWords, type Failed, failedSentences, sourceName } from './words/missing.ts';
import { LINE_WIDTH, noticeLines, reasonLines, type Scored, wrapList } from './words/reasons.ts';

export interface DecisionView {
  readonly style: Styler;
  /** The sources that did not answer. */
  readonly failures?: Failures | undefined;
}

/** The text of a decision. Data from outside is shown without control characters. */
export function printDecision(decision: Decision, policy: Policy, { style, failures }: DecisionView): string {
  const { outcome, reasons, undetermined, signals, clientReference, decidedAt, policy: stamp } = decision;
  const { failedSources = [] } = failures ?? {};
  const shown = { ...decision, failedSources, bands: policy.score, table: policy.facts, day: decidedAt.slice(0, 10) };
  const [because, besides] = reasonSections(shown, style);
  const origin = `${clientReference}, ${decidedAt}, policy ${stamp.name} ${stamp.version}`;
  return printSections(outcome, origin, style, [
    ['Because', because],
    ['Besides', besides],
    ['The applicant may be told', noticeLines(reasons)],
    ['Failed sources', failures ? failedLines({ ...failures, outcome }) : []],
    ['Could not be determined', showUndetermined(undetermined, failedSources, policy.facts)],
    ['Note', signals.warnings.map(({ text }) => `  ${printable(text)}`)],
  ]);
}

/** A section of a text; without lines it is left out. */
type Section = readonly [title: string, lines: readonly string[]];

/** The sources that did not answer, each with its facts, and what asking again could lead to. */
export function failedLines(failed: Failed): readonly string[] {
  return failedSentences(failed).flatMap((sentence, i) => [
    `  ${printable(sentence)}`,
    ...wrapList(failed.failedSources[i]?.facts ?? [], '    '),
  ]);
}

/** The first line: the outcome with its origin. */
function outcomeLine(outcome: Outcome, origin: string, style: Styler): string {
  return `${style(OUTCOME_STYLES[outcome], style('bold', outcome.toUpperCase()))}  ${printable(origin)}\n`;
}

/** The outcome with its origin, and the sections. */
export function printSections(outcome: Outcome, origin: string, style: Styler, sections: readonly Section[]): string {
  const shown = sections.filter(([, lines]) => lines.length > 0);
  return [
    outcomeLine(outcome, origin, style),
    ...shown.map(([title, lines]) => `${style('bold', title)}\n${lines.join('\n')}\n`),
  ].join('\n');
}

/** The decisive reasons, and the others. */
export function reasonSections(
  scored: Scored,
  style: Styler,
): readonly [because: readonly string[], besides: readonly string[]] {
  const { yes = [], no = [] } = Object.groupBy(scored.reasons, ({ decisive }) => (decisive ? 'yes' : 'no'));
  return [reasonLines(yes, scored, style), reasonLines(no, scored, style)];
}

/** Each missing fact with the rules that needed it; the facts of a failed source together. */
function showUndetermined(
  undetermined: readonly UndeterminedRule[],
  failed: readonly FailedSource[],
  table: FactTable,
): string[] {
  const rules = new Map<string, Set<string>>();
  for (const { rule, missing } of undetermined) {
    for (const { fact, cause } of missing) {
      const source = failed.find(({ facts }) => facts.includes(fact))?.source;
      const what =
        source === undefined ? `${fact}: ${causeWords(fact, cause, table)}` : `facts of ${sourceName(source)}`;
      rules.set(what, (rules.get(what) ?? new Set()).add(rule));
    }
  }
  return [...rules].flatMap(([what, all]) => {
    const needing = [...all];
    const line = `  ${what}; needed by ${needing.join(', ')}`;
    return line.length <= LINE_WIDTH ? [line] : [`  ${what}; needed by`, ...wrapList(needing, '    ')];
  });
}
