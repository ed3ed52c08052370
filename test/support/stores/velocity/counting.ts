/** The name of an application, and its value -> what a store is asked to count for it. */

import type { Counting, VelocityStore } from '../../../../src/decision/velocity-store.ts';

export const HOUR_MS = 3_600_000;
export const KEEP_MS = 24 * HOUR_MS;
export const APPLICATIONS = 'applications';

/** An application that counts those of its value within an hour, and adds itself. */
export function counting(store: VelocityStore, name: string, of: string, at = Date.now()): Counting {
  const [application, set] = [store.hash(name), { of: store.hash(of), kind: APPLICATIONS }];
  return {
    ...{ application, at, counts: [{ ...set, withinMs: HOUR_MS }] },
    adds: [{ ...set, member: application, at, keepMs: KEEP_MS }],
  };
}
