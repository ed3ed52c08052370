/**
 * A process of its own that decides while `Object.prototype` is polluted as its parent says -> what it decided, for
 * each order.
 */

import { createDecider, type Decider } from '../../../src/decision/decide.ts';
import type { Applicant } from '../../../src/decision/request.ts';
import { loadMapping } from '../../../src/facts/mapping/mapping.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { createVerifyClient } from '../../../src/signals/client.ts';
import { createNaiveClient } from './naive.ts';

/** The parent's order. */
export interface Order {
  readonly baseUrl: string;
  readonly username: string;
  readonly password: string;
  readonly policy: string;
  readonly client: 'verdict' | 'naive';
  readonly applicant: Applicant;
  /** The reference of the decision; by default it gets its own. */
  readonly reference?: string;
  /** Hostile values by key, and the keys among them that are used. */
  readonly evil: { readonly url: string; readonly port: number };
  readonly breaking: boolean;
  /** The deadline of calls. */
  readonly timeoutMs: number;
  readonly keys: readonly string[];
}

/** The result. */
export interface Report {
  readonly id?: string;
  readonly outcome?: string;
  /** The other parts of the decision that are the same in every run. */
  readonly decision?: string;
  /** The name of the error thrown. */
  readonly error?: string;
}

const { BREAKING, pollutionOf } = await import('./pollution.ts');
const mapping = loadMapping();
/** Read before anything is polluted, and once. */
let policy: Policy | undefined;
const DAY_MS = Date.parse('2026-03-01T00:00:00Z');

process.on('message', (order: Order) => {
  carryOut(order).then(
    (report) => process.send?.(report),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.send?.('ready');

async function carryOut(order: Order): Promise<Report> {
  const { baseUrl, username, password, timeoutMs, keys } = order;
  policy ??= loadPolicy(order.policy);
  const pollution = order.breaking ? BREAKING : pollutionOf(order.evil);
  for (const key of keys) {
    // Not with a descriptor literal, which would inherit the pollution.
    const descriptor = Object.assign(Object.create(null), { value: pollution[key], enumerable: true });
    Object.defineProperty(Object.prototype, key, Object.assign(descriptor, { configurable: true, writable: true }));
  }
  let close = () => {};
  try {
    const verify =
      order.client === 'naive'
        ? createNaiveClient({ baseUrl, username, password, timeoutMs })
        : createVerifyClient({ baseUrl, environment: 'sandbox', username, password, timeoutMs });
    if ('close' in verify && typeof verify.close === 'function') close = verify.close;
    const decider: Decider = createDecider({ policy, mapping, verify, now: () => DAY_MS });
    const { reference } = order;
    const named = reference === undefined ? {} : { clientReference: reference };
    const decision = await decider.decide(order.applicant, named);
    clean(keys);
    const { id, outcome, reasons, undetermined, signals } = decision;
    return { id, outcome, decision: JSON.stringify({ outcome, reasons, undetermined, signals }) };
  } catch (error) {
    clean(keys);
    return { error: error instanceof Error ? error.name : 'something else' };
  } finally {
    clean(keys);
    close();
  }
}

function clean(keys: readonly string[]): void {
  for (const key of keys) Reflect.deleteProperty(Object.prototype, key);
}
