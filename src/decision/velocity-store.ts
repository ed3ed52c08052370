/** Keyed hashes and times -> how much was seen of them before: the port to a store of velocity. */

import type { Kind } from '../platform/given/options.ts';
import type { Identity } from './application.ts';

/** A set of what was seen with one value, such as the applications from one IP address. */
export interface SeenSet {
  /** The keyed hash of the value, or of each of two, which is the same in each set of that value. */
  readonly of: readonly string[];
  /** What the members are, such as `applications by ip` or `distinct email by ip`. */
  readonly kind: string;
}

/** An application as a member of a set, with what is counted of it: the hash of a value, or a number. */
export interface SeenMember extends SeenSet {
  readonly value?: string;
}

/** What a count says of the members of a set: see `Counted`. */
export type Measure = 'applications' | 'distinct' | 'sum' | 'first' | 'last';

/** One count of a set. */
export interface AskedCount extends SeenSet {
  readonly measure: Measure;
  /** How long before the application the members may be, in milliseconds. */
  readonly withinMs: number;
  /** What was before is taken for nothing: in milliseconds since 1970. */
  readonly sinceMs?: number;
  /** Only applications of which this is known. */
  readonly where?: { readonly key: keyof Known; readonly value: string };
}

/** A decision, and what tells which application it belongs to. */
export interface Asking {
  /** The id of the decision. A new application gets it. */
  readonly decision: string;
  /** The id of the application, if a store has found it before: it is taken for certain. */
  readonly application?: string;
  /** The keyed hash of the caller and its reference. */
  readonly reference: string;
  /** The keyed hashes of what is known of the applicant. */
  readonly applicant: Identity;
}

/** What became known of an application, and when, in milliseconds since 1970: of two, the later one holds. */
export interface Known {
  readonly outcome?: KnownLater;
  readonly review?: KnownLater;
  readonly label?: KnownLater;
}

export interface KnownLater {
  readonly value: string;
  readonly at: number;
}

/** How long the members of each kind of a policy are kept, in milliseconds: as long as its longest window. */
export interface PolicyKinds {
  /** The keyed hash of the policy's name. */
  readonly policy: string;
  readonly kinds: readonly { readonly kind: string; readonly keepMs: number }[];
}

/** One application: what to count for it, and what to add. */
export interface Counting extends Asking, PolicyKinds {
  /** Whether there may be applications that an empty store has not seen: those of a log. */
  readonly hasPast: boolean;
  readonly counts: readonly AskedCount[];
  readonly adds: readonly SeenMember[];
}

/**
 * What a count gives: a number (for `first` and `last` whole minutes); null if no application is there that `first` and
 * `last` could speak of; or, if the window reaches into what was not counted, the time at which it no longer does.
 */
export type CountedNumber = number | null | { readonly completeAt: number };

/** What was counted, and the id of the application: that of its first decision. */
export interface Counted {
  readonly application: string;
  readonly counts: readonly CountedNumber[];
}

/** An application on record, as it is put into a store again. */
export interface Restoring extends Asking {
  readonly adds: readonly SeenMember[];
  readonly known: Known;
  /** The numbers that it was counted, to be given again. */
  readonly counted: readonly { readonly count: AskedCount; readonly number: number | null }[];
}

/** From when on a policy's counts are complete, in milliseconds since 1970. */
export interface Coverage {
  /** By kind; 0 from the beginning. Those that the policy has never asked for are absent. */
  readonly since: ReadonlyMap<string, number>;
  /** The applications of these times may be missing: the store was away. */
  readonly gap: { readonly from: number; readonly to: number } | undefined;
  /** The ids of the logs that have filled the store. */
  readonly logs: readonly string[];
  /** How many policies have asked for something; 0 for a new store. */
  readonly policies: number;
  /** Until when a log was followed. */
  readonly filledTo: number | undefined;
}

/** What a policy asks for, and what was filled for it. */
export interface Covered extends PolicyKinds {
  /** Now: kinds that are new to the store are complete from then on. In milliseconds since 1970, as `since` is. */
  readonly at: number;
  /** From when on all is in the store that there ever was; 0 from the beginning. */
  readonly since?: number;
  /** The id of the log that filled it, up to `at`. */
  readonly log?: string;
  /** The gap that was filled. */
  readonly gap?: Coverage['gap'];
}

/**
 * What was seen, for all processes that share the store. Every function rejects if the store is down or slower than its
 * own deadline: the caller then knows nothing, and must not take that for zero.
 */
export interface VelocityStore {
  /** The keyed hash of a text: nobody without the store's key can list the values that were seen. */
  hash(text: string): string;
  /**
   * At once for all processes: finds the application, counts the others of each set whose time is after its own less
   * `withinMs` (also beyond it: a clock may have been set back), then adds it. A count that the application had before
   * it has again. An application is in a set once, with its first value.
   */
  count(of: Counting): Promise<Counted>;
  /** Sets what became known of an application later, such as its outcome. Repeated, it changes nothing. */
  know(of: Asking & { readonly known: Known }): Promise<void>;
  /** Puts applications on record into the store, as if it had counted them. Repeated, it changes nothing. */
  restore(of: readonly Restoring[]): Promise<void>;
  /** From when on these kinds of a policy are complete. */
  coverage(of: PolicyKinds): Promise<Coverage>;
  /** Notes that a policy asks for these kinds; with `since`, that they are complete from then on. */
  cover(of: Covered): Promise<void>;
  /**
   * Deletes the sets of these hashes, the members whose values they are, and the applications whose ids they are.
   * Resolves with how many members it deleted.
   */
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
    const { hash, count, know } = (value ?? {}) as Partial<VelocityStore>;
    return [hash, count, know].every((each) => typeof each === 'function');
  },
};
