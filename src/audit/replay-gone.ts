/** The decisions whose keys are gone, and the erasures on record -> which were erased, and which nobody can read for another reason. */

import { subjectMark } from './gone.ts';
import type { DecisionFields, ErasureFields, Line } from './line.ts';

/** A decision's line, and where it stands. */
export interface DecisionAt {
  readonly line: Line & DecisionFields;
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

export function placeOf({ line: { id, chain }, segment, number }: DecisionAt): DecisionPlace {
  return { id, chain, segment, line: number };
}

/** Compares the two once the log was read: an erasure may be told of in any chain. What is kept of a decision is small. */
export class GoneDecisions {
  readonly #gone: { readonly place: DecisionPlace; readonly subjects: readonly string[] }[] = [];
  /** The marks of the subjects for whom a record was erased, by its id. */
  readonly #subjects = new Map<string, readonly string[]>();

  /** A decision whose key is gone. */
  add(at: DecisionAt): void {
    this.#gone.push({ place: placeOf(at), subjects: Object.values(at.line.subjects).map(subjectMark) });
  }

  /** An erasure on record. */
  tell({ subject, records }: ErasureFields): void {
    const marks = subject.map(subjectMark);
    for (const id of records) {
      const before = this.#subjects.get(id);
      this.#subjects.set(id, before ? [...before, ...marks] : marks);
    }
  }

  /** How many were erased for a subject of their own, and the others. */
  result(): { readonly erased: number; readonly others: readonly DecisionPlace[] } {
    const others = this.#gone.filter(({ place, subjects }) => {
      return !this.#subjects.get(place.id)?.some((mark) => subjects.includes(mark));
    });
    return { erased: this.#gone.length - others.length, others: others.map(({ place }) => place) };
  }
}
