/** A service with a log and people who review -> their requests, and what they see of the cases. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import type { Case, Cases } from '../../../src/stores/state/cases.ts';
import { sharedTestService, startTestService, type TestService } from './running.ts';

/** The log is followed by a thread, which takes its time to start on a busy machine. */
export const soon = <Value>(read: () => Promise<Value>) => expect.poll(read);

export const WHY = 'Showed an identity card in the branch.';

/** A service with a log, and people by name, each with a key. */
export async function startReview(options: Parameters<typeof startTestService>[0] = {}) {
  return reviewOf(await startTestService({ audit: true, ...options }));
}

/** One for the tests of a file that do not change it for each other; the first of them starts it. */
export function sharedReview(): () => Promise<Review> {
  const shared = sharedTestService(() => ({ audit: true }));
  let review: ReturnType<typeof reviewOf> | undefined;
  return () => {
    review ??= shared().then(reviewOf);
    return review;
  };
}

async function reviewOf(service: TestService) {
  const [ann, ben, lead, auditor] = [
    await service.key(['review'], 'ann'),
    await service.key(['review'], 'ben'),
    await service.key(['approve', 'read'], 'lead'),
    await service.key(['audit'], 'auditor'),
  ];
  const post = (path: string, body: object | undefined, key: string) => service.ask('POST', path, body, { key });
  const get = (path: string, key: string) => service.ask('GET', path, undefined, { key });
  await soon(async () => (await get('/v1/cases', lead)).status).toBe(200);
  return { ...service, ann, ben, lead, auditor, post, get };
}

export type Review = Awaited<ReturnType<typeof reviewOf>>;

/** Decides an applicant who is reviewed; resolves once there is a case. */
export async function review({ decide, get, lead, service }: Review, reference: string): Promise<string> {
  const id = String((await decide(reference)).body['id']);
  await service.records?.follower.catchUp();
  await soon(async () => JSON.stringify((await get('/v1/cases?limit=200', lead)).body)).toContain(id);
  return id;
}

export const take = async ({ post }: Review, key: string, body = {}) => post('/v1/cases/take', body, key);

/** Gives a case to somebody, who opens it. */
export async function give(cases: Cases, id: string, person: string, leaseMs = 15 * 60_000): Promise<Case | undefined> {
  await cases.reassign({ id, to: person });
  return cases.take({ id, person, leaseMs });
}

/** What a caller sees of the cases. */
export async function casesOf({ get, lead }: Review) {
  const { cases } = (await get('/v1/cases?limit=200', lead)).body as { cases: readonly Record<string, unknown>[] };
  return cases.map(({ id, decision, kind, state, disposition }) => ({ id, decision, kind, state, disposition }));
}

/** Changes the rows of the cases, as another process may. */
export function changeCases({ folder }: Review, statement: string): void {
  const database = new DatabaseSync(join(folder, 'state', 'state.sqlite'));
  database.exec(`pragma busy_timeout = 60000; ${statement}`);
  database.close();
}
