/** The facts that a mapping gives for an answer, and how two mappings differ on answers -> text or data. */

import { type Fact, isMissing, type MissingFact, shownValue } from '../facts/fact.ts';
import type { Leaf, MappingTrial } from '../facts/mapping/try-mapping.ts';
import type { MappingDiff, ShownFact } from '../lab/impact/compare-mappings.ts';
import { count, printable } from '../text.ts';
import { reasonWords } from './applicants/impact.ts';
import type { Style, Styler } from './outline.ts';
import { cutTo, factSections, tableLines } from './plain-text.ts';

/** Whether the mapping or the service must be looked at: a value is invalid, or a source failed. */
export function isWrong(fact: Fact): boolean {
  return isMissing(fact) && (fact.missing === 'invalid' || fact.missing === 'sourceFailed');
}

export function trialAsData({ facts, vouchers, gaps, unused }: MappingTrial): object {
  const shown = [...facts].map(([path, fact]) => {
    return [path, isMissing(fact) ? fact : { value: shownValue(fact), vouchers: vouchers.get(path) ?? [] }];
  });
  const warnings = gaps.map(({ code, facts: paths, message }) => ({ code, facts: paths, message }));
  return { facts: Object.fromEntries(shown), warnings, unused: unused.map(({ path }) => path) };
}

export function printTrial(trial: MappingTrial, style: Styler): string {
  const { facts, gaps, unused } = trial;
  const rows = [...facts].map(
    ([path, fact]) => [path, showFact(fact, style), showVouchers(path, trial, style)] as const,
  );
  const sections = factSections(rows, style);
  if (gaps.length > 0) {
    const lines = gaps.map(({ code, message, hint }) => {
      return `  ${style('yellow', `warning[${code}]:`)} ${printable(message)}\n    hint: ${hint}`;
    });
    sections.push([style('bold', 'Sources'), ...lines]);
  }
  if (unused.length > 0) sections.push([style('bold', 'Not used'), ...leafLines(unused, style)]);
  sections.push([summarise([...facts.values()], unused.length)]);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function showFact(fact: Fact, style: Styler): string {
  if (!isMissing(fact)) return shorten(String(shownValue(fact)));
  return style(styleOf(fact), shorten(`- ${fact.missing}${fact.raw === undefined ? '' : `: ${fact.raw}`}`));
}

/** Which sources vouch for a value, `answer` for the status of the whole answer; or that none does. */
function showVouchers(path: string, { facts, vouchers, gaps }: MappingTrial, style: Styler): string {
  const fact = facts.get(path);
  if (!fact || isMissing(fact)) return '';
  const isUnread = gaps.some((gap) => gap.code === 'unread-status' && gap.facts.includes(path));
  const names = vouchers.get(path) ?? [];
  if (isUnread) return style('yellow', 'status of its source not read');
  return names.length === 0 ? style('yellow', 'no source') : style('dim', printable(`source ${names.join(', ')}`));
}

/** Red for a problem, yellow for what may be one. */
function styleOf(fact: MissingFact): Style {
  if (isWrong(fact)) return 'red';
  return fact.missing === 'unmapped' ? 'yellow' : 'dim';
}

/** The values as JSON, since `62` and `"62"` are mapped differently. */
function leafLines(leaves: readonly Leaf[], style: Styler): readonly string[] {
  const rows = leaves.map(({ path, value }) => {
    const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
    return [printable(path), style('dim', shorten(text))];
  });
  return tableLines(rows, Number.POSITIVE_INFINITY);
}

/** The beginning of a longer value is enough to recognise it. */
const VALUE_WIDTH = 60;

function shorten(text: string): string {
  return cutTo(printable(text), VALUE_WIDTH);
}

/** `31 facts: 27 with a value, 4 notReturned. Unused values of the answer: 3.` */
function summarise(facts: readonly Fact[], unused: number): string {
  const counts = new Map<string, number>();
  for (const fact of facts) {
    const what = isMissing(fact) ? fact.missing : 'with a value';
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const parts = [...counts].map(([what, n]) => `${n} ${what}`);
  return `${facts.length} facts: ${parts.join(', ')}. Unused values of the answer: ${unused}.`;
}

/** The most ways in which one fact changes, and the most decisions, that people are shown. */
const MOST_CHANGES = 5;
const MOST_DECISIONS = 20;

const CHANGE_WIDTH = 40;

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
  return 'value' in fact ? cutTo(printable(String(fact.value)), CHANGE_WIDTH) : hidden;
}
