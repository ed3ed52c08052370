/** The facts that a mapping gives for one answer, or for many -> text or data. */

import { type Fact, isMissing, type MissingFact, shownValue } from '../facts/fact.ts';
import type { StatusGap } from '../facts/mapping/status-gaps.ts';
import type { Leaf, MappingTrial } from '../facts/mapping/try-mapping.ts';
import { printable } from '../text.ts';
import type { Style, Styler } from './outline.ts';
import { cutTo, factSections, tableLines } from './plain-text.ts';

/** Whether neither the mapping nor the service must be looked at. */
export function isSound({ gaps, facts }: MappingTrial): boolean {
  return gaps.length === 0 && ![...facts.values()].some(isWrong);
}

/** Whether a value is invalid, or a source failed. */
function isWrong(fact: Fact): boolean {
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
  if (gaps.length > 0) sections.push([style('bold', 'Sources'), ...gaps.map((gap) => gapLines(gap, style))]);
  if (unused.length > 0) sections.push([style('bold', 'Not used'), ...leafLines(unused, style)]);
  sections.push([summarise([...facts.values()], unused.length)]);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function gapLines({ code, message, hint }: StatusGap, style: Styler, where = ''): string {
  return `  ${style('yellow', `warning[${code}]:`)} ${printable(message)}${where}\n    hint: ${hint}`;
}

/** The trials of several answers, by the name of the answer. */
export type Trials = ReadonlyMap<string, MappingTrial>;

export function trialsAsData(trials: Trials): object {
  return { answers: [...trials].map(([answer, trial]) => ({ answer, ...trialAsData(trial) })) };
}

/** In how many answers each fact has a value, and why not in the others; the warnings, and what no signal reads. */
export function printTrials(trials: Trials, style: Styler): string {
  const [first] = trials.values();
  // All trials are of one mapping, and so of the same facts.
  const facts = [...(first?.facts.keys() ?? [])].map((path) => knownIn(path, trials));
  const gaps = inAnswers(trials, (trial) => trial.gaps.map((gap) => [gap.message, gap]));
  const unused = inAnswers(trials, (trial) => trial.unused.map(({ path }) => [anyEntry(path), anyEntry(path)]));
  const shareOf = (n: number) => `${n} of ${trials.size}`;
  const rows = facts.flatMap(({ path, known, missing }) => {
    const [cause = '', ...more] = missing.map((each) => {
      return style(styleOf(each.of), `${each.answers.length} ${each.of.missing}, ${exampleOf(each)}`);
    });
    return [[path, shareOf(known), cause] as const, ...more.map((other) => ['', '', other] as const)];
  });
  const sections = factSections(rows, style);
  if (gaps.length > 0) {
    const lines = gaps.map((each) => {
      return gapLines(each.of, style, style('dim', ` (${shareOf(each.answers.length)} answers, ${exampleOf(each)})`));
    });
    sections.push([style('bold', 'Sources'), ...lines]);
  }
  if (unused.length > 0) {
    const lines = unused.map(({ of, answers }) => [printable(of), style('dim', shareOf(answers.length))]);
    sections.push([style('bold', 'Not used'), ...tableLines(lines, Number.POSITIVE_INFINITY)]);
  }
  const always = facts.filter(({ known }) => known === trials.size).length;
  const never = facts.filter(({ known }) => known === 0).length;
  const counts = `${always} with a value in all, ${facts.length - always - never} in some, ${never} in none`;
  sections.push([`${facts.length} facts in ${trials.size} answers: ${counts}. Unused values: ${unused.length}.`]);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** In how many answers a fact has a value; and for each cause, the answers in which it is missing. */
function knownIn(path: string, trials: Trials) {
  const missing = inAnswers(trials, ({ facts }) => {
    const fact = facts.get(path);
    return fact && isMissing(fact) ? [[fact.missing, fact]] : [];
  });
  return { path, known: missing.reduce((left, { answers }) => left - answers.length, trials.size), missing };
}

/** What was found in some answers; never in none. */
interface InAnswers<One> {
  readonly of: One;
  readonly answers: string[];
}

function exampleOf({ answers: [first = ''] }: InAnswers<unknown>): string {
  return `such as ${printable(first)}`;
}

/** What trials have in common, by a key: the answers in which it is, the most frequent first. */
function inAnswers<One>(
  trials: Trials,
  find: (trial: MappingTrial) => readonly (readonly [key: string, of: One])[],
): readonly InAnswers<One>[] {
  const found = new Map<string, InAnswers<One>>();
  for (const [answer, trial] of trials) {
    for (const [key, of] of new Map(find(trial))) {
      const earlier = found.get(key) ?? { of, answers: [] };
      earlier.answers.push(answer);
      found.set(key, earlier);
    }
  }
  return [...found.values()].sort((one, other) => other.answers.length - one.answers.length);
}

/** A path with a star for each position in a list. */
function anyEntry(path: string): string {
  return path.replace(/\[\d+\]/g, '[*]');
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
