/** What a store of velocity does with sets and members, wherever it keeps them. */

import { CodedCause } from '../../errors.ts';

/**
 * What is counted, then what is added, at once for all processes. Sets, members and records are 16 bytes, as 32 hex
 * digits, and times are milliseconds.
 */
export interface Applying {
  /** Of an application: under its id the counts are kept, and given again without counting. Without one: neither. */
  readonly record?: { readonly id: string; readonly at: number; readonly keepMs: number } | undefined;
  /** The members of each set after a time, which is at least -1. */
  readonly counts: readonly { readonly set: string; readonly after: number }[];
  /** Each set and member once, in their order: two that wait for each other would wait for ever. */
  readonly adds: readonly {
    readonly set: string;
    readonly member: string;
    readonly at: number;
    readonly keepMs: number;
  }[];
}

/**
 * What a sweep deletes: what is not kept at a time; or sets whose first 12 bytes, and members, are of hashes. With
 * `isDryRun` it counts these members, and deletes nothing.
 */
export type Swept = { readonly now: number } | { readonly hashes: readonly string[]; readonly isDryRun: boolean };

/** Every function rejects with `VelocityUnavailable`, within the deadline of the store. */
export interface VelocityHome {
  /** The counts, joined by commas: as they are kept. */
  apply(of: Applying): Promise<string>;
  remove(members: readonly { readonly set: string; readonly member: string }[]): Promise<void>;
  /** Sweeps a part of the store. `next` is where the rest begins, undefined if there is none. */
  sweep(what: Swept, from: string | undefined): Promise<{ readonly deleted: number; readonly next?: string }>;
  close(): Promise<void>;
}

/**
 * Members end by themselves, by the clock of the store, so long after they need not be kept any more: the clocks of
 * the machines that count may be behind it.
 */
export const GRACE_MS = 86_400_000;

/** For one of so many applications, a part of the store with so many rows is swept: eight rows for each. */
export const SELF_SWEEP = { everyth: 256, rows: 2048 };

/** Rows of a sweep that was asked for. */
export const SWEEP_ROWS = 4096;

/** The store could not be read or written, or not in time: nothing is known. */
export class VelocityUnavailable extends Error {
  override readonly name = 'VelocityUnavailable';

  constructor(code: string) {
    super(`the velocity store is not available (${code})`, { cause: new CodedCause(code) });
  }
}
