/** The sentences of the page on several cases that are decided together. */

import { count } from '../../../text.ts';

const ACTS = { approve: ['Approve', 'approved'], decline: ['Decline', 'declined'] } as const;

export type Disposition = keyof typeof ACTS;

export const TOGETHER = {
  ask: (act: Disposition, n: number) => `${ACTS[act][0]} ${count(n, 'case')}?`,
  does: (act: Disposition) => `Each is taken by you, ${ACTS[act][1]}, and recorded by itself. It cannot be undone.`,
  why: (reason: readonly string[]) => `Why: ${reason.join(': ')}`,
  send: (act: Disposition, n: number) => `${ACTS[act][0]} ${count(n, 'case')}`,
  back: 'Back to the case, without deciding',
  chosen: 'These cases',
  chosenTitle: 'Cases that are decided together',
  leftTitle: 'Cases of others',
  left: 'These stay as they are',
  leftWhy: 'Somebody else holds them, or is to have them; or you opened, skipped or escalated them.',
  done: (act: Disposition, n: number) => `${count(n, 'case')} ${ACTS[act][1]}`,
  on: 'Each is on record.',
  queue: 'To the queue',
  columns: ['Case', 'Queue', 'Due'],
  nothing: 'no case is chosen that is open',
} as const;
