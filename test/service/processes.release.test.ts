/** Several processes of one service: a reference is billed once, whichever is asked; one that ends loses nothing. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { searchLog } from '../../src/audit/query/search.ts';
import { verifyLog } from '../../src/audit/verify/verify.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { sampled } from '../support/sampled.ts';
import { type Decided, ServeProcess, serveFolder } from '../support/service/process.ts';

const idsOf = (answers: readonly Decided[]) =>
  new Set(answers.flatMap((answer) => (answer.status === 200 ? [answer.body.id] : [])));

const PROCESSES = sampled(2, 4);
/** Fewer than a process takes at once. */
const CALLS = 50;

test(`one reference ${CALLS} times at once from each of ${PROCESSES} processes is billed once, as the same decision`, async () => {
  await using sandbox = await startSandbox();
  const place = await serveFolder({ more: 'limits: { drain: 20 seconds }' });
  const processes = Array.from({ length: PROCESSES }, () => new ServeProcess(place, sandbox));
  await Promise.all(processes.map(({ url }) => url));
  const calls = processes.flatMap((each) => Array.from({ length: CALLS }, () => each.decide('A-1')));
  const answers = await Promise.all(calls);
  expect(answers.map((answer) => answer.status)).toEqual(calls.map(() => 200));
  expect(idsOf(answers).size).toBe(1);
  expect(sandbox.counts.verifies).toBe(1);
  for (const name of ['state.sqlite', 'state.sqlite-wal']) {
    const bytes = readFileSync(join(place.folder, 'state', name)).toString('latin1');
    expect(bytes).not.toMatch(/A-1|2025550102|d\.marsh|203\.0\.113/);
  }
  const [first] = processes;
  first?.signal('SIGTERM');
  await expect.poll(() => first?.errors).toContain('draining');
  // A second signal ends it at once.
  first?.signal('SIGTERM');
  expect(await first?.ended).toEqual([null, 'SIGTERM']);
});

test('SIGTERM under 64 callers fails no request that was sent, and loses no record', async () => {
  await using sandbox = await startSandbox();
  const place = await serveFolder({ more: 'limits: { drain: 500 milliseconds }' });
  const service = new ServeProcess(place, sandbox);
  await service.url;
  const answered: Decided[] = [];
  let isOver = false;
  const caller = async (i: number) => {
    for (let n = 0; !isOver; n++) {
      const answer = await service.decide(`C-${i}-${n}`);
      const { code } = answer.body;
      // Once the port is closed nobody listens; before that each request has an answer. The kernel resets a connection
      // that comes in the moment in between, before the service knows of it: nothing of it is on record.
      if (code === 'ECONNREFUSED' || code === 'ECONNRESET') isOver = true;
      else answered.push(answer);
    }
  };
  const callers = Promise.all(Array.from({ length: 64 }, (_, i) => caller(i)));
  await vi.waitFor(() => expect(answered.length).toBeGreaterThan(64));
  service.signal('SIGTERM');
  expect(await service.ended).toEqual([null, 'SIGTERM']);
  await callers;
  // A machine that is too busy is said before anything is sent.
  expect(answered.filter(({ status, body }) => status !== 200 && body.code !== 'OVERLOADED')).toEqual([]);
  const decided = answered.filter(({ status }) => status === 200);
  const report = await verifyLog({ dir: join(place.folder, 'log') });
  expect(report.findings).toEqual([]);
  const { total } = await searchLog({ dir: join(place.folder, 'log') }, {}, { limit: 1 });
  expect(total).toBe(decided.length);
  expect(service.errors).toContain('"event":"draining"');
});
