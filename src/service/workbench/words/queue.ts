/** The sentences of the queue. */

import type { CaseSort, Situation } from '../../../stores/state/cases.ts';
import { grouped, groupedCount } from '../../../text.ts';

export const QUEUE = {
  title: 'Queue',
  none: 'No case is waiting.',
  waiting: (n: number, isLate: boolean, first: string) =>
    `${groupedCount(n, 'case')} waiting; the first ${isLate ? 'was' : 'is'} due ${first}.`,
  overdue: (n: number) => `${grouped(n)} overdue`,
  next: 'Next case (n)',
  from: 'From',
  any: 'any queue',
  choice: (name: string, n: number) => `${name}: ${grouped(n)} waiting`,
  mine: 'Cases that you hold',
  mineTitle: 'Yours, the first due first',
  given: 'Kept for you',
  givenTitle: 'Given to you, on hold or asked about',
  all: 'All cases that wait',
  allTitle: 'Cases that wait',
  nothing: 'None. Leave out a filter.',
  more: 'More cases',
  filter: 'Filter',
  clear: 'Clear the filters',
  matches: (n: number) => `${groupedCount(n, 'case')} ${n === 1 ? 'matches' : 'match'}.`,
  take: 'Take',
  columns: { case: 'Case', reason: 'Reason', score: 'Score', age: 'Age', due: 'Due', holder: 'With', take: 'Take it' },
  filters: { queue: 'Queue', code: 'Reason', policy: 'Policy', situation: 'State', due: 'Due', holder: 'With' },
  everything: 'any',
  sort: 'Sort by',
  sorts: { due: 'due, earliest first', opened: 'age, oldest first', score: 'score, highest first' } satisfies Record<
    CaseSort,
    string
  >,
  situations: {
    free: 'free',
    held: 'held by somebody',
    given: 'kept for somebody',
    waiting: 'on hold or asked',
  } satisfies Record<Situation, string>,
  dues: { overdue: 'overdue', hour: 'within an hour', day: 'within a day' },
  me: 'me',
  late: (words: string) => `overdue: ${words}`,
  /** Other codes of the same case. */
  also: (n: number) => ` (and ${n} more)`,
  undetermined: 'A rule is undetermined',
  kept: (name: string) => `kept for ${name}`,
  asleep: (name: string, asked: string | null) => `${asked === null ? 'on hold' : `asked for ${asked}`}, ${name}`,
  outage: 'Outage',
  outageCosts: (n: number) =>
    `${groupedCount(n, 'case')} ${n === 1 ? 'waits' : 'wait'} because the service did not answer. Asking again makes ` +
    'the calls of each once more, which may be billed; what was answered is not asked again.',
  outageWhy: 'Why; it goes on record',
  outageResend: 'Also where a call may have been carried out: it is billed a second time',
  outageAsk: (n: number) => `Ask the service again for all ${grouped(n)} of them`,
  backlog: 'Backlog',
  backlogTitle: 'Cases that wait, by queue and age',
  backlogGroup: 'Queue and age',
  age: (from = '', to?: string) => (to === undefined ? `over ${from}` : `${from} to ${to}`),
  flow: 'In and out',
  flowTitle: 'Cases opened and resolved in each of the last 24 hours',
  flowGroup: 'Hour, UTC',
  people: 'By person',
  peopleTitle: 'What people resolved in the last 30 days',
  peopleColumns: [
    'Person',
    'Decided',
    'Time to decide, median',
    'Approved',
    'Overturned by a label',
    'After it was due',
  ],
  somebody: 'Somebody who signed in longer ago',
} as const;
