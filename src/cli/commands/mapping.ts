/** `verdict mapping`: captured answers of the service -> the facts that a mapping gives, or a first mapping. */

import type { Command } from 'commander';
import { type Fact, isMissing, type MissingFact, shownValue } from '../../facts/fact.ts';
import type { Leaf, MappingTrial } from '../../facts/mapping/try-mapping.ts';
import type { Style, Styler } from '../../report/words/style.ts';
import { printable } from '../../text.ts';
import { EXIT, type Finish, type Io, stylerFor, write } from '../io.ts';
import { addFormat, readDay, today } from '../options/arguments.ts';
import { factSections, tableLines } from '../terminal/table.ts';
import { cutTo } from '../terminal/width.ts';
import { addCapture } from './capture.ts';

interface TryOptions {
  readonly mapping?: string;
  readonly at?: string;
  readonly composite?: boolean;
  readonly format: 'text' | 'json';
}

export function addMapping(program: Command, io: Io, finish: Finish): void {
  const group = program.command('mapping').description('capture an answer, propose a mapping for it, try the mapping');
  addCapture(group, io);
  addSuggest(group, io);
  addTry(group, io, finish);
}

function addTry(group: Command, io: Io, finish: Finish): void {
  const command = group
    .command('try')
    .description('show the facts that an answer gives, and its unused values')
    .argument('<answer>', 'a file with the JSON body of an answer; - for standard input')
    .option('--mapping <file>', 'the mapping (default: the shipped rules/signals.yaml)')
    .option('--at <day>', 'the day of the decision, yyyy-MM-dd (default: today, UTC)', readDay)
    .option('--composite', 'another service was asked (default: if the answer shows one)');
  addFormat(command, ['text', 'json']).action(async (file: string, options: TryOptions) => {
    const { mapping: mappingFile, at: day = today(), composite, format } = options;
    const { loadMapping } = await import('../../facts/mapping/mapping.ts');
    const { tryMapping } = await import('../../facts/mapping/try-mapping.ts');
    const { readAnswer } = await import('../input/read-answer.ts');
    const mapping = loadMapping(mappingFile);
    const answer = await readAnswer(file, io);
    const trial = tryMapping(answer, mapping, { day, ...(composite ? { composite } : {}) });
    await write(io.stdout, format === 'json' ? asJson(trial) : asTable(trial, stylerFor(io.stdout, io.env)));
    finish([...trial.facts.values()].some(isWrong) ? EXIT.found : EXIT.done);
  });
}

function addSuggest(group: Command, io: Io): void {
  group
    .command('suggest')
    .description('propose a mapping, and say how certain each line is')
    .argument('<answers...>', 'files with the JSON bodies of answers; more answers give more certainty')
    .action(async (files: readonly string[]) => {
      const { suggestMapping } = await import('../../suggest/suggest.ts');
      const { readAnswer } = await import('../input/read-answer.ts');
      const answers: unknown[] = [];
      for (const file of files) answers.push(await readAnswer(file, io));
      await write(io.stdout, suggestMapping(answers));
    });
}

/** Whether the mapping or the service must be looked at: a value is invalid, or a source failed. */
function isWrong(fact: Fact): boolean {
  return isMissing(fact) && (fact.missing === 'invalid' || fact.missing === 'sourceFailed');
}

function asJson({ facts, unused }: MappingTrial): string {
  const shown = [...facts].map(([path, fact]) => [path, isMissing(fact) ? fact : { value: shownValue(fact) }]);
  const trial = { facts: Object.fromEntries(shown), unused: unused.map(({ path }) => path) };
  return `${JSON.stringify(trial, null, 2)}\n`;
}

function asTable({ facts, unused }: MappingTrial, style: Styler): string {
  const rows = [...facts].map(([path, fact]) => [path, showFact(fact, style)] as const);
  const sections = factSections(rows, style);
  if (unused.length > 0) sections.push([style('bold', 'Not used'), ...leafLines(unused, style)]);
  sections.push([summarise([...facts.values()], unused.length)]);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function showFact(fact: Fact, style: Styler): string {
  if (!isMissing(fact)) return shorten(String(shownValue(fact)));
  return style(styleOf(fact), shorten(`- ${fact.missing}${fact.raw === undefined ? '' : `: ${fact.raw}`}`));
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
