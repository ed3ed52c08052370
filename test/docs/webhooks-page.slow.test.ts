/** The receiver of the page on webhooks gets the events of a service, each once, and refuses what is not signed. */

import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { NEWS } from '../../src/service/webhooks/news.ts';
import { ROOT } from '../support/docs/docs.ts';
import { temporaryFolder } from '../support/policy/policy.ts';
import { SECRET } from '../support/service/receiver.ts';
import { startTestService } from '../support/service/running.ts';
import { sql } from '../support/stores/state/processes.ts';

const PAGE = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8');

test('the page names each kind of event', () => {
  const [, row = ''] = /^\| `kinds` \|(.*)\|.*\|$/m.exec(PAGE) ?? [];
  expect([...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name).toSorted()).toEqual(NEWS.toSorted());
});

test('the receiver of the page prints each event once, also one that comes again', async () => {
  const [, code = ''] = /```js\n\/\/ receiver\.mjs\n(.*?)```/s.exec(PAGE) ?? [];
  const folder = temporaryFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'receiver.mjs'), code);
  const env = { ...process.env, PORT: '0', CASES_SECRET: SECRET };
  const child = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const soon = (read: () => unknown) => expect.poll(read);
  await soon(() => lines.length).toBe(1);
  const url = `http://127.0.0.1:${lines[0]?.replace('listening on ', '')}/hook`;
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  const kinds = 'kinds: [decision.made], allow: [127.0.0.1]';
  const service = await startTestService({
    audit: true,
    more: `webhooks: [{ name: cases, urlVariable: CASES_URL, secretVariable: CASES_SECRET, ${kinds} }]`,
    env: { CASES_URL: url, CASES_SECRET: SECRET },
  });
  const state = (statement: string) => sql(join(service.folder, 'state'), statement);
  await soon(() => state('select name from webhook').length).toBe(1);
  const told = async (reference: string) => `decision.made ${(await service.decide(reference)).body['id']} review`;
  const expected = [await told('A-1')];
  await soon(() => lines.slice(1)).toEqual(expected);
  // As after a copy of the state was put back.
  state(`update webhook set position = '{}'`);
  expected.push(await told('A-2'));
  await soon(() => lines.slice(1)).toEqual(expected);
  await soon(() => state('select id from outbox')).toEqual([]);
  expect(service.lines.filter(({ event }) => event === 'webhook.failed')).toEqual([]);
});
