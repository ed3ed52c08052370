/** What a chain is held to when it is read, and what comes of it. */

import type { ChainHead } from '../checkpoint/checkpoint.ts';
import type { BodyEntry, Entry, ErasureFields } from '../entry/entry.ts';
import type { TrustedKeys } from '../keys/signature.ts';
import type { ShreddedRecords } from './erasure/shredded-records.ts';
import type { Finding, FindingCode } from './finding.ts';
import type { IdSet } from './id-set.ts';

/** What a chain is held to. */
export interface ChainSetting {
  /** The folder of the chain, and its name seen from the log's folder. */
  readonly path: string;
  readonly name: string;
  readonly chain: string;
  readonly log: string;
  readonly trusted: TrustedKeys;
  /** What a checkpoint says of it. */
  readonly promise: ChainHead | undefined;
  /** Of the chains before, and then of this one too. */
  readonly ids: IdSet;
  /** What is wrong with a record that is good where it stands. May be asked twice of one record, in a chain that is being written. */
  check(line: Entry): Promise<Defect | undefined> | Defect | undefined;
  /** What is wrong with the body of a record that is good, or that its key is gone. Where there are no keys, bodies are not opened. */
  readonly openBody: ((line: BodyEntry) => Promise<Defect | 'gone' | undefined>) | undefined;
}

/** What is wrong, without its place. */
export interface Defect {
  readonly code: FindingCode;
  readonly message: string;
}

/** A chain as far as it was read. */
export interface ChainReport extends ChainHead {
  readonly segments: number;
  /** Segments that have a tombstone. */
  readonly pruned: number;
  readonly decisions: number;
  readonly notes: number;
  readonly erasures: number;
  /** Of the decisions and notes those whose bodies are sealed, opened and said what stands in clear; 0 where there are no keys. */
  readonly opened: number;
  /** Those whose bodies stand in clear: nothing but the chain binds them to who wrote them. */
  readonly plain: number;
  /** It ends in a line that its process was still writing. */
  readonly isBeingWritten: boolean;
  /** The checkpoint's line was pruned, and cannot be compared. */
  readonly isPromisePruned: boolean;
  /** Whether it was read to its end; of what stands behind a line that ends the reading nothing is known. */
  readonly isRead: boolean;
  /** Tails that were set aside after a crash. */
  readonly tornTails: number;
}

/** What came of a chain: of its records the first bad one, of its files all. */
export interface CheckedChain {
  readonly report: ChainReport;
  readonly findings: readonly Finding[];
  /** The records whose keys are gone. */
  readonly gone: ShreddedRecords;
  /** The erasures that are on record here. */
  readonly erasures: readonly ErasureFields[];
}
