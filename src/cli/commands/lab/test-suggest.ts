/** `verdict test --suggest`: what no test reaches -> tests that reach it, printed or written into a file of tests. */

import { type Command, Option, type OptionValues } from 'commander';
import type { SuggestedCases } from '../../../lab/cases/suggest-cases.ts';
import type { CommentedTest } from '../../../lab/cases/test-yaml.ts';
import type { TestHead, TestReader } from '../../../lab/test/read-tests.ts';
import type { TestCoverage } from '../../../lab/test/run-tests.ts';
import { realPathOf } from '../../../platform/files/disk-file.ts';
import { count, printable } from '../../../text.ts';
import { type Io, UsageError, write } from '../../io.ts';
import { type NoOptions, type OptionsOf, requireWith, stepsOption } from '../../options/arguments.ts';
import { appendToFile, createFile, isNewFile } from './write-tests.ts';

export type SuggestSettings = OptionsOf<typeof addSuggest<[], NoOptions>>;

/** Adds `--suggest` and what goes with it. */
export function addSuggest<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .optionsGroup('Suggested tests:')
    .addOption(
      new Option('--suggest', 'print tests for what the tests do not reach, for a person to confirm').conflicts([
        ...['filter', 'watch', 'format', 'json', 'coverage', 'min', 'lcov'],
      ]),
    )
    .option('--write <file>', 'append the suggested tests to this file of tests, one of those that are run, or make it')
    .addOption(stepsOption())
    .optionsGroup('Options:');
}

/** Whether tests are suggested. */
export function isSuggesting(settings: SuggestSettings): boolean {
  requireWith(settings, ['write'], 'suggest');
  return settings.suggest === true;
}

/** Prints tests for what is not covered, or writes them. */
export async function suggest(
  reader: TestReader,
  coverage: TestCoverage,
  { steps, write: target }: SuggestSettings,
  io: Io,
): Promise<void> {
  const { suggestCases } = await import('../../../lab/cases/suggest-cases.ts');
  const { Steps } = await import('../../../lab/steps.ts');
  const { headOfNew, ofNewFile } = await import('../../../lab/cases/test-yaml.ts');
  const isNew = target !== undefined && (await isNewFile(target));
  const heads = await headsFor(reader.heads, isNew ? undefined : target);
  if (isNew) checkOfOneFile(heads);
  const written: CommentedTest[] = [];
  for (const { file, head: found } of heads) {
    const head = isNew ? ofNewFile(target, found, heads.length) : found;
    const limit = new Steps(steps);
    const cases = await suggestCases(head, coverage.gapsOf(head.tested), limit);
    const tests = await commented(cases, head);
    if (target === undefined)
      await write(io.stdout, await asText(file, tests, { ...cases, areShort: limit.wereShort }, head));
    else {
      if (!isNew) await appendToFile(target, tests, io);
      written.push(...tests);
      await write(io.stdout, `${(await summaryOf({ ...cases, areShort: limit.wereShort }, head)).join('\n')}\n`);
    }
  }
  if (!isNew) return;
  const named = heads.map(({ head }) => head);
  await createFile(target, headOfNew(target, named, written), written, io);
}

/** A new file of tests has the sets of facts of one file, and its day. */
function checkOfOneFile(heads: Heads): void {
  const files = new Set(heads.map(({ file }) => file));
  if (files.size > 1) {
    const named = printable([...files].join(', '));
    throw new UsageError(`--write: a new file takes the suggestions for one file of tests; found ${named}`);
  }
}

type Heads = readonly TestReader['heads'][number][];

/** The file of tests for each policy; the named one alone if it is to be written to. */
async function headsFor(heads: Heads, target: string | undefined): Promise<Heads> {
  if (target !== undefined) {
    const own = heads.filter(({ file }) => realPathOf(file) === realPathOf(target));
    if (own.length === 0)
      throw new UsageError('--write: expected one of the files of tests that are run, or a new one');
    return own;
  }
  const { headOfEach } = await import('../../../lab/cases/suggest-tests.ts');
  return headOfEach(heads);
}

/** More goals of a test are counted in its comment. */
const MOST_WORDS = 2;
/** What is said of goals that are open because the steps were too few. */
const TOO_FEW = 'Neither a case nor a proof was found in these steps; --steps gives more:';
/** More goals that are not reached are counted. */
const MOST_LEFT = 40;

async function commented(found: SuggestedCases, head: TestHead): Promise<readonly CommentedTest[]> {
  const { shortList, suggestedTests } = await import('../../../lab/cases/suggest-tests.ts');
  return suggestedTests(found, head).map(({ test, reaches }) => ({
    test,
    comment: printable(shortList(reaches, MOST_WORDS, 'goal')),
  }));
}

/** What was found, and whether the steps were too few. */
type Searched = SuggestedCases & { readonly areShort: boolean };

/** YAML that can be pasted below `tests`; what is to be said of it are comments. */
async function asText(file: string, tests: readonly CommentedTest[], found: Searched, head: TestHead): Promise<string> {
  const { commentedLines } = await import('../../../lab/cases/test-yaml.ts');
  const lines = commentedLines(tests).map((line) => (line === '' ? line : `  ${line}`));
  const notes = [printable(file), ...(await summaryOf(found, head))].map((line) => `# ${line}`);
  return `${[...notes, ...lines].join('\n')}\n`;
}

/** What the tests reach together with those before, and what is left. */
async function summaryOf(
  { gaps, chosen, unreachable, withheld, open, unproved, areShort }: Searched,
  { tested }: TestHead,
): Promise<readonly string[]> {
  const { goalWords } = await import('../../../lab/cases/suggest-tests.ts');
  const { name, version } = tested.policy;
  const left = (heading: string, of: typeof gaps) => [
    ...(of.length > 0 ? [heading] : []),
    ...of.slice(0, MOST_LEFT).map((gap) => printable(`  ${goalWords(gap)}`)),
    ...(of.length > MOST_LEFT ? [`  and ${of.length - MOST_LEFT} more`] : []),
  ];
  const reached = gaps.length - unreachable.length - withheld.length - open.length;
  const policy = printable(`${name} ${version}`);
  const goals = `${reached} of the ${count(gaps.length, 'goal')} not reached yet`;
  return [
    gaps.length === 0
      ? `${policy}: the tests reach all goals`
      : `${policy}: ${count(chosen.length, 'case')} for ${goals}`,
    ...(chosen.length > 0 ? ['They expect what is decided today. Confirm each of them.'] : []),
    ...left('Nobody can reach on the day of the tests, proved:', unreachable),
    ...left('A value of a personal fact that the policy names is not suggested. Write these tests yourself:', withheld),
    ...left(areShort ? TOO_FEW : 'No case was found for:', open),
    ...(open.length > 0 && unproved !== undefined ? [unproved] : []),
  ];
}
