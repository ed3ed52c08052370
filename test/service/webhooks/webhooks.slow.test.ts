/** Events of a service, as receivers on this machine get them. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import type { Records } from '../../../src/service/service.ts';
import { NEWS } from '../../../src/service/webhooks/news.ts';
import { homeData } from '../../../src/service/workbench/data/home-data.ts';
import { runCli } from '../../support/cli/cli.ts';
import { type Arrived, accept, SECRET, startReceiver } from '../../support/service/receiver.ts';
import { type Review, review, soon, startReview, take, WHY } from '../../support/service/review.ts';
import { APPLICANT } from '../../support/service/running.ts';
import { sql } from '../../support/stores/state/processes.ts';

/** YAML of a webhook to a receiver of this machine. */
const webhookOf = ({ name = 'cases', url = 'URL', kinds = `[${NEWS.join(', ')}]`, more = '' } = {}) =>
  `{ name: ${name}, urlVariable: ${url}, secretVariable: SECRET, kinds: ${kinds}, allow: [127.0.0.1]${more} }`;

/** A service whose webhooks have begun: they send what comes from then on. */
async function startWith(
  url: string,
  {
    webhooks = [webhookOf()],
    env = {},
    ...options
  }: { webhooks?: readonly string[] } & Parameters<typeof startReview>[0] = {},
): Promise<Review> {
  const more = `webhooks: [${webhooks.join(', ')}]`;
  const service = await startReview({ ...options, more, env: { URL: url, SECRET, ...env } });
  await soon(async () => (await service.service.outbox.states()).length).toBe(webhooks.length);
  return service;
}

const typesOf = (arrived: readonly Arrived[]) => arrived.map(({ body }) => body.type);
const idsOf = (arrived: readonly Arrived[]) => arrived.map(({ id }) => id);

/** What is not delivered, once nothing is being sent. */
const outboxOf = async ({ service }: Review) => {
  const [state] = await service.outbox.states();
  return state && [state.waiting, state.dead];
};

/** Changes the outbox, as time does. */
const change = ({ folder }: Pick<Review, 'folder'>, statement: string) => sql(join(folder, 'state'), statement);

test('each event arrives once, signed, as /v1/events has it, and without personal data', async () => {
  const { url, arrived } = await startReceiver();
  const service = await startWith(url);
  const { ann, lead, post, get } = service;
  const id = await review(service, 'A-1');
  const held = (await take(service, ann)).body as unknown as { id: string; token: number };
  await post(`/v1/cases/${held.id}/resolve`, { token: held.token, disposition: 'approve', why: WHY }, ann);
  await soon(async () => typesOf(arrived)).toEqual(['decision.made', 'case.taken', 'decision.noted']);
  const { events } = (await get('/v1/events', lead)).body as { events: { type: string; at: string }[] };
  expect(arrived.map(({ body }) => body)).toEqual(
    events.map((event) => ({ type: event.type, timestamp: event.at, data: event })),
  );
  expect(arrived[0]?.id).toBe(id);
  expect(JSON.stringify(arrived)).not.toMatch(/2025550102|d\.marsh|203\.0\.113|A-1|identity card|ann/);
  await soon(() => outboxOf(service)).toEqual([0, 0]);
});

test('a webhook gets its kinds alone, and the reference only if it asks, until that is erased', async () => {
  let isUp = true;
  const cases = await startReceiver((_, response) => void response.writeHead(isUp ? 200 : 500).end());
  const labels = await startReceiver();
  const service = await startWith(cases.url, {
    webhooks: [
      webhookOf({ kinds: '[decision.made, decisions.erased]', more: ', reference: true' }),
      webhookOf({ name: 'labels', url: 'OTHER', kinds: '[decision.noted]' }),
    ],
    env: { OTHER: labels.url },
  });
  const id = await review(service, 'A-1');
  const label = { id, label: 'fraud', at: new Date().toISOString() };
  expect((await service.post('/v1/labels', { labels: [label] }, service.ann)).status).toBe(200);
  await soon(async () => cases.arrived.length).toBe(1);
  expect(cases.arrived[0]?.body.data).toMatchObject({ decision: id, reference: 'A-1' });
  isUp = false;
  const waiting = await review(service, 'A-2');
  await soon(async () => idsOf(cases.arrived)).toContain(waiting);
  const first = cases.arrived.find((event) => event.id === waiting);
  expect(first?.body.data).toMatchObject({ reference: 'A-2' });
  await eraseSubject({ log: (service.service.records as Records).log, subject: APPLICANT.phoneNo });
  const before = cases.arrived.length;
  isUp = true;
  const erased = (decision: string) =>
    cases.arrived.some(({ body: { data } }) => String(data['decisions']) === decision);
  await soon(async () => {
    change(service, 'update outbox set due = 1 where failure is not null');
    return erased(id) && erased(waiting);
  }).toBe(true);
  const told = cases.arrived
    .slice(before)
    .map(({ body: { type, data } }) => [type, data['decisions'] ?? data['decision']]);
  // One that is made due while it is sent comes twice.
  const about = (decision: string) => [
    ...new Set(told.filter(([, of]) => String(of) === decision).map(([type]) => type)),
  ];
  expect([about(id), about(waiting)]).toEqual([['decisions.erased'], ['decision.made', 'decisions.erased']]);
  expect(JSON.stringify(cases.arrived.slice(before))).not.toContain('A-');
  await soon(async () => typesOf(labels.arrived)).toEqual(['decision.noted']);
  expect(labels.arrived[0]?.body.data).toMatchObject({ decision: id, disposition: 'fraud' });
  expect(labels.arrived[0]?.text).not.toContain('A-1');
});

test('a receiver that is down or answers 500 gets each event again under its id, in the order of its decision', async () => {
  let isUp = false;
  const { url, arrived } = await startReceiver((_, response) => void response.writeHead(isUp ? 200 : 500).end());
  const service = await startWith(url);
  const id = await review(service, 'A-1');
  await take(service, service.ann);
  await soon(async () => idsOf(arrived)).toContain(id);
  const [first] = arrived;
  isUp = true;
  change(service, 'update outbox set due = 1 where due is not null');
  await soon(async () => typesOf(arrived)).toEqual(['decision.made', 'decision.made', 'case.taken']);
  expect(arrived[1]).toMatchObject({ id: first?.id, text: first?.text });
  await soon(() => outboxOf(service)).toEqual([0, 0]);
  const line = { event: 'webhook.failed', code: 'HTTP_500', webhook: 'cases', count: 1 };
  expect(service.lines.filter(({ event }) => event === 'webhook.failed')).toEqual([line]);
});

const HOUR_MS = 3_600_000;
const DELAYS_MS = [5000, 60_000, 300_000, 1_800_000, ...[1, 3, 6, 10, 14, 18, 20].map((hours) => hours * HOUR_MS)];

test('an event is tried 12 times in three days, then is dead, shown on Home and sent again by a command', async () => {
  let isUp = false;
  const answeredAt = new Map<string, number>();
  const { url, arrived } = await startReceiver(({ id }, response) => {
    answeredAt.set(id, Date.now());
    response.writeHead(isUp ? 200 : 503).end();
  });
  const service = await startWith(url, { webhooks: [webhookOf({ kinds: '[decision.made]' })] });
  const attempts = DELAYS_MS.length + 1;
  for (let i = 0; i < attempts; i++) await service.decide(`A-${i}`);
  const failed = () =>
    change(service, 'select id, attempt, due, dead_at from outbox where failure is not null order by id') as {
      readonly id: string;
      readonly attempt: number;
      readonly due: number;
      readonly dead_at: number | null;
    }[];
  await soon(async () => failed().map(({ attempt }) => attempt)).toEqual(Array(attempts).fill(1));
  // Each is at another attempt.
  change(
    service,
    `update outbox set due = 1, failure = null,
    attempt = (select count(*) from outbox as before where before.id < outbox.id)`,
  );
  await soon(async () => failed().length).toBe(attempts);
  const now = Date.now();
  for (const [i, { id, attempt, due, dead_at }] of failed().entries()) {
    const delayMs = DELAYS_MS[i];
    expect([attempt, dead_at !== null]).toEqual([i + 1, delayMs === undefined]);
    if (delayMs === undefined) continue;
    expect(due).toBeGreaterThanOrEqual((answeredAt.get(id) ?? 0) + delayMs);
    expect(due).toBeLessThanOrEqual(now + 1.2 * delayMs);
  }
  expect(await outboxOf(service)).toEqual([DELAYS_MS.length, 1]);
  // One that was taken out of serve.yaml: nobody can send it again, or is to be told of it.
  change(service, `insert into webhook (name, position) values ('gone', '{}')`);
  change(
    service,
    `insert into outbox (webhook, id, decision, at, body, due, dead_at)
    values ('gone', 'a', 'a', 1, '{}', 1, 1)`,
  );
  const { attention } = await homeData(service.service);
  expect(attention).toEqual([
    expect.stringMatching(
      /^Webhook cases has given up 1 event since \d{4}-.* UTC, for HTTP_503\. To send again, run verdict webhook resend/,
    ),
  ]);
  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
  expect(metrics).toContain('verdict_webhook_attempts_total{webhook="cases",result="failed"} 24');
  expect(metrics).toMatch(/^verdict_webhook_events\{webhook="cases",state="dead"\} 1$/m);
  expect(metrics).toMatch(/^verdict_webhook_oldest_seconds\{webhook="cases"\} \d/m);
  expect(metrics).not.toContain('webhook="gone"');
  isUp = true;
  const config = ['--config', join(service.folder, 'serve.yaml')];
  expect(await runCli(['webhook', 'resend', 'other', ...config])).toMatchObject({ exitCode: 2 });
  expect(await runCli(['webhook', 'resend', 'cases', ...config])).toMatchObject({
    exitCode: 0,
    stderr: `a running service sends ${attempts} events now\n`,
  });
  await soon(() => outboxOf(service)).toEqual([0, 0]);
  expect(
    idsOf(arrived)
      .slice(2 * attempts)
      .toSorted(),
  ).toEqual([...answeredAt.keys()].toSorted());
});

test('a receiver that is gone gets nothing more until the command, and then all that happened', async () => {
  let status = 410;
  const { url, arrived } = await startReceiver((_, response) => void response.writeHead(status).end());
  const service = await startWith(url, { webhooks: [webhookOf({ kinds: '[decision.made]' })] });
  const ids = [await review(service, 'A-1')];
  await soon(async () => (await service.service.outbox.states())[0]?.stoppedAt).toEqual(expect.any(Number));
  ids.push(await review(service, 'A-2'));
  change(service, 'update outbox set due = 1 where due is not null');
  await soon(() => outboxOf(service)).toEqual([2, 0]);
  expect((await homeData(service.service)).attention).toEqual([
    expect.stringMatching(/^The receiver of webhook cases wants no more since .*resend cases/),
  ]);
  expect(idsOf(arrived)).toEqual(ids.slice(0, 1));
  status = 204;
  await runCli(['webhook', 'resend', 'cases', '--config', join(service.folder, 'serve.yaml')]);
  await soon(async () => idsOf(arrived)).toEqual([ids[0], ...ids]);
});

test('what is being sent when the service ends is delivered, and nothing is lost or sent twice', async () => {
  const arrival = Promise.withResolvers<void>();
  const answers: (() => void)[] = [];
  const { url, arrived } = await startReceiver((event, response) => {
    answers.push(() => accept(event, response));
    arrival.resolve();
  });
  const service = await startWith(url, { webhooks: [webhookOf({ kinds: '[decision.made]' })] });
  await service.decide('A-1');
  await arrival.promise;
  const drained = service.drain();
  for (const answer of answers) answer();
  await drained;
  expect(arrived).toHaveLength(1);
  expect(change(service, 'select id from outbox')).toEqual([]);
});

test('what a receiver hangs on when the service ends is let go, and waits for another process', async () => {
  const arrival = Promise.withResolvers<void>();
  const { url } = await startReceiver(() => arrival.resolve());
  const service = await startWith(url, { webhooks: [webhookOf({ kinds: '[decision.made]' })] });
  const id = (await service.decide('A-1')).body['id'];
  await arrival.promise;
  await service.drain();
  expect(change(service, 'select id, attempt, failure, dead_at from outbox')).toEqual([
    { id, attempt: 1, failure: null, dead_at: null },
  ]);
  expect(service.lines.filter(({ event }) => event === 'webhook.failed')).toEqual([]);
});

test('a receiver that is not named is never called, and the line and the metric say so without its address', async () => {
  const { url, arrived } = await startReceiver();
  const webhooks = [webhookOf({ kinds: '[decision.made]' }).replace('127.0.0.1', '192.0.2.1')];
  const service = await startWith(url, { webhooks });
  await service.decide('A-1');
  const told = () => service.lines.filter(({ event }) => event === 'webhook.failed');
  await soon(async () => told()).toEqual([
    { event: 'webhook.failed', code: 'ADDRESS_NOT_ALLOWED', webhook: 'cases', count: 1 },
  ]);
  expect(arrived).toEqual([]);
});
