/** What webhooks did not deliver -> metrics, and sentences for those who run the service. */

import { count, minuteWords } from '../../text.ts';
import { gauge } from '../metrics.ts';
import type { Service } from '../service.ts';

/** Of the webhooks of the configuration: the state also has those that were taken out of it. */
async function statesOf({ config: { webhooks = [] }, outbox }: Service) {
  const names = webhooks.map(({ name }) => name);
  return names.length === 0 ? [] : (await outbox.states()).filter(({ webhook }) => names.includes(webhook));
}

export async function gaugesOfWebhooks(service: Service) {
  const events = (webhook: string, state: string, n: number) =>
    gauge('verdict_webhook_events', 'Events that are not delivered, by state.', n, { webhook, state });
  const help = 'How long ago the first of them happened.';
  const states = await statesOf(service);
  return [
    ...states.flatMap(({ webhook, waiting, dead }) => [
      events(webhook, 'waiting', waiting),
      events(webhook, 'dead', dead),
    ]),
    ...states.map(({ webhook, oldest }) => {
      const ageMs = oldest === null ? 0 : Math.max(0, Date.now() - oldest);
      return gauge('verdict_webhook_oldest_seconds', help, ageMs / 1000, { webhook });
    }),
  ];
}

/** Events that were given up, and a receiver that wants no more; none while all is well. */
export async function undeliveredOf(service: Service): Promise<readonly string[]> {
  const since = (ms: number) => `since ${minuteWords(ms)}`;
  return (await statesOf(service)).flatMap(({ webhook, dead, deadSince, stoppedAt, failure }) => {
    const how = `To send again, run verdict webhook resend ${webhook}.`;
    return [
      ...(stoppedAt === null ? [] : [`The receiver of webhook ${webhook} wants no more ${since(stoppedAt)}. ${how}`]),
      ...(deadSince === null
        ? []
        : [`Webhook ${webhook} has given up ${count(dead, 'event')} ${since(deadSince)}, for ${failure}. ${how}`]),
    ];
  });
}
