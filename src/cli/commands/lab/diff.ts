/** `verdict diff`: two versions of a policy -> whose decisions differ, proved. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { VerdictError } from '../../../errors.ts';
import type { PolicyDiff } from '../../../lab/diff/diff.ts';
import type { Flow, Impact } from '../../../lab/impact/impact.ts';
import type { Policy } from '../../../policy/language.ts';
import { OUTCOMES } from '../../../policy/language.ts';
import { addSet, loadPolicyFiles, type SetOption, versionOf } from '../../input/load-policy.ts';
import {
  CouldNotRunError,
  EXIT,
  type Finish,
  type Io,
  orCannotRun,
  say,
  stylerFor,
  write,
  writeJson,
} from '../../io.ts';
import { addFormat, numberReader, readDay, readPair, timeoutOption, today } from '../../options/arguments.ts';
import { addImpact, checkImpactOptions, countsApplicants, type ImpactOptions } from '../../options/impact.ts';
import { reportTampering } from '../../terminal/format-finding.ts';

interface Options extends SetOption, ImpactOptions {
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
    .addOption(timeoutOption())
    .addOption(new Option('--regions <n>', 'the most regions to look for').argParser(regions).default(20));
  command.addOption(
    new Option(
      '--fail-on <changes>',
      'exit with 1 for these changes alone, such as reject->accept,review->accept',
    ).argParser(readChanges),
  );
  addFormat(addSet(addImpact(command)), ['text', 'json', 'markdown']).action(
    async (old: string, now: string, options: Options) => {
      const { at = today(), set, setOld, setNew, mapping, failOn, format } = options;
      checkImpactOptions(options);
      const { diffAsData, diffAsMarkdown, isUndecided, printDiff } = await import('../../terminal/lab/print-diff.ts');
      const { measureImpact } = await import('./measure-impact.ts');
      const { impactAsData, impactAsMarkdown, printImpact } = await import('../../terminal/lab/print-impact.ts');
      const load = (policy: string, own: SetOption['set']) =>
        loadPolicyFiles({ ...versionOf(policy), mapping, set: { ...set, ...own } });
      const policies = await orCannotRun(async () => [await load(old, setOld), await load(now, setNew)] as const);
      const compared = await compare(policies, { ...options, at }, io);
      await reportTampering(io, finish, async () => {
        const impact = await measureImpact(policies, compared.regions, { ...options, at }, io);
        const found = impact ? withCounts(compared, impact) : compared;
        const style = stylerFor(io.stdout, io.env);
        if (format === 'json') {
          await writeJson(io.stdout, { ...diffAsData(found), ...(impact ? { impact: impactAsData(impact) } : {}) });
        } else if (format === 'markdown') {
          const counted = impact ? `\n${impactAsMarkdown(impact)}` : '';
          await write(io.stdout, diffAsMarkdown(found, at) + counted);
        } else {
          const counted = impact ? `\n${printImpact(impact, style)}` : '';
          await write(io.stdout, printDiff(found, { at, style }) + counted);
        }
        const isMeant = ({ from, to }: Pick<Flow, 'from' | 'to'>) =>
          from !== to && (failOn?.includes(`${from}->${to}`) ?? true);
        const isFound =
          found.regions.some((region) => region.example && isMeant(region)) ||
          impact?.flows.some((flow) => flow.applicants > 0 && isMeant(flow));
        const { unreadable = 0 } = impact?.unjudged ?? {};
        const code = isFound ? EXIT.found : isUndecided(found) ? EXIT.undecided : EXIT.done;
        finish(unreadable > 0 ? EXIT.couldNotRun : code);
      });
    },
  );
}

/** Compares policies. Real applicants can be counted without the solver: then nothing is proved. */
async function compare(
  [old, now]: readonly [Policy, Policy],
  options: Options & { readonly at: string },
  io: Io,
): Promise<PolicyDiff> {
  const { at, timeout, regions: mostRegions } = options;
  const { diffPolicies } = await import('../../../lab/diff/diff.ts');
  try {
    return await diffPolicies(old, now, { at, timeoutMs: timeout * 1000, mostRegions });
  } catch (error) {
    if (!VerdictError.is(error) || error.code !== 'CONFIGURATION_INVALID') throw error;
    if (!countsApplicants(options)) throw new CouldNotRunError(error.message);
    await say(io.stderr, `note: nothing is proved: ${error.message}\n`);
    const { describeEdits } = await import('../../../lab/edits/describe-edits.ts');
    return { edits: describeEdits(old, now), regions: [], elsewhere: 'notProved' };
  }
}

function withCounts({ regions, ...diff }: PolicyDiff, { inRegions }: Impact) {
  return { ...diff, regions: regions.map((region) => ({ ...region, applicants: inRegions.get(region) ?? 0 })) };
}

/** Changes as `reject->accept`, separated by commas. */
function readChanges(text: string): readonly string[] {
  const changes = text.split(',').map((change) => change.replace(/\s/g, ''));
  const known = OUTCOMES.flatMap((from) => OUTCOMES.flatMap((to) => (from === to ? [] : [`${from}->${to}`])));
  if (changes.every((change) => known.includes(change))) return changes;
  throw new InvalidArgumentError(`Expected changes, separated by commas, among ${known.join(', ')}.`);
}

const regions = numberReader(/^[1-9]\d{0,3}$/, () => true, 'a whole number, from 1');
