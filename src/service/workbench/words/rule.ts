/** The sentences of the page of a rule. */

import { grouped, groupedCount } from '../../../text.ts';

export const RULE = {
  chart: 'Fired and undetermined, 30 days',
  chartTitle: 'Share of the decisions of each day in which the rule fired, or could not be determined',
  said: 'What people say of its decisions',
  among: (n: number, isAll: boolean) =>
    isAll
      ? `Of the ${groupedCount(n, 'decision')} in which it fired:`
      : `Of the newest ${grouped(n)} decisions in which it fired:`,
  never: 'It has fired in no decision.',
  open: (n: number) => `In the last 30 days it could not be determined in ${groupedCount(n, 'decision')}`,
  shadow: [
    'A shadow rule has no effect. What it found is in each decision, and is not counted here: ',
    ' counts it, and says which decisions the rule would change.',
  ],
  approved: 'Approved by reviewers',
  frauds: 'Frauds among those with a label',
  none: 'none yet',
  share: (hits: number, of: number, share: string, range: string) =>
    `${share} (${range} with 95 % confidence): ${grouped(hits)} of ${grouped(of)}`,
  beside: 'Rules that fire with it',
  besideTitle: (n: number) => `Of its newest ${groupedCount(n, 'decision')}, those in which another rule fired too`,
  alone: 'No other rule fired in them.',
  last: 'Last decisions',
  text: 'Its text',
  tests: 'Tests in which it fires',
  noTests: 'It fires in no test.',
  testsFailed: 'The tests could not be run.',
} as const;
