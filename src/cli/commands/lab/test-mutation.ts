/** The options of `verdict test` about mutants -> how many of them the tests kill, as text. */

import { type Command, Option, type OptionValues } from 'commander';
import type { PolicyMutation } from '../../../lab/mutate/mutate.ts';
import type { CaseInFile, TestReport } from '../../../lab/test/run-tests.ts';
import { count, toJson } from '../../../text.ts';
import { type Io, say, stylerFor, write } from '../../io.ts';
import { type NoOptions, type OptionsOf, readPercent } from '../../options/arguments.ts';
import { ownFileReader, writeOwnFile } from '../../options/own-file.ts';

export type MutationSettings = OptionsOf<typeof addMutation<[], NoOptions>> & { readonly steps: number };

/** Adds `--mutate` and what goes with it. */
export function addMutation<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .optionsGroup('Mutants:')
    .addOption(
      new Option('--mutate', 'change the policies by small mistakes, and show which no test notices').conflicts(
        'suggest',
      ),
    )
    .option('--thorough', 'find a killing case or a proof for all mutants that live, not only for the first 50')
    .option('--min-score <percent>', 'exit with 1 if fewer mutants of a policy are killed', readPercent)
    .option('--incremental <file>', 'write the cases and proofs that are found, and keep those of the file', keptFile)
    .optionsGroup('Options:');
}

/** Whether an option asks for mutants. */
export function isMutating({ mutate, thorough, minScore, incremental }: MutationSettings): boolean {
  return [mutate, thorough, minScore, incremental].some((value) => value !== undefined);
}

/** Mutates the policies of the tests; undefined if no option asks for it, or if a test failed. */
export async function runMutation(
  cases: readonly CaseInFile[],
  { results, failed }: TestReport,
  settings: MutationSettings,
  io: Io,
): Promise<readonly PolicyMutation[] | undefined> {
  const { thorough, steps, incremental } = settings;
  if (!isMutating(settings)) return undefined;
  if (failed > 0) {
    await say(io.stderr, 'verdict: no policy was mutated: only tests that pass can tell mutants apart\n');
    return undefined;
  }
  const { mutateCases } = await import('../../../lab/mutate/mutate.ts');
  const { counting } = await import('../../progress.ts');
  const earlier = incremental === undefined ? undefined : await readEarlier(incremental);
  return counting(io, 'mutant', (tell) =>
    mutateCases(cases, results, {
      ...{ steps, tell, earlier },
      ...(thorough ? { thorough } : {}),
    }),
  );
}

async function readEarlier(file: string) {
  const { readKept } = await import('../../input/earlier-mutation.ts');
  return readKept(file);
}

/** Writes the text, and what the next run keeps; gives whether every policy has the least score of all its mutants. */
export async function reportMutation(
  mutations: readonly PolicyMutation[],
  { settings: { minScore = 0, incremental }, format }: { readonly settings: MutationSettings; readonly format: string },
  io: Io,
): Promise<boolean> {
  const { printMutation } = await import('../../../report/mutation.ts');
  const { scoreOf } = await import('../../../lab/mutate/mutate.ts');
  // Other formats are for programs, which read standard output.
  const stream = format === 'pretty' ? io.stdout : io.stderr;
  if (format !== 'json') {
    const style = stylerFor(stream, io.env);
    await write(stream, mutations.map((each) => `\n${printMutation(each, style)}`).join(''));
  }
  if (incremental !== undefined) {
    const kept = Object.fromEntries(mutations.map((each) => [each.tested.policy.name, each.kept]));
    writeOwnFile(incremental, `${toJson({ kept }, 2)}\n`, 0o644);
  }
  const unrun = mutations.flatMap(({ results }) => results.filter(({ status }) => status === 'notRun')).length;
  if (minScore > 0 && unrun > 0) {
    await say(
      io.stderr,
      `verdict: ${count(unrun, 'mutant')} not run, so the score is not that of all: raise --steps\n`,
    );
    return false;
  }
  const short = mutations.filter(({ results }) => scoreOf(results) < minScore);
  const lines = short.map(({ tested: { policy }, results }) => {
    const { name, version } = policy;
    return `verdict: ${name} ${version}: ${scoreOf(results)} % of mutants killed; expected at least ${minScore} %\n`;
  });
  await say(io.stderr, lines.join(''));
  return short.length === 0;
}

/** The beginning of every file that this command writes. */
const START = '{\n  "kept": {';

const keptFile = ownFileReader({
  what: 'a file of --incremental',
  headBytes: START.length,
  isOwn: (head) => head === START,
});
