/** The options of `verdict test` about coverage -> what the tests cover, as text and tracefile. */

import type { Command, OptionValues } from 'commander';
import type { Coverage } from '../../../lab/test/coverage/coverage.ts';
import type { CoveredPolicy, TestCoverage } from '../../../lab/test/run-tests.ts';
import { type Io, say, stylerFor, write } from '../../io.ts';
import { type NoOptions, type OptionsOf, readPercent } from '../../options/arguments.ts';
import { ownFileReader, writeOwnFile } from '../../options/own-file.ts';

export type CoverageSettings = OptionsOf<typeof addCoverage<[], NoOptions>>;

/** Adds `--coverage` and what goes with it. */
export function addCoverage<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .optionsGroup('Coverage:')
    .option('--coverage', 'show what the tests reach of the policies, and what they do not')
    .option('--min <percent>', 'exit with 1 if a policy has a smaller share of goals', readPercent)
    .option('--changed-since <revision>', 'count only what an edit since a git revision touched')
    .option('--lcov <file>', 'write an LCOV tracefile, for editors and genhtml', tracefile)
    .optionsGroup('Options:');
}

/** Counts nothing yet; undefined if no option asks for coverage, and nothing else needs it. */
export async function createCoverage(
  { coverage, min, changedSince, lcov }: CoverageSettings,
  isNeeded: boolean,
): Promise<TestCoverage | undefined> {
  const isAsked = [coverage, min, changedSince, lcov].some((value) => value !== undefined);
  if (!isAsked && !isNeeded) return undefined;
  const { TestCoverage, inRevision } = await import('../../../lab/test/run-tests.ts');
  return new TestCoverage(changedSince === undefined ? undefined : inRevision(changedSince));
}

/** Writes the tracefile and the text; gives whether every policy has the least share. */
export async function reportCoverage(
  covered: readonly CoveredPolicy[],
  { settings: { min = 0, lcov }, format }: { readonly settings: CoverageSettings; readonly format: string },
  io: Io,
): Promise<boolean> {
  const { coverageText } = await import('../../../report/coverage.ts');
  const { textOf } = await import('../../../report/plain-text.ts');
  const { shareOf } = await import('../../../lab/test/coverage/coverage.ts');
  const coverages = covered.map(({ coverage }) => coverage);
  // Other formats are for programs, which read standard output.
  const stream = format === 'pretty' ? io.stdout : io.stderr;
  if (format !== 'json') {
    const style = stylerFor(stream, io.env);
    await write(stream, coverages.map((coverage) => `\n${textOf(coverageText(coverage), style)}`).join(''));
  }
  if (lcov !== undefined) await writeTracefile(lcov, coverages);
  const short = coverages.filter(({ reached, goals }) => reached * 100 < min * goals);
  const lines = short.map((coverage) => {
    const { name, version } = coverage.policy;
    return `verdict: ${name} ${version}: ${shareOf(coverage)} % covered; expected at least ${min} %\n`;
  });
  await say(io.stderr, lines.join(''));
  return short.length === 0;
}

async function writeTracefile(file: string, coverages: readonly Coverage[]): Promise<void> {
  const { lcov } = await import('../../../report/formats/lcov.ts');
  writeOwnFile(file, lcov(coverages), 0o644);
}

/** The beginning of every tracefile. */
const TRACEFILE = 'TN:';

const tracefile = ownFileReader({
  what: 'a tracefile',
  headBytes: TRACEFILE.length,
  isOwn: (head) => head === TRACEFILE,
});
