/** `verdict drift`: a policy, applicants of then and applicants of now -> what changed. */

import { type Command, Option } from 'commander';
import type { Policy } from '../../../policy/language.ts';
import type { ShownDrift } from '../../../report/applicants/drift.ts';
import { reportTampering } from '../../findings.ts';
import { ColumnNotes } from '../../input/column-notes.ts';
import { sayCounted } from '../../input/count-velocities.ts';
import { filesOf } from '../../input/files-of.ts';
import { addPolicyFiles, loadPolicyFiles } from '../../input/load-policy.ts';
import { EXIT, type Io, orCannotRun, UsageError } from '../../io.ts';
import { addJson, type OptionsOf, readDay, readMany, requireWith, today } from '../../options/arguments.ts';
import { addTimes, checkDays } from '../../options/filters.ts';
import { addKeys } from '../../options/log-place.ts';
import { endWith } from '../../result.ts';

export function addDrift(program: Command, io: Io): void {
  withOptions(program.command('drift')).action(async (options) => {
    if (options.facts === undefined && options.log === undefined)
      throw new UsageError('expected either --facts or --log');
    if (options.log === undefined) checkDays(options);
    requireWith(options, ['keys'], 'log');
    await reportTampering(io, async () => {
      const policy = await orCannotRun(() => loadPolicyFiles(options));
      const shown = await measure(policy, options, io);
      const { driftAsData, driftText } = await import('../../../report/applicants/drift.ts');
      const { textOf } = await import('../../../report/plain-text.ts');
      const isWhole = [shown.drift.baseline, shown.drift.now].every(
        (each) => each.decided > 0 && each.undecided.unreadable === 0,
      );
      await endWith(io, options, {
        data: () => driftAsData(shown),
        text: (style) => textOf(driftText(shown), style),
        exitCode: isWhole ? EXIT.done : EXIT.couldNotRun,
      });
    });
  });
}

type Options = OptionsOf<typeof withOptions>;

function withOptions(drift: Command) {
  const command = addPolicyFiles(drift)
    .description('show whether the applicants have changed since the policy was calibrated')
    .optionsGroup('Applicants:')
    .requiredOption(
      '--baseline <file...>',
      'those of then, files or patterns: lines of JSON as for evaluate, .csv or .parquet; repeatable',
      readMany,
    )
    .option('--facts <file...>', 'those of now: files or patterns of the same forms; repeatable', readMany)
    .addOption(
      new Option('--log <log>', 'those of now: the decisions of this audit log, each as of its own day').conflicts(
        'facts',
      ),
    )
    .option('--columns <file>', 'a YAML file that names the columns of facts outside the convention')
    .option('--at <day>', 'the day of rows without one (default: today)', readDay);
  return addJson(addTimes(addKeys(command)).optionsGroup('Options:'));
}

/** The days of `--from` and `--to` are those of now. */
async function measure(policy: Policy, options: Options, io: Io): Promise<ShownDrift> {
  const { DriftTally } = await import('../../../lab/backtest/drift.ts');
  const { joinFacts } = await import('../../../lab/backtest/joint-facts.ts');
  const { addApplicants } = await import('./add-applicants.ts');
  const { baseline, facts = [], log: _, from: __, to: ___, ...then } = options;
  const joint = joinFacts(policy, policy);
  const tally = new DriftTally(policy, joint);
  const columnNotes = new ColumnNotes(true);
  const read = { columnNotes, at: options.at ?? today(policy.timeZone) };
  const [before, now] = [filesOf(baseline, '--baseline'), filesOf(facts, '--facts')];
  const counted = [
    await addApplicants(tally.baseline, joint, { ...then, ...read, files: before }, io),
    await addApplicants(tally.now, joint, { ...options, ...read, files: now }, io),
  ];
  for (const { velocities } of counted) await sayCounted(velocities, io.stderr);
  return { drift: tally.result(), columns: columnNotes.files };
}
