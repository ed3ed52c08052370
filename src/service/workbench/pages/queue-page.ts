/** Cases -> the queue: the next case, those that the reader holds, and all. */

import type { Page } from '../../../report/html/document.ts';
import { type Child, h1, p } from '../../../report/html/markup.ts';
import { codeValue } from '../../../report/html/parts/phrases.ts';
import { NONE, table } from '../../../report/html/parts/table.ts';
import { link } from '../../../report/html/served.ts';
import type { Case } from '../../../stores/state/cases.ts';
import { count } from '../../../text.ts';
import { actionForm, choice, submit } from '../parts/form.ts';
import type { Reader } from '../parts/frame.ts';
import { fromNow, minute } from '../parts/times.ts';
import type { QueueState } from './home-page.ts';

export interface QueueData {
  readonly now: number;
  readonly queues: readonly QueueState[];
  readonly mine: readonly Case[];
  readonly cases: readonly Case[];
  /** The path of the next page of `cases`. */
  readonly more: string | undefined;
  /** Who holds a case, as the page shows them. */
  readonly nameOf: (holder: string) => string;
  /** Whether the reader may take cases. */
  readonly mayTake: boolean;
}

export function queuePage(data: QueueData, reader: Reader): Page {
  const { now, queues, mine, cases, more, mayTake } = data;
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
  const first = Math.min(...queues.filter((queue) => queue.waiting > 0).map(({ firstDue }) => firstDue));
  return {
    title: 'Queue',
    head: [
      h1('Queue'),
      p(
        { class: 'lead' },
        waiting === 0
          ? 'No case is waiting.'
          : `${count(waiting, 'case')} waiting; the first is due ${fromNow(first, now)}.`,
      ),
      mayTake ? takeForm(data, reader) : undefined,
    ],
    parts: [
      {
        id: 'mine',
        title: 'Cases that you hold',
        content: mine.length > 0 ? caseTable('my-cases', 'Yours, the first due first', mine, data) : undefined,
      },
      {
        id: 'all',
        title: 'All cases that wait',
        content: [
          cases.length > 0 ? caseTable('all-cases', 'Cases, the first due first', cases, data) : p('None.'),
          more === undefined ? undefined : p(link({ href: more }, 'More cases')),
        ],
      },
    ],
  };
}

function takeForm({ queues }: QueueData, reader: Reader): Child {
  const some = queues.map(({ name, waiting }) => [name, `${name}: ${waiting} waiting`] as const);
  return actionForm(
    reader,
    { action: '/queue/take', look: 'line', id: 'take' },
    queues.length > 1 ? choice('queue', 'From', [['', 'any queue'], ...some]) : undefined,
    submit('Next case (n)', { class: 'main', 'data-key': 'n' }),
  );
}

function caseTable(id: string, caption: string, cases: readonly Case[], { now, nameOf }: QueueData): Child {
  return table({
    id,
    caption,
    columns: ['Case', 'Kind', 'Queue', 'Due', 'Opened', 'Held by'],
    rows: cases.map((each) => [
      link({ href: `/cases/${each.id}` }, codeValue(each.id.slice(-12))),
      each.kind,
      each.queue,
      fromNow(each.due, now),
      minute(each.openedAt),
      each.holder === null || (each.until ?? 0) <= now ? NONE : nameOf(each.holder),
    ]),
  });
}
