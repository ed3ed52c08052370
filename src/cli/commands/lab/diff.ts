/** `verdict diff`: two versions of a policy -> whose decisions differ, proved. */

import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { DiffRegion } from '../../../lab/diff/region.ts';
import { OUTCOMES } from '../../../policy/language.ts';
import { addSet, loadPolicyFiles, type SetOption } from '../../input/load-policy.ts';
import { EXIT, type Finish, type Io, orCannotRun, stylerFor, write, writeJson } from '../../io.ts';
import { addFormat, numberReader, readDay, readPair, today } from '../../options/arguments.ts';

interface Options extends SetOption {
  readonly at?: string;
  readonly setOld?: SetOption['set'];
  readonly setNew?: SetOption['set'];
  readonly mapping?: string;
  readonly timeout: number;
  readonly regions: number;
  readonly failOn?: readonly string[];
  readonly format: 'text' | 'json' | 'markdown';
}

export function addDiff(program: Command, io: Io, finish: Finish): void {
  const command = program
    .command('diff <old> <new>')
    .description(
      'show which applicants two versions of a policy decide differently; the rest is proved the same. ' +
        'A version is a file, or a git revision and a file: main:rules/onboarding.yaml',
    )
    .option('--at <day>', 'the day of the decisions (default: today, UTC)', readDay)
    .option('--set-old <name=value>', 'a value for a parameter of the old policy; repeatable', readPair)
    .option('--set-new <name=value>', 'a value for a parameter of the new policy; repeatable', readPair)
    .option('--mapping <file>', "the mapping with the policies' match results (default: the shipped one)")
    .addOption(
      new Option('--timeout <seconds>', 'say what is undecided after this time').argParser(seconds).default(60),
    )
    .addOption(new Option('--regions <n>', 'the most regions to look for').argParser(regions).default(20));
  command.addOption(
    new Option(
      '--fail-on <changes>',
      'exit with 1 for these changes alone, such as reject->accept,review->accept',
    ).argParser(readChanges),
  );
  addFormat(addSet(command), ['text', 'json', 'markdown']).action(
    async (old: string, now: string, options: Options) => {
      const { at = today(), set, setOld, setNew, mapping, timeout, failOn, format } = options;
      const { diffPolicies } = await import('../../../lab/diff/diff.ts');
      const { diffAsData, diffAsMarkdown, isUndecided, printDiff } = await import('../../terminal/lab/print-diff.ts');
      const load = (policy: string, own: SetOption['set']) =>
        loadPolicyFiles({ ...placeOf(policy), mapping, set: { ...set, ...own } });
      const found = await orCannotRun(async () => {
        const [before, after] = [await load(old, setOld), await load(now, setNew)];
        return diffPolicies(before, after, { at, timeoutMs: timeout * 1000, mostRegions: options.regions });
      });
      if (format === 'json') await writeJson(io.stdout, diffAsData(found));
      else if (format === 'markdown') await write(io.stdout, diffAsMarkdown(found, at));
      else await write(io.stdout, printDiff(found, { at, style: stylerFor(io.stdout, io.env) }));
      const isMeant = ({ from, to, example }: DiffRegion) => example && (failOn?.includes(`${from}->${to}`) ?? true);
      const isFound = found.regions.some(isMeant);
      finish(isFound ? EXIT.found : isUndecided(found) ? EXIT.undecided : EXIT.done);
    },
  );
}

/** Changes as `reject->accept`, separated by commas. */
function readChanges(text: string): readonly string[] {
  const changes = text.split(',').map((change) => change.replace(/\s/g, ''));
  const known = OUTCOMES.flatMap((from) => OUTCOMES.flatMap((to) => (from === to ? [] : [`${from}->${to}`])));
  if (changes.every((change) => known.includes(change))) return changes;
  throw new InvalidArgumentError(`Expected changes, separated by commas, among ${known.join(', ')}.`);
}

/** A file, or `main:rules/onboarding.yaml`: the file as it was in a git revision. A file of that name comes first. */
function placeOf(text: string): { readonly policy: string; readonly revision?: string } {
  const [, revision, policy] = /^([^:]{2,}):(.+)$/s.exec(text) ?? [];
  if (revision === undefined || policy === undefined || existsSync(text)) return { policy: text };
  return { policy, revision };
}

const seconds = numberReader(/^[1-9]\d{0,4}$/, () => true, 'whole seconds, from 1');
const regions = numberReader(/^[1-9]\d{0,3}$/, () => true, 'a whole number, from 1');
