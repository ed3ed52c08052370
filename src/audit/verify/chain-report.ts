/** What the verification of each chain reports -> what the verification of the log could not detect, in words. */

import { count } from '../../text.ts';
import type { ErasureFields } from '../entry/entry.ts';
import type { ChainHead, Checkpoint } from './checkpoint.ts';
import type { Finding } from './finding.ts';
import type { ShreddedRecords } from './record-sets.ts';

/** A chain up to the last entry that could be read. */
export interface ChainReport extends ChainHead {
  /** How many segments are there. */
  readonly segments: number;
  /** How many segments have a tombstone. */
  readonly pruned: number;
  readonly decisions: number;
  readonly notes: number;
  readonly events: number;
  readonly erasures: number;
  /** How many encrypted bodies were opened and agree with their clear fields; 0 without the key folder. */
  readonly opened: number;
  /** How many bodies are plain: only the chain protects them from being changed. */
  readonly plain: number;
  /** The chain ends in a partial line that its process is still writing. */
  readonly isBeingWritten: boolean;
  /** The checkpoint's entry was pruned, so the chain could not be compared with the checkpoint. */
  readonly isPromisePruned: boolean;
  /** Whether the chain was verified to its end. */
  readonly isRead: boolean;
  /** What follows the entry that ended the verification. */
  readonly rest?: ChainRest;
  /** How many tails were set aside after a crash. */
  readonly tornTails: number;
}

/**
 * Lines after a bad entry. They are not verified: nothing ties them to what comes before. Those that are changed, or
 * that lack a neighbour, are told from those that hang together.
 */
export interface ChainRest {
  readonly lines: number;
  /** Lines with their own hash that follow the line before, if that has its own hash too. */
  readonly linked: number;
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

/**
 * Never empty: no checkpoint covers what was written after it. Takes also whether the caller gave the public keys, and
 * how many shredded records may have their erasure entry in a part of the log that could not be read.
 */
export function limitations(
  checkpoint: Checkpoint | undefined,
  chains: readonly ChainReport[],
  isKeyGiven: boolean,
  unexplained: number,
): string[] {
  const sum = (value: (chain: ChainReport) => number) => chains.reduce((total, chain) => total + value(chain), 0);
  const [pruned, torn] = [sum((chain) => chain.pruned), sum(({ tornTails }) => tornTails)];
  const incomparable = sum(({ isPromisePruned }) => Number(isPromisePruned));
  const unread = sum(({ isRead }) => Number(!isRead));
  const lengths = new Map(checkpoint?.heads.map((head) => [head.chain, head.length]));
  const unnamed = checkpoint ? chains.filter(({ chain, length }) => length > 0 && !lengths.has(chain)) : [];
  const unnamedEntries = unnamed.reduce((total, { length }) => total + length, 0);
  const later = sum(({ chain, length }) => Math.max(0, length - (lengths.get(chain) ?? length)));
  const signed = [checkpoint ? 'the checkpoint' : '', pruned > 0 ? count(pruned, 'tombstone') : ''].filter(Boolean);
  const were = signed.length > 1 || pruned > 1 ? 'were' : 'was';
  const rows: readonly (readonly [applies: boolean, words: string])[] = [
    [
      checkpoint !== undefined,
      `without a later checkpoint, changes to what was written after ${checkpoint?.at} cannot be detected: ` +
        'truncation, rewriting or extension with valid hashes, or removal of a chain begun since',
    ],
    [
      checkpoint === undefined,
      'without a checkpoint that is kept elsewhere, these go unnoticed: lines cut off at the end of a chain, a chain ' +
        'that was rewritten, extended with valid hashes or removed as a whole, and a changed origin in log.json',
    ],
    [
      unnamed.length > 0,
      `the checkpoint does not name ${count(unnamed.length, 'chain')}, with ${count(unnamedEntries, 'line')}`,
    ],
    [later > 0, `the checkpoint does not cover ${count(later, 'line')} after the heads that it names`],
    [
      unread > 0,
      `what follows the first bad entry of ${count(unread, 'chain')} was not verified: ` +
        `${sum(({ rest }) => rest?.linked ?? 0)} of ${count(
          sum(({ rest }) => rest?.lines ?? 0),
          'line',
        )} there have ` +
        'their own hash and follow the line before',
    ],
    [
      unexplained > 0,
      `the keys of ${count(unexplained, 'record')} are erased or missing; whether an erasure is on record is ` +
        'unknown, because part of the log could not be read',
    ],
    [
      torn > 0,
      `${count(torn, 'tail')} set aside after a crash: whether such a record was never acknowledged, or its end was ` +
        'removed later, cannot be detected',
    ],
    [
      signed.length > 0 && !isKeyGiven,
      `${signed.join(' and ')} ${were} checked with the public key in the log's own folder, which anyone who can ` +
        'rewrite the log can replace; give a key kept outside the log',
    ],
    [
      incomparable > 0,
      `the checkpoint's entry was pruned in ${count(incomparable, 'chain')}, so it could not be compared there`,
    ],
  ];
  return rows.filter(([applies]) => applies).map(([, words]) => words);
}
