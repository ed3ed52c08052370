/** `verdict audit shadow`: a log and a rule that is only observed -> what it would have changed. */

import type { Command } from 'commander';
import type { ShadowImpact } from '../../../lab/backtest/shadow.ts';
import { groupedCount } from '../../../text.ts';
import { reportTampering } from '../../findings.ts';
import { EXIT, type Io } from '../../io.ts';
import { addJson } from '../../options/arguments.ts';
import { addTimes } from '../../options/filters.ts';
import { addKeys, checkIsLog, logPlaceOf } from '../../options/log-place.ts';
import { endWith } from '../../result.ts';

export function addShadow(audit: Command, io: Io): void {
  const command = audit
    .command('shadow <log>')
    .description('show which decisions a shadow rule would have changed, each by the policy that it names')
    .requiredOption('--rule <id>', 'the id of the rule');
  addJson(addTimes(addKeys(command))).action(async (dir, options) => {
    checkIsLog(dir);
    const { shadowImpact } = await import('../../../lab/backtest/shadow.ts');
    const { filterOf } = await import('../lab/add-applicants.ts');
    const { counting } = await import('../../progress.ts');
    const place = logPlaceOf(dir, options, io);
    await reportTampering(io, async () => {
      const isWanted = await filterOf(place, options);
      const { impact, unreadable } = await counting(io, 'decision', (tell) =>
        shadowImpact({ ...place, isWanted }, options.rule, tell),
      );
      await endWith(io, options, {
        data: () => impact,
        text: () => `${wordsOf(impact).join('\n')}\n`,
        exitCode: unreadable.length > 0 || impact.decisions === 0 ? EXIT.couldNotRun : EXIT.done,
      });
    });
  });
}

function wordsOf({ decisions, fired, undetermined, changes, others, policyMissing, undecided }: ShadowImpact) {
  const { unreadable, erased, aborted, open } = undecided;
  const left = [
    [others, 'by policies that do not have it as a shadow rule'],
    [policyMissing, 'whose policy the log does not keep'],
    [erased, 'erased'],
    [aborted, 'aborted'],
    [open, 'depend on facts that are not on record'],
    [unreadable, 'cannot be read'],
  ] as const;
  return [
    `It would have fired in ${fired.toLocaleString('en')} of ${groupedCount(decisions, 'decision')}.`,
    ...changes.map(({ from, to, applicants }) => `  ${from} to ${to}: ${applicants.toLocaleString('en')}`),
    ...(changes.length === 0 ? ['  It would have changed no outcome.'] : []),
    ...(undetermined > 0 ? [`In ${groupedCount(undetermined, 'decision')} it is undetermined.`] : []),
    ...left.filter(([n]) => n > 0).map(([n, why]) => `Not counted: ${n.toLocaleString('en')} ${why}.`),
  ];
}
