/** A way to tamper with a log, and the findings that a verification must report. */

import type { Victim } from './victim.ts';

/** A way to tamper with a log. */
export interface Tamper {
  readonly name: string;
  /** The codes of all findings, sorted; empty if the change cannot be found. */
  readonly seen: string;
  /** The same with an earlier checkpoint and the public key kept with it. */
  readonly seenWithCheckpoint: string;
  /** Changes the log; in `pruned` logs a tombstone replaces the first segment of each chain. */
  readonly tamper: (log: Victim) => void;
}

/** A way that is found with and without a checkpoint, unless said otherwise. */
export function tamper(name: string, seen: string, change: (log: Victim) => void, seenWithCheckpoint = seen): Tamper {
  return { name, seen, seenWithCheckpoint, tamper: change };
}
