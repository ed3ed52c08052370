/** What a store of velocity does with applications and sets, wherever it keeps them. */

import type { Identity } from '../../decision/application.ts';
import type { Known, Measure, PolicyKinds } from '../../decision/velocity-store.ts';
import { CodedCause } from '../../errors.ts';

/**
 * An application as a home has it. Ids and hashes are 32 hex digits, sets 32 or 56: 12 bytes of the value, 4 of the
 * kind, and 12 of a second value. Times are milliseconds.
 */
export interface HomeAsking {
  /** The id of the decision, that of a new application; and that of the application which is certain, if it is. */
  readonly decision: string;
  readonly application: string | undefined;
  readonly reference: string;
  readonly applicant: Identity;
  /** When the decision was made, and when a new application began. */
  readonly at: number;
  readonly began: number;
}

/** Kinds, as 8 hex digits, in the name of a policy. */
export type HomeKinds = PolicyKinds;

/** A member of a set. */
export interface HomeMember {
  readonly set: string;
  /** The hash of a value as 32 hex digits, or a number as text. */
  readonly value?: string;
}

/** What is counted, then what is added, at once for all processes. */
export interface Applying extends HomeAsking, HomeKinds {
  /** Whether to count alone: no application, nothing noted or added. */
  readonly isPeek: boolean;
  readonly hasPast: boolean;
  /** Applications of these times were not counted: noted before all else. */
  readonly missed: { readonly from: number; readonly to: number } | undefined;
  readonly counts: readonly HomeCount[];
  /** In their order: two that wait for each other would wait for ever. */
  readonly adds: readonly HomeMember[];
}

export interface HomeCount {
  readonly set: string;
  readonly kind: string;
  readonly measure: Measure;
  readonly withinMs: number;
  /** What is before this time is taken for nothing; -1 for none. */
  readonly since: number;
  readonly where: { readonly key: keyof Known; readonly value: string } | undefined;
  /** Under which the answer is kept, for when the application comes again. */
  readonly key: string;
}

/**
 * What was counted: for each count a number as text; for `sum` the numbers, with spaces; for `first` and `last` a time,
 * or an empty text. And from when on each is complete.
 */
export interface Applied {
  readonly application: string;
  /** When the application began. */
  readonly began: number;
  readonly answers: readonly string[];
  readonly since: readonly number[];
}

/** An application that is put into the store again. */
export interface HomeRestoring extends HomeAsking {
  /** Whether it is a decision; else only what is known later of its application, if that is there. */
  readonly isDecision: boolean;
  readonly adds: readonly HomeMember[];
  readonly known: Known;
  /** Answers by the keys of counts: those that the application does not have yet are kept. */
  readonly counted: Readonly<Record<string, string>>;
}

/** From when on kinds are complete. */
export interface HomeCoverage {
  readonly since: readonly (number | null)[];
  readonly gap: { readonly from: number; readonly to: number } | null;
  readonly logs: readonly string[];
  readonly policies: number;
  readonly filledTo: number | null;
}

export interface HomeCovered extends HomeKinds {
  readonly at: number;
  readonly since: number | undefined;
  readonly log: string | undefined;
  readonly gap: { readonly from: number; readonly to: number } | undefined;
}

/**
 * What a sweep deletes: what is not kept at a time; or what is of hashes: sets, values, applications. With `isDryRun`
 * it counts these members, and deletes nothing.
 */
export type Swept = { readonly now: number } | { readonly hashes: readonly string[]; readonly isDryRun: boolean };

/** `init`: make the tables, or mark the database; `discards`: make a store of the format before anew. */
export interface Opening {
  readonly init: boolean;
  readonly discards: boolean;
}

/** Every function rejects with `VelocityUnavailable`, within the deadline of the store. */
export interface VelocityHome {
  apply(of: Applying): Promise<Applied>;
  restore(of: readonly HomeRestoring[]): Promise<void>;
  coverage(of: HomeKinds): Promise<HomeCoverage>;
  cover(of: HomeCovered): Promise<void>;
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

/** Of a store that another version has written. */
export const OTHER_FORMAT =
  'the velocity store has another format than this version writes: verdict velocity init --discard makes it anew';

/** The store could not be read or written, or not in time: nothing is known. */
export class VelocityUnavailable extends Error {
  override readonly name = 'VelocityUnavailable';

  /** `more`: what was done before. */
  constructor(code: string, more = '') {
    super(`the velocity store is not available (${code})${more}`, { cause: new CodedCause(code) });
  }
}
