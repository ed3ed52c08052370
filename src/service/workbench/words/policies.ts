/** The sentences of the list of policies. */

import { grouped, groupedCount } from '../../../text.ts';

export const POLICIES = {
  title: 'Policies in force',
  all: 'Policies',
  rate: 'Review rate',
  share: (rate: string, of: number) => `${rate} of its newest ${groupedCount(of, 'decision')}`,
  decisions: 'Decisions in 30 days',
  since: 'Decides since',
  notYet: 'no decision yet',
  rules: 'Rules',
  tests: 'Tests in its folder',
  run: (passed: number, failed: number, errors: number) =>
    errors > 0
      ? `not run: ${groupedCount(errors, 'error')}`
      : `${grouped(passed)} passed${failed > 0 ? `, ${grouped(failed)} failed` : ''}`,
  notRun: 'could not be run',
  failing: (n: number) => `${groupedCount(n, 'test')} of its folder ${n === 1 ? 'fails' : 'fail'}.`,
} as const;
