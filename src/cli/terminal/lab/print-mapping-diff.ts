/** How two mappings differ on captured answers -> text. */

import type { MappingDiff, ShownFact } from '../../../lab/impact/compare-mappings.ts';
import { reasonWords } from '../../../report/impact.ts';
import { tableLines } from '../../../report/text/columns.ts';
import { cutTo } from '../../../report/text/width.ts';
import type { Styler } from '../../../report/words/style.ts';
import { count, printable } from '../../../text.ts';

/** The most ways in which one fact changes, and the most decisions, that people are shown. */
const MOST_CHANGES = 5;
const MOST_DECISIONS = 20;

const VALUE_WIDTH = 40;

export function printMappingDiff({ answers, facts, decisions }: MappingDiff, style: Styler): string {
  const rows = facts.flatMap(({ path, changes }) => [
    ...changes.slice(0, MOST_CHANGES).map((change, i) => {
      const { old, new: now, answers: n, example } = change;
      const cells = [
        i === 0 ? printable(path) : '',
        `${words(old, 'a personal value')} -> ${words(now, 'known' in old ? 'another' : 'a personal value')}`,
      ];
      return [...cells, style('dim', `${count(n, 'answer')}, such as ${printable(example)}`)];
    }),
    ...(changes.length > MOST_CHANGES ? [['', style('dim', `${changes.length - MOST_CHANGES} more`)]] : []),
  ]);
  const lines = [
    style('bold', `${factCount(facts.length)} in ${count(answers, 'answer')}.`),
    ...(rows.length > 0 ? ['', ...tableLines(rows, Number.POSITIVE_INFINITY)] : []),
  ];
  if (decisions) {
    lines.push('', style('bold', `${decisionCount(decisions.length)}.`));
    for (const decision of decisions.slice(0, MOST_DECISIONS)) {
      const { answer, from, to } = decision;
      lines.push(`  ${from} to ${to}  ${printable(answer)}`, `    ${reasonWords(decision)}`);
    }
    if (decisions.length > MOST_DECISIONS) lines.push(`  ${decisions.length - MOST_DECISIONS} more: --json lists them`);
  }
  return `${lines.join('\n')}\n`;
}

function factCount(n: number): string {
  if (n === 0) return 'No fact changes';
  return `${count(n, 'fact')} ${n === 1 ? 'changes' : 'change'}`;
}

function decisionCount(n: number): string {
  if (n === 0) return 'No decision changes';
  return `${count(n, 'decision')} ${n === 1 ? 'changes' : 'change'}`;
}

function words(fact: ShownFact, hidden: string): string {
  if ('missing' in fact) return `missing (${fact.missing})`;
  return 'value' in fact ? cutTo(printable(String(fact.value)), VALUE_WIDTH) : hidden;
}
