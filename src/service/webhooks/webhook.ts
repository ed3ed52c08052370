/** The news of the log -> the outbox of a webhook -> its receiver, until the service ends. */

import type { LogIndex } from '../../audit/index/log-index.ts';
import { foreignCode, VerdictError } from '../../errors.ts';
import { pause } from '../../signals/deadline.ts';
import type { Outbox, OutboxEvent, TakenEvent } from '../../stores/state/outbox.ts';
import { toJson } from '../../text.ts';
import type { Metrics } from '../metrics.ts';
import { derivedId } from '../note-id.ts';
import { type News, newsOf } from './news.ts';
import { type Receiver, send } from './receiver.ts';

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1000, 60_000, 3_600_000];

/** How long after each attempt the next one is made: 12 attempts in three days. After the last, the event is dead. */
const DELAYS_MS = [
  ...[5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[1, 3, 6, 10, 14, 18, 20].map((hours) => hours * HOUR_MS),
];

/** Each delay is longer by up to this part of it, so that what failed at once does not come back at once. */
const JITTER = 0.2;

/** How often the log is looked at, and the outbox. */
const EVERY_MS = 500;

/** Entries of the log that are read at a time, and events that are sent at a time. */
const [READ, SENT] = [500, 16];

/** How long a receiver has to answer: Standard Webhooks, "Request timeouts". */
const LIMIT_MS = 15_000;

/** An event whose process ended while it was sent is sent again after this time. */
const LEASE_MS = 60_000;

/** How long an event that is being sent has when the service ends. */
const DRAIN_MS = 5000;

interface Means {
  readonly index: Pick<LogIndex, 'newsEnd' | 'readNews' | 'catchUp'>;
  readonly outbox: Outbox;
  readonly metrics: Metrics;
  /** The reference of a decision; undefined if it has none, or was erased. */
  referenceOf(decision: string): Promise<string | undefined>;
  report(line: { readonly event: string; readonly code: string; readonly webhook: string }): void;
}

/** Sends what comes into the log from now on, or from where another process left off. The result ends it. */
export function startWebhook(receiver: Receiver, means: Means): () => Promise<void> {
  const [ending, cutting] = [new AbortController(), new AbortController()];
  const { name } = receiver;
  const { outbox } = means;
  const tell = (error: unknown) => {
    const code = VerdictError.is(error) ? error.code : (foreignCode(error) ?? 'INTERNAL');
    means.report({ event: 'webhook.failed', code, webhook: name });
  };
  /** Calls a function again and again, after a pause where it did nothing or failed. */
  const repeat = async (work: () => Promise<boolean>) => {
    while (!ending.signal.aborted) {
      const isBusy = await work().catch(tell);
      if (!isBusy) await pause(EVERY_MS, ending.signal);
    }
  };
  const sending = new Set<Promise<void>>();
  const sendNext = async () => {
    const taken = await outbox.take(name, SENT - sending.size, LEASE_MS);
    for (const event of taken) {
      const sent = sendEvent(event, receiver, means, cutting.signal)
        .catch(tell)
        .finally(() => sending.delete(sent));
      sending.add(sent);
    }
    if (sending.size === SENT) await Promise.race(sending);
    return taken.length > 0;
  };
  let read = '';
  /** One look says whether the log has changed; its news ask for each chain. */
  const readNext = async () => {
    const log = await means.index.catchUp();
    if (log === read) return false;
    const hasNews = await readNews(receiver, means);
    if (!hasNews) read = log;
    return hasNews;
  };
  const working = [repeat(readNext), repeat(sendNext)];
  return async () => {
    ending.abort();
    const cut = setTimeout(() => cutting.abort(), DRAIN_MS);
    await Promise.all(working);
    await Promise.all(sending);
    clearTimeout(cut);
  };
}

/** Puts the next news into the outbox; whether there were any. */
async function readNews({ name, kinds }: Receiver, { index, outbox }: Means): Promise<boolean> {
  const before = await outbox.position(name, async () => toJson(await index.newsEnd()));
  const { entries, next } = await index.readNews(JSON.parse(before), READ);
  const events = entries.flatMap(({ chain, entry }) => {
    const news = newsOf(entry);
    return news && kinds.includes(news.type) ? eventsOf(news, chain) : [];
  });
  await outbox.put(name, { before, position: toJson(next), isAtEnd: entries.length < READ }, events);
  return entries.length > 0;
}

/** INVARIANT: the same ids each time. An erasure of several decisions is an event of each, in the order of each. */
function eventsOf({ decisions, ...news }: News, chain: string): readonly OutboxEvent[] {
  const { type, at, id = '' } = news;
  const event = (data: object, eventId: string, decision: string): OutboxEvent => {
    return { id: eventId, decision, at: Date.parse(at), body: toJson({ type, timestamp: at, data }) };
  };
  if (!decisions) return [event(news, id, news.decision ?? id)];
  return decisions.map((each) => event({ ...news, decisions: [each] }, derivedId(toJson([chain, at, each])), each));
}

async function sendEvent(event: TakenEvent, receiver: Receiver, means: Means, cutting: AbortSignal): Promise<void> {
  const { name, reference = false } = receiver;
  const { outbox, metrics, report } = means;
  const body = reference ? await withReference(event, means) : event.body;
  const signal = AbortSignal.any([cutting, AbortSignal.timeout(LIMIT_MS)]);
  const failure = await send(receiver, event.id, body, signal);
  metrics.count('verdict_webhook_attempts_total', { webhook: name, result: failure ? 'failed' : 'delivered' });
  if (failure === undefined) return outbox.delivered(name, event.id);
  // It is sent again once its lease ends.
  if (cutting.aborted) return;
  report({ event: 'webhook.failed', code: failure, webhook: name });
  // The receiver wants no more: Standard Webhooks, "Delivery success and failure".
  if (failure === 'HTTP_410') await outbox.stop(name);
  const delayMs = DELAYS_MS[event.attempt - 1];
  const later = delayMs === undefined ? null : Math.round(delayMs * (1 + JITTER * Math.random()));
  await outbox.failed(name, event, failure, later);
}

/** The reference is not in the outbox: once it is erased from the log, it is nowhere. */
async function withReference({ body, decision }: TakenEvent, { referenceOf }: Means): Promise<string> {
  const { data, ...event } = JSON.parse(body) as { readonly data: News };
  const reference = data.decision === undefined ? undefined : await referenceOf(decision);
  return reference === undefined ? body : toJson({ ...event, data: { ...data, reference } });
}
