/** `verdict diff`: two versions of a policy -> whose decisions differ, proved. */

import { type Command, Option } from 'commander';
import { VerdictError } from '../../../errors.ts';
import { addSet, loadPolicyFiles, type SetOption } from '../../input/load-policy.ts';
import { CouldNotRunError, EXIT, type Finish, type Io, stylerFor, write, writeJson } from '../../io.ts';
import { addFormat, numberReader, readDay, readPair, today } from '../../options/arguments.ts';

interface Options extends SetOption {
  readonly at?: string;
  readonly setOld?: SetOption['set'];
  readonly setNew?: SetOption['set'];
  readonly mapping?: string;
  readonly timeout: number;
  readonly regions: number;
  readonly format: 'text' | 'json';
}

export function addDiff(program: Command, io: Io, finish: Finish): void {
  const command = program
    .command('diff <old> <new>')
    .description('show which applicants two versions of a policy decide differently; the rest is proved the same')
    .option('--at <day>', 'the day of the decisions (default: today, UTC)', readDay)
    .option('--set-old <name=value>', 'a value for a parameter of the old policy; repeatable', readPair)
    .option('--set-new <name=value>', 'a value for a parameter of the new policy; repeatable', readPair)
    .option('--mapping <file>', "the mapping with the policies' match results (default: the shipped one)")
    .addOption(
      new Option('--timeout <seconds>', 'say what is undecided after this time').argParser(seconds).default(60),
    )
    .addOption(new Option('--regions <n>', 'the most regions to look for').argParser(regions).default(20));
  addFormat(addSet(command), ['text', 'json']).action(async (old: string, now: string, options: Options) => {
    const { at = today(), set, setOld, setNew, mapping, timeout, format } = options;
    const { diffPolicies } = await import('../../../lab/diff/diff.ts');
    const { diffAsData, printDiff } = await import('../../terminal/lab/print-diff.ts');
    const load = (policy: string, own: SetOption['set']) =>
      loadPolicyFiles({ policy, mapping, set: { ...set, ...own } });
    const [before, after] = [await load(old, setOld), await load(now, setNew)];
    const found = await diffPolicies(before, after, {
      at,
      timeoutMs: timeout * 1000,
      mostRegions: options.regions,
    }).catch((error: unknown) => {
      const isMissing = VerdictError.is(error) && error.code === 'CONFIGURATION_INVALID';
      throw isMissing ? new CouldNotRunError(error.message) : error;
    });
    if (format === 'json') await writeJson(io.stdout, diffAsData(found));
    else await write(io.stdout, printDiff(found, { at, style: stylerFor(io.stdout, io.env) }));
    const isUndecided = found.elsewhere === 'undecided' || found.regions.some(({ example }) => !example);
    finish(isUndecided ? EXIT.undecided : found.regions.length > 0 ? EXIT.found : EXIT.done);
  });
}

const seconds = numberReader(/^[1-9]\d{0,4}$/, () => true, 'whole seconds, from 1');
const regions = numberReader(/^[1-9]\d{0,3}$/, () => true, 'a whole number, from 1');
