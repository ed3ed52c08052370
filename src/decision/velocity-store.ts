/** Keyed hashes and times -> how much was seen of them before: the port to a store of velocity. */

import type { Kind } from '../platform/given/options.ts';

/** A set of what was seen with one value, such as the applications from one IP address. */
export interface SeenSet {
  /** The keyed hash of the value, which is the same in each set of that value. */
  readonly of: string;
  /** What the members are, such as `applications`, `distinct email` or `applications where outcome=reject`. */
  readonly kind: string;
}

/** A member of a set: the keyed hash of an application or of a value. */
export interface SeenMember extends SeenSet {
  readonly member: string;
}

/** A member, and when it was seen. */
export interface TimedMember extends SeenMember {
  /** The time of the application in milliseconds since 1970; of several times of one member the latest counts. */
  readonly at: number;
  /** How long after that time it is kept. */
  readonly keepMs: number;
}

/** One application: what to count for it, and what to add. */
export interface Counting {
  /** The keyed hash of its reference, or of its decision. */
  readonly application: string;
  /** In milliseconds since 1970, by the caller's clock. */
  readonly at: number;
  readonly counts: readonly (SeenSet & { readonly withinMs: number })[];
  readonly adds: readonly TimedMember[];
}

/**
 * What was seen, for all processes that share the store. Every function rejects if the store is down or slower than its
 * own deadline: the caller then knows nothing, and must not take that for zero.
 */
export interface VelocityStore {
  /** The keyed hash of a text: nobody without the store's key can list the values that were seen. */
  hash(text: string): string;
  /**
   * At once for all processes: the members of each set that were added before and whose time is after `at - withinMs`
   * (also beyond `at`: a clock may have been set back), then adds. An application that was counted before gets its
   * counts of then, and changes nothing.
   */
  count(of: Counting): Promise<readonly number[]>;
  /** Adds what became known of an application later, such as its outcome. Repeated, it changes nothing. */
  add(members: readonly TimedMember[]): Promise<void>;
  /** Takes members out again, such as those of a disposition that was corrected. */
  remove(members: readonly SeenMember[]): Promise<void>;
  /** Deletes the sets of these hashes, and these hashes from all sets. Resolves with how many members it deleted. */
  erase(hashes: readonly string[]): Promise<number>;
  /** How many members `erase` would delete of these hashes. */
  countMembers(hashes: readonly string[]): Promise<number>;
  /** Deletes what is no longer kept, counted to a time in milliseconds since 1970. Resolves with how many members. */
  prune(now: number): Promise<number>;
  close(): Promise<void>;
}

/** A store, or at least what a decision asks of one. */
export const VELOCITY_STORE: Kind = {
  expected: 'a store of velocity: `await createVelocityStore(…)`',
  is: (value) => {
    const { hash, count, add } = (value ?? {}) as Partial<VelocityStore>;
    return [hash, count, add].every((each) => typeof each === 'function');
  },
};
