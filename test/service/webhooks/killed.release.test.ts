/** A process that is killed while it sends an event: another one sends it again, under the same id. */

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { ServeProcess, serveFolder } from '../../support/service/process.ts';
import { accept, SECRET, startReceiver } from '../../support/service/receiver.ts';
import { soon } from '../../support/service/review.ts';
import { sql } from '../../support/stores/state/processes.ts';

const WEBHOOK = '{ name: cases, urlVariable: URL, secretVariable: SECRET, kinds: [decision.made], allow: [127.0.0.1] }';

test('kill -9 between taking an event and marking it delivered loses nothing, and nothing comes before it', async () => {
  let isHeld = true;
  const { url, arrived } = await startReceiver((event, response) => isHeld || accept(event, response));
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const made = await serveFolder({ more: `limits: { drain: 0 seconds }\nwebhooks: [${WEBHOOK}]` });
  const dir = join(made.folder, 'state');
  const start = () => new ServeProcess(made, sandbox, { env: { URL: url, SECRET } });
  const killed = start();
  await killed.url;
  await soon(async () => sql(dir, 'select name from webhook')).toEqual([{ name: 'cases' }]);
  const ids = [(await killed.decide('A-1')).body.id];
  await soon(async () => arrived.length).toBe(1);
  // What is on record and was not read yet goes with the process.
  for (const reference of ['A-2', 'A-3', 'A-4']) ids.push((await killed.decide(reference)).body.id);
  killed.signal('SIGKILL');
  await killed.ended;
  isHeld = false;
  const other = start();
  await other.url;
  // What ends the lease, as time does.
  sql(dir, 'update outbox set due = 1 where due is not null');
  await soon(async () => [...new Set(arrived.map(({ id }) => id))].toSorted()).toEqual(ids.toSorted());
  await soon(async () => sql(dir, 'select id from outbox')).toEqual([]);
  const [first] = arrived;
  const again = arrived.filter(({ id }) => id === first?.id);
  expect(again).toHaveLength(2);
  expect(new Set(again.map(({ text }) => text)).size).toBe(1);
  other.signal('SIGTERM');
  expect(await other.ended).toEqual([null, 'SIGTERM']);
  expect(`${killed.errors}${other.errors}`).not.toMatch(/whsec_|127\.0\.0\.1:\d+\/events/);
});
