/** What somebody does to a log, and what a verification has to say of it. */

import type { Victim } from './victim.ts';

/** A way to tamper with a log. */
export interface Tamper {
  readonly name: string;
  /** The codes of all findings, sorted; none where nothing can be seen. */
  readonly seen: string;
  /** The same with a checkpoint from before, and the public key kept with it. */
  readonly seenWithCheckpoint: string;
  /** The log may be changed at will; `pruned` logs have lost the first segment of each chain to a tombstone. */
  readonly tamper: (log: Victim) => void;
}

/** One that is seen as well without a checkpoint as with one, unless it is said. */
export function tamper(name: string, seen: string, change: (log: Victim) => void, seenWithCheckpoint = seen): Tamper {
  return { name, seen, seenWithCheckpoint, tamper: change };
}
