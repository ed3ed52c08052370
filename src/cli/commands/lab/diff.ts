/** `verdict diff`: two versions of a policy -> whose decisions differ, proved. */

import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { VerdictError } from '../../../errors.ts';
import type { OutcomeChange } from '../../../lab/backtest/applicants.ts';
import type { OpenDiff } from '../../../lab/diff/diff.ts';
import type { SeenChanges } from '../../../lab/diff/seen-changes.ts';
import { type Condition, OUTCOMES, type Policy } from '../../../policy/language.ts';
import type { ShownBacktest } from '../../../report/applicants/backtest.ts';
import { DIFF_FORMATS, namesOf } from '../../../report/formats/formats.ts';
import { printable } from '../../../text.ts';
import { reportTampering } from '../../findings.ts';
import { addSet, loadPolicyAndCondition, loadPolicyFiles, versionOf } from '../../input/load-policy.ts';
import { EXIT, type Io, orCannotRun, say, UsageError } from '../../io.ts';
import {
  addFormat,
  EXIT_GROUP,
  LIMITS_GROUP,
  numberReader,
  type OptionsOf,
  readDay,
  readPair,
  stepsOption,
  today,
} from '../../options/arguments.ts';
import { addHtml } from '../../options/html.ts';
import { addImpact, checkImpactOptions, type ImpactOptions, isTooMuch } from '../../options/impact.ts';
import { endWith } from '../../result.ts';

export function addDiff(program: Command, io: Io): void {
  withOptions(program.command('diff <old> <new>')).action(async (old, now, options) => {
    const { set, setOld, setNew, mapping, failOn, where, maxChanged } = options;
    checkImpactOptions(options);
    checkVersions(old, now);
    if (where?.trim() === '')
      throw new UsageError('--where is empty; expected a condition, such as "phone.country: GB"');
    const { CHANGES } = await import('../../../lab/diff/parts.ts');
    const { isChangeUndecided, isUndecided } = await import('../../../report/diff.ts');
    const { placedIn } = await import('../../../lab/impact/impact.ts');
    const filesOf = (policy: string, own: typeof set) => ({
      ...versionOf(policy),
      mapping,
      set: { ...set, ...own },
    });
    const [before, after, condition] = await orCannotRun(async () => {
      const files = filesOf(now, setNew);
      const before = await loadPolicyFiles(filesOf(old, setOld));
      if (where === undefined) return [before, await loadPolicyFiles(files), undefined] as const;
      const read = await loadPolicyAndCondition(files, '--where', where);
      return [before, read.policy, read.condition] as const;
    });
    const { at = today(after.timeZone) } = options;
    const comparison = await open([before, after], condition, { ...options, at }, io);
    await reportTampering(io, async () => {
      const { asIfInForce: inForceOn, log, facts } = options;
      const isCounting = (log ?? facts) !== undefined;
      const seen = isCounting ? comparison.see?.(inForceOn) : undefined;
      const counted = isCounting ? await countChanges([before, after], seen, { ...options, at }, io) : undefined;
      const found = await comparison.find(seen);
      const impact = counted && {
        ...counted,
        placing: placedIn(found.regions, counted.backtest, { at, inForceOn, seen }),
      };
      const shown = { diff: found, impact, policies: [before, after], at } as const;
      const isMeant = ({ from, to }: OutcomeChange) => from !== to && (failOn?.includes(`${from}->${to}`) ?? true);
      const tooMuch = maxChanged && impact ? isTooMuch(maxChanged, impact.backtest) : false;
      const isAnyChange = failOn !== undefined || maxChanged === undefined;
      const isChangeFound =
        found.regions.some((region) => region.example && isMeant(region)) ||
        impact?.backtest.flows?.some((flow) => flow.applicants > 0 && isMeant(flow));
      const { unreadable = 0 } = impact?.backtest.undecided ?? {};
      const couldNotRun = unreadable > 0 || (found.elsewhere === 'notProved' && !impact);
      const isFound = tooMuch || (isAnyChange && isChangeFound);
      const isOpenChange = failOn
        ? CHANGES.some((change) => isMeant(change) && isChangeUndecided(found, change))
        : isUndecided(found);
      const isOpen = tooMuch === undefined || (isAnyChange && isOpenChange);
      const code = isFound ? EXIT.found : isOpen ? EXIT.undecided : EXIT.done;
      await endWith(io, options, {
        text: (style) => DIFF_FORMATS[options.format](shown, style),
        page: async () => (await import('../../../report/html/diff-page.ts')).diffPage(shown),
        exitCode: couldNotRun ? EXIT.couldNotRun : code,
      });
    });
  });
}

type Options = OptionsOf<typeof withOptions>;

function withOptions(diff: Command<[string, string]>) {
  const command = diff
    .description(
      'show which applicants two versions of a policy decide differently; the rest is proved the same. ' +
        'A version is a file, or a git revision and a file: main:rules/onboarding.yaml',
    )
    .option('--at <day>', 'the first day of the decisions (default: today)', readDay)
    .option('--on-day', 'compare that day alone, and not the later days on which something begins or ends')
    .option('--set-old <name=value>', 'a value for a parameter of the old policy; repeatable', readPair)
    .option('--set-new <name=value>', 'a value for a parameter of the new policy; repeatable', readPair)
    .option('--mapping <file>', "the mapping with the policies' match results (default: the shipped one)")
    .addOption(
      new Option(
        '--where <condition>',
        'compare only applicants for whom this is true, such as "phone.country: GB", or a condition of the new policy',
      ).conflicts(['log', 'facts']),
    )
    .addOption(stepsOption())
    .addOption(
      new Option('--regions <n>', 'the most regions to look for')
        .argParser(regions)
        .default(20)
        .helpGroup(LIMITS_GROUP),
    )
    .addOption(
      new Option('--fail-on <changes>', 'exit with 1 for these changes alone, such as "reject->accept,review->accept"')
        .argParser(readChanges)
        .helpGroup(EXIT_GROUP),
    );
  return addFormat(addHtml(addSet(addImpact(command))), namesOf(DIFF_FORMATS));
}

/** A backtest of the applicants of the options. `seen` counts those whose outcome changes by their states. */
async function countChanges(
  policies: readonly [old: Policy, now: Policy],
  seen: SeenChanges | undefined,
  options: ImpactOptions & { readonly at: string },
  io: Io,
): Promise<ShownBacktest> {
  const { facts, by, asIfInForce: inForceOn } = options;
  const { countAll } = await import('./backtest/count-backtest.ts');
  const { joinFacts } = await import('../../../lab/backtest/joint-facts.ts');
  const { countEdits } = await import('../../../lab/impact/edit-effects.ts');
  const { asInForce } = await import('../../../lab/space/calendar.ts');
  const inForce = (policy: Policy) => (inForceOn === undefined ? policy : asInForce(policy, inForceOn));
  const counted = [inForce(policies[0]), inForce(policies[1])] as const;
  const edits = countEdits(policies, { inForce });
  const compared = { policies: counted, joint: edits?.joint ?? joinFacts(...counted), compares: true, edits };
  const onChanged = seen && ((...changed: Parameters<typeof seen.add>) => seen.add(...changed));
  const asked = { ...options, facts: facts === undefined ? [] : [facts], by: by === undefined ? [] : [by] };
  const shape = { is: 'plain', comparison: { ...compared, onChanged } } as const;
  const [result] = await countAll({ shape, then: { is: options.log === undefined ? 'column' : 'log' } }, asked, io);
  return { ...result, titles: ['before', 'after'] };
}

/** Throws a usage error for a revision without a file. */
function checkVersions(...versions: readonly string[]): void {
  const isFile = (text: string) => /\.ya?ml$/.test(text);
  const bare = versions.find((text) => !isFile(text) && versionOf(text).revision === undefined && !existsSync(text));
  if (bare === undefined) return;
  const { policy } = versionOf(versions.find(isFile) ?? 'rules/onboarding.yaml');
  throw new UsageError(`there is no file ${bare}; for a git revision, write the file too: ${bare}:${policy}`);
}

/** Opens a comparison. Without the solver there are the edits, and applicants can be counted; nothing is proved. */
async function open(
  [old, now]: readonly [Policy, Policy],
  where: Condition | undefined,
  options: Options & { readonly at: string },
  io: Io,
): Promise<Pick<OpenDiff, 'find'> & Partial<OpenDiff>> {
  const { at, onDay, steps, regions: mostRegions } = options;
  const { openDiff } = await import('../../../lab/diff/diff.ts');
  try {
    return await openDiff(old, now, { at, onDay, steps, mostRegions, where });
  } catch (error) {
    if (!VerdictError.is(error)) throw error;
    const { describeEdits } = await import('../../../lab/diff/edits/describe-edits.ts');
    if (error.code === 'REQUEST_INVALID') {
      const ofFacts = describeEdits(old, now).filter(({ path: [kind] }) => kind === 'facts');
      await say(io.stderr, ofFacts.map(({ text }) => `note: ${printable(text)}\n`).join(''));
    }
    if (error.code !== 'CONFIGURATION_INVALID') throw error;
    await say(io.stderr, `note: nothing is proved: ${error.message}\n`);
    const edits = describeEdits(old, now);
    return { find: async () => ({ days: [at], lastDay: at, edits, regions: [], elsewhere: 'notProved' }) };
  }
}

/** Changes as `reject->accept`, separated by commas. */
function readChanges(text: string): readonly string[] {
  const changes = text.split(',').map((change) => change.replace(/\s/g, ''));
  const known = OUTCOMES.flatMap((from) => OUTCOMES.flatMap((to) => (from === to ? [] : [`${from}->${to}`])));
  if (changes.every((change) => known.includes(change))) return changes;
  // Of reject->accept, a shell writes the output to the file `accept`.
  if (changes.some((change) => change.endsWith('-'))) {
    throw new InvalidArgumentError('Expected changes in quotes: "reject->accept,review->accept".');
  }
  throw new InvalidArgumentError(`Expected changes, separated by commas, among ${known.join(', ')}.`);
}

const regions = numberReader(/^[1-9]\d{0,3}$/, () => true, 'a whole number, from 1');
