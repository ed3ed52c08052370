/** Decisions with shredded keys, and erasure entries -> how many were erased, and which have no erasure on record. */

import type { DecisionFields, Entry, ErasureFields } from '../../entry/entry.ts';
import { ErasureIndex } from '../../verify/erasure/erasure-index.ts';
import { type ShreddedRecord, subjectMark } from '../../verify/erasure/shredded-records.ts';
import type { LocatedEntry } from '../read-log.ts';

/** A decision's entry and its position. */
export interface LocatedDecision extends LocatedEntry {
  readonly entry: Entry & DecisionFields;
}

/** The id and the position of a decision. */
export interface DecisionPosition {
  readonly id: string;
  readonly chain: string;
  readonly segment: number;
  /** From 1, in its file. */
  readonly line: number;
}

export function positionOf({ entry: { id, chain }, segment, line }: LocatedDecision): DecisionPosition {
  return { id, chain, segment, line };
}

/** Ask for the result once the whole log was read. Keeps little of each decision. */
export class ShreddedDecisions {
  readonly #shredded: (DecisionPosition & ShreddedRecord)[] = [];
  readonly #erasures = new ErasureIndex();

  /** Adds a decision whose key is overwritten or missing. */
  add(decision: LocatedDecision): void {
    const subjects = Object.values(decision.entry.subjects).map(subjectMark);
    this.#shredded.push({ ...positionOf(decision), subjects });
  }

  addErasure(erasure: ErasureFields): void {
    this.#erasures.add(erasure);
  }

  /** How many decisions were erased for a subject of their own, and the others. */
  result(): { readonly erased: number; readonly others: readonly DecisionPosition[] } {
    const others = this.#shredded.filter((record) => this.#erasures.statusOf(record) !== 'erased');
    return {
      erased: this.#shredded.length - others.length,
      others: others.map(({ id, chain, segment, line }) => ({ id, chain, segment, line })),
    };
  }
}
