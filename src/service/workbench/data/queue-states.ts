/** The service -> how many cases wait in each queue, and when the first is due. */

import { indexedOf } from '../../handlers/records.ts';
import type { Service } from '../../service.ts';
import type { QueueState } from '../pages/home-page.ts';

export async function queueStates(service: Service): Promise<readonly QueueState[]> {
  const { cases } = indexedOf(service);
  const counts = await cases.counts();
  return service.config.queues.map(({ name }) => {
    const own = counts.filter(({ queue }) => queue === name);
    const waiting = own.reduce((all, { count }) => all + count, 0);
    const overdue = own.reduce((all, each) => all + each.overdue, 0);
    return { name, waiting, overdue, firstDue: Math.min(...own.map(({ oldestDue }) => oldestDue)) };
  });
}
