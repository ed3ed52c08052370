/** The decisions whose keys are gone, and the erasures on record -> which were erased, and which nobody can read for another reason. */

import type { DecisionFields, Entry, ErasureFields } from '../../entry/entry.ts';
import { ErasureIndex } from '../../verify/erasure/erasure-index.ts';
import { type ShreddedRecord, subjectMark } from '../../verify/erasure/shredded-records.ts';

/** A decision's line, and where it stands. */
export interface DecisionPosition {
  readonly line: Entry & DecisionFields;
  readonly segment: number;
  readonly number: number;
}

/** Which decision, and where it stands. */
export interface DecisionPlace {
  readonly id: string;
  readonly chain: string;
  readonly segment: number;
  /** From 1, in its file. */
  readonly line: number;
}

export function placeOf({ line: { id, chain }, segment, number }: DecisionPosition): DecisionPlace {
  return { id, chain, segment, line: number };
}

/** Compares the two once the log was read. What is kept of a decision is small. */
export class ShreddedDecisions {
  readonly #gone: (DecisionPlace & ShreddedRecord)[] = [];
  readonly #told = new ErasureIndex();

  /** A decision whose key is gone. */
  add(at: DecisionPosition): void {
    this.#gone.push({ ...placeOf(at), subjects: Object.values(at.line.subjects).map(subjectMark) });
  }

  /** An erasure on record. */
  tell(erasure: ErasureFields): void {
    this.#told.add(erasure);
  }

  /** How many were erased for a subject of their own, and the others. */
  result(): { readonly erased: number; readonly others: readonly DecisionPlace[] } {
    const others = this.#gone.filter((record) => this.#told.statusOf(record) !== 'erased');
    return {
      erased: this.#gone.length - others.length,
      others: others.map(({ id, chain, segment, line }) => ({ id, chain, segment, line })),
    };
  }
}
