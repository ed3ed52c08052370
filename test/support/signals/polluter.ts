/**
 * Orders to decide under pollution -> what was sent and decided, each in a process that is started anew where it
 * dies or hangs.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Chaos } from './chaos-proxy.ts';
import { applicantOf, ONBOARDING, USER } from './clients.ts';
import type { Order, Report } from './polluted.ts';

/** The result of one order: the report, and the requests sent, without their tokens. */
export interface Seen extends Report {
  readonly sent: readonly string[];
  readonly strayBytes: number;
}

/** Carries out orders. */
export interface Polluter {
  /** Decides while these keys of `Object.prototype` are polluted; by default on somebody who is accepted. */
  decide(keys: readonly string[], options?: Partial<Order>): Promise<Seen>;
  close(): void;
}

/** Creates a polluter whose calls go through a proxy. */
export function createPolluter(chaos: Chaos): Polluter {
  let child: ChildProcess | undefined;

  async function decide(keys: readonly string[], options: Partial<Order> = {}): Promise<Seen> {
    const { breaking = false } = options;
    const order: Order = {
      ...{ baseUrl: chaos.url, ...USER, policy: ONBOARDING, client: 'verdict', applicant: applicantOf('clean') },
      evil: { url: chaos.otherHost.url, port: Number(new URL(chaos.otherHost.url).port) },
      ...{ breaking, timeoutMs: breaking ? 500 : 3_000, keys },
      ...options,
    };
    if (!child) {
      child = fork(join(import.meta.dirname, 'polluted.ts'), { stdio: 'ignore' });
      await once(child, 'message');
      // Packages are loaded before anything is polluted: one that is loaded half would fail every later order.
      child.send({ ...order, timeoutMs: 3_000, keys: [] });
      await once(child, 'message');
    }
    const before = { calls: chaos.calls.length, bytes: chaos.otherHost.bytes };
    child.send(order);
    const ended = new AbortController();
    const report = await Promise.race([
      once(child, 'message', ended).then(([message]) => message as Report),
      once(child, 'exit', ended).then((): Report => ({ error: 'died' })),
      // Three times the deadline of the calls.
      once(AbortSignal.timeout(3 * order.timeoutMs), 'abort', ended).then((): Report => ({ error: 'hung' })),
    ]);
    ended.abort();
    if (report.error === 'died' || report.error === 'hung') {
      child.kill('SIGKILL');
      child = undefined;
    }
    const sent = chaos.calls
      .slice(before.calls)
      .map(({ bytes }) => withoutTokens(bytes, chaos).replaceAll(report.id ?? 'no id', 'ID'));
    return { ...report, sent, strayBytes: chaos.otherHost.bytes - before.bytes };
  }

  return {
    decide,
    close() {
      child?.kill('SIGKILL');
    },
  };
}

/** The differences between what was seen and what was expected. */
export function differenceOf(seen: Seen, expected: Seen): string | undefined {
  if (seen.strayBytes > 0) return 'bytes sent to somebody else';
  if (seen.error !== undefined) return seen.error;
  if (seen.sent.join('\n') !== expected.sent.join('\n')) return 'other bytes sent';
  return seen.decision === expected.decision ? undefined : `another decision: ${seen.outcome}`;
}

/** A request in which each token has the same name: no two sign-ins give the same. */
function withoutTokens(bytes: Buffer, { tokens }: Chaos): string {
  return [...tokens].reduce((text, token) => text.replaceAll(token, 'TOKEN'), bytes.toString());
}
