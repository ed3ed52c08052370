/** The decisions whose keys are gone, and the erasures on record -> which were erased, and which nobody can read for another reason. */

import type { ErasureFields } from './line.ts';
import type { LineAt } from './read.ts';

/** Compares the two once the log was read: an erasure may be told of in any chain. */
export class GoneDecisions {
  readonly #gone: LineAt[] = [];
  /** The subjects for whom a record was erased, by its id. */
  readonly #subjects = new Map<string, readonly string[]>();

  /** A decision whose key is gone. */
  add(at: LineAt): void {
    this.#gone.push(at);
  }

  /** An erasure on record. */
  tell({ subject, records }: ErasureFields): void {
    for (const id of records) this.#subjects.set(id, [...(this.#subjects.get(id) ?? []), ...subject]);
  }

  /** How many were erased for a subject of their own, and the others. */
  result(): { readonly erased: number; readonly others: readonly LineAt[] } {
    const others = this.#gone.filter(({ line }) => !this.#isErased(line));
    return { erased: this.#gone.length - others.length, others };
  }

  #isErased(line: LineAt['line']): boolean {
    if (line.kind !== 'decision') return false;
    const own = Object.values(line.subjects);
    return this.#subjects.get(line.id)?.some((hash) => own.includes(hash)) ?? false;
  }
}
