/** The name of an application, and its value -> what a store is asked to count for it. */

import { hash } from 'node:crypto';
import type {
  AskedCount,
  Asking,
  Counting,
  SeenMember,
  VelocityStore,
} from '../../../../src/decision/velocity-store.ts';

export const HOUR_MS = 3_600_000;
export const KEEP_MS = 24 * HOUR_MS;
export const APPLICATIONS = 'applications by ip';

/** The id of a decision: of its name, and a time. Of numbers, the ids of one time are in their order. */
export function decisionId(name: string | number, at: number): string {
  const digits = Math.max(0, at).toString(16).padStart(12, '0');
  const rest = typeof name === 'number' ? name.toString(16).padStart(18, '0') : hash('sha256', name);
  const tail = `7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
  return `${digits.slice(0, 8)}-${digits.slice(8)}-${tail}`;
}

/** A decision about nobody in particular, whose reference is its name. */
export function asking(store: VelocityStore, name: string, at: number): Asking {
  return { decision: decisionId(name, at), reference: store.hash(`reference ${name}`), applicant: {} };
}

/** An application that counts those of its value within an hour, and adds itself. */
export function counting(store: VelocityStore, name: string, of: string, at = Date.now()): Counting {
  return countingOf(store, name, { of, at, counts: [{}], adds: [{}] });
}

/** The same with any counts and members of a kind. */
export function countingOf(
  store: VelocityStore,
  name: string,
  given: {
    readonly of: string;
    readonly at: number;
    readonly counts: readonly Partial<AskedCount>[];
    readonly adds: readonly Partial<SeenMember>[];
  },
): Counting {
  const set = { of: [store.hash(given.of)], kind: APPLICATIONS };
  const counts = given.counts.map((each) => ({ ...set, measure: 'applications' as const, withinMs: HOUR_MS, ...each }));
  const adds = given.adds.map((each) => ({ ...set, ...each }));
  const kinds = [...new Set([...counts, ...adds].map(({ kind }) => kind))].map((kind) => ({ kind, keepMs: KEEP_MS }));
  return {
    ...asking(store, name, given.at),
    ...{ policy: store.hash('policy'), kinds, hasPast: false, counts, adds },
  };
}
