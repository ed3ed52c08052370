/** What webhooks did not deliver -> metrics, and sentences for those who run the service. */

import type { OutboxState } from '../../stores/state/outbox.ts';
import { count } from '../../text.ts';
import { type Gauge, gauge } from '../metrics.ts';

export function gaugesOfWebhooks(states: readonly OutboxState[]): readonly Gauge[] {
  const events = (webhook: string, state: string, n: number) =>
    gauge('verdict_webhook_events', 'Events that are not delivered, by state.', n, { webhook, state });
  const help = 'How long ago the first of them happened.';
  const ageOf = (oldest: number | null) => (oldest === null ? 0 : Math.max(0, Date.now() - oldest) / 1000);
  return [
    ...states.flatMap(({ webhook, waiting, dead }) => [
      events(webhook, 'waiting', waiting),
      events(webhook, 'dead', dead),
    ]),
    ...states.map(({ webhook, oldest }) => gauge('verdict_webhook_oldest_seconds', help, ageOf(oldest), { webhook })),
  ];
}

/** Events that were given up, and a receiver that wants no more; none while all is well. */
export function undeliveredWords({ webhook, dead, deadSince, stoppedAt, failure }: OutboxState): readonly string[] {
  const since = (ms: number) => `since ${new Date(ms).toISOString()}`;
  const how = `\`verdict webhook resend ${webhook}\` sends again.`;
  return [
    ...(stoppedAt === null ? [] : [`The receiver of webhook ${webhook} wants no more ${since(stoppedAt)}. ${how}`]),
    ...(deadSince === null
      ? []
      : [`Webhook ${webhook} has given up ${count(dead, 'event')} ${since(deadSince)}, for ${failure}. ${how}`]),
  ];
}
