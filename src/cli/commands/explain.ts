/** `verdict explain`: a policy and the facts of one applicant -> why, why not, and what would change the outcome. */

import type { Command } from 'commander';
import type { Explanation } from '../../decision/explain/explanation.ts';
import type { FactsLine } from '../../facts/facts-line.ts';
import { readLines } from '../../platform/files/text-lines.ts';
import { parseJson } from '../../platform/json.ts';
import { isActive, type Policy } from '../../policy/language.ts';
import { findMeant, proposeWords } from '../../text.ts';
import { addSet, loadPolicyFiles } from '../input/load-policy.ts';
import { nameOfInput, openInput } from '../input/open-input.ts';
import { CouldNotRunError, type Io, UsageError } from '../io.ts';
import { addExplained, addJson, numberReader, type OptionsOf, readDay, today } from '../options/arguments.ts';
import { addHtml } from '../options/html.ts';
import { endWith } from '../result.ts';

export function addExplain(program: Command, io: Io): void {
  withOptions(program.command('explain <policy>')).action((policy, options) => explainFile(policy, options, io));
}

type Options = OptionsOf<typeof withOptions>;

function withOptions(explain: Command<[string]>) {
  const command = explain
    .description('show why given facts lead to their outcome, and what would change it')
    .requiredOption('--facts <file>', 'the facts of one applicant, as for `evaluate`; - for standard input')
    .option('--line <n>', 'the line to explain, if the file has several', readLineNumber)
    .option('--mapping <file>', "the mapping with the policy's match results (default: the shipped one)")
    .option('--at <day>', 'the day of the decision, if the line has no "at" (default: today)', readDay)
    .option('--rule <id>', 'only this rule: what it did, and what stopped it');
  return addJson(addHtml(addExplained(addSet(command))));
}

const readLineNumber = numberReader(/^[1-9]\d{0,8}$/, () => true, 'a line number, from 1');

async function explainFile(file: string, options: Options, io: Io): Promise<void> {
  const { target, rule, all } = options;
  const { explain } = await import('../../decision/explain/explain.ts');
  const policy = await loadPolicyFiles({ ...options, policy: file });
  const { facts, at } = await readApplicant(options, policy, io);
  if (rule !== undefined) checkRule(rule, policy, at);
  const { loadMapping } = await import('../../facts/mapping/mapping.ts');
  const explanation = await explain(policy, facts, at, {
    to: target,
    mapping: loadMapping(options.mapping),
  });
  const explained = { decision: explanation, explanation, policy, facts, day: at };
  const { printExplanation, printRules } = await import('../../report/explanation.ts');
  const picked = rule === undefined ? undefined : pickRule(explanation, rule);
  await endWith(io, options, {
    data: () => picked ?? explanation,
    text: (style) => {
      if (!picked) return printExplanation(explained, { style, all });
      const { decidedBy: _, retry: __, ...whole } = explanation;
      const ofRule = { ...whole, ...picked };
      return printRules({ ...explained, decision: ofRule, explanation: ofRule }, style);
    },
    page: async () => (await import('../../report/html/decision-page.ts')).decisionPage(explained),
  });
}

function checkRule(id: string, { rules }: Policy, day: string): void {
  const rule = rules.find((each) => each.id === id);
  if (!rule) {
    const ids = rules.map((each) => each.id);
    const rows = ids.filter((each) => each.startsWith(`${id}/`));
    const meant = rows.length > 0 ? proposeWords(rows) : findMeant(id, ids);
    throw new UsageError(`--rule: the policy has no rule with that id${meant === undefined ? '' : `; ${meant.hint}`}`);
  }
  if (!isActive(rule, day)) throw new UsageError(`--rule: ${id} is not active on ${day}`);
}

/** The parts of an explanation that are about one rule. */
function pickRule({ reasons, undetermined, notFired, shadow }: Explanation, id: string) {
  const isAboutIt = (each: object) => 'rule' in each && each.rule === id;
  return {
    reasons: reasons.filter(isAboutIt),
    undetermined: undetermined.filter(isAboutIt),
    notFired: notFired.filter(isAboutIt),
    shadow: shadow.filter(isAboutIt),
  };
}

/** The applicant of a file: its only line, the line that is asked for, or one JSON object over several lines. */
async function readApplicant(
  { facts: file, line: wanted, at }: Options,
  { facts: table, timeZone }: Policy,
  io: Io,
): Promise<FactsLine> {
  const { readFactsLine } = await import('../../facts/facts-line.ts');
  const name = nameOfInput(file);
  const texts: { readonly number: number; readonly text: string }[] = [];
  for await (const line of readLines(openInput(file, io))) {
    if (wanted !== undefined && line.number !== wanted) continue;
    if ('problem' in line) throw new CouldNotRunError(`${name}, line ${line.number}: ${line.problem}`);
    texts.push(line);
    if (wanted !== undefined || texts.length > MOST_LINES) break;
  }
  const [first] = texts;
  if (!first)
    throw new CouldNotRunError(wanted === undefined ? `${name} is empty` : `${name} has no facts in line ${wanted}`);
  const whole = texts.map(({ text }) => text).join('\n');
  if (texts.length > 1 && !isJson(whole)) {
    throw new UsageError(`${name} has several applicants: choose one with --line`);
  }
  const read = readFactsLine(whole, table, at ?? today(timeZone), [], timeZone);
  if ('problem' in read) throw new CouldNotRunError(`${name}, line ${first.number}: ${read.problem}`);
  return read;
}

/** One applicant in formatted JSON has fewer lines. */
const MOST_LINES = 10_000;

/** Whether a text is one JSON value, maybe with a duplicate name. */
function isJson(text: string): boolean {
  const parsed = parseJson(text);
  return parsed.problem === undefined || parsed.line !== undefined;
}
