/** The chains of a log, as they were read -> the records whose keys are gone though the log tells of no erasure, or of another subject's. */

import type { CheckedChain, GoneRecord } from './chain-check.ts';
import type { Finding } from './finding.ts';

/** Compares erasures with the records whose keys are gone, once all chains were read: each may be told of in any of them. */
export class ErasureCheck {
  readonly #gone: GoneRecord[] = [];
  /** The hashes of the subjects for whom a record was erased, by its id. */
  readonly #subjects = new Map<string, Set<string>>();
  #isRead = true;

  add({ gone, erasures, report }: CheckedChain): void {
    for (const record of gone) this.#gone.push(record);
    for (const { subject, records } of erasures) {
      for (const id of records) {
        const subjects = this.#subjects.get(id) ?? new Set();
        for (const hash of subject) subjects.add(hash);
        this.#subjects.set(id, subjects);
      }
    }
    this.#isRead &&= report.isRead;
  }

  /** How many records were erased, as the log tells. */
  get told(): number {
    return this.#gone.filter(({ id }) => this.#subjects.has(id)).length;
  }

  /** How many may have been, as a part of the log may tell that could not be read. */
  get unsure(): number {
    return this.#isRead ? 0 : this.#gone.filter(({ id }) => !this.#subjects.has(id)).length;
  }

  /** Of each chain the first. */
  findings(): Finding[] {
    const first = new Map<string | undefined, Finding>();
    for (const record of this.#gone) {
      const { where } = record;
      const wrong = this.#wrongWith(record);
      if (wrong && !first.has(where.chain)) first.set(where.chain, { ...where, ...wrong });
    }
    return [...first.values()];
  }

  #wrongWith({ id, subjects }: GoneRecord): Pick<Finding, 'code' | 'message'> | undefined {
    const erasedFor = this.#subjects.get(id);
    if (erasedFor) return subjects.some((hash) => erasedFor.has(hash)) ? undefined : OTHER;
    return this.#isRead ? GONE : undefined;
  }
}

const GONE = {
  code: 'key-missing',
  message: 'found no key for the body, expected one, since the log tells of no erasure of this record',
} as const;
const OTHER = {
  code: 'erasure-differs',
  message: 'found an erasure of this record for a subject that is none of its own',
} as const;
