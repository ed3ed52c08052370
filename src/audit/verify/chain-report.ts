/** What the verification of one chain reports. */

import type { ChainHead } from '../checkpoint/checkpoint.ts';
import type { ErasureFields } from '../entry/entry.ts';
import type { ShreddedRecords } from './erasure/shredded-records.ts';
import type { Finding } from './finding.ts';

/** A chain up to the last entry that could be read. */
export interface ChainReport extends ChainHead {
  /** How many segments are there. */
  readonly segments: number;
  /** How many segments have a tombstone. */
  readonly pruned: number;
  readonly decisions: number;
  readonly notes: number;
  readonly erasures: number;
  /** How many encrypted bodies were opened and agree with their clear fields; 0 without the key folder. */
  readonly opened: number;
  /** How many bodies are plain: only the chain protects them from being changed. */
  readonly plain: number;
  /** The chain ends in a partial line that its process is still writing. */
  readonly isBeingWritten: boolean;
  /** The checkpoint's entry was pruned, so the chain could not be compared with the checkpoint. */
  readonly isPromisePruned: boolean;
  /** Whether the chain was read to its end; nothing is known of what follows an entry that ended the reading. */
  readonly isRead: boolean;
  /** How many tails were set aside after a crash. */
  readonly tornTails: number;
}

/** A verified chain. */
export interface CheckedChain {
  readonly report: ChainReport;
  /** Of its entries the first bad one, of its files all. */
  readonly findings: readonly Finding[];
  /** The records whose keys are erased or missing. */
  readonly shredded: ShreddedRecords;
  readonly erasures: readonly ErasureFields[];
}
