/** What readers of a log find, in any order and in parts -> how many decisions there are, and the newest of them with what became of each. */

import type { NoteFields } from '../entry/entry.ts';
import type { ClearDecision, ClearNote } from './search-entry.ts';

/** A decision that was found. */
export interface FoundDecision extends ClearDecision {
  /** What a person did after it, as the last note on it says. */
  readonly disposition?: NoteFields['disposition'];
  /** The erasure of its body is on record: it can be found, and no longer be shown. */
  readonly erased: boolean;
}

/** What was found. */
export interface CollectedResults {
  /** The newest first; of those of one instant the one with the greater id. */
  readonly rows: readonly FoundDecision[];
  /** How many there are in all. */
  readonly total: number;
}

/** Where a record stands in time. */
type Moment = Pick<ClearDecision, 'at' | 'id'>;

/** Keeps the newest decisions alone; all notes and the ids of all erasures, since a decision may be found later than its notes. */
export class ResultCollector {
  readonly #limit: number;
  #newest: ClearDecision[] = [];
  /** Once there are enough: the oldest that is kept. */
  #oldest: Moment | undefined;
  #total = 0;
  readonly #notes = new Map<string, ClearNote>();
  readonly #erased = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts decisions that are not given. */
  count(decisions: number): void {
    this.#total += decisions;
  }

  addDecision(found: ClearDecision): void {
    this.#total += 1;
    if (this.#oldest && newestFirst(found, this.#oldest) > 0) return;
    const { at, id, outcome, codes, rules, undetermined, causes, policy } = found;
    const { name, version, digest } = policy;
    // What else the line holds, its body above all, is let go.
    this.#newest.push({
      ...{ at, id, outcome, codes, rules, undetermined, causes },
      policy: { name, version, digest },
    });
    // To sort now and then takes less time than to keep them sorted.
    if (this.#newest.length >= 2 * this.#limit + 1000) this.#cut();
  }

  addNote({ at, id, decision, disposition }: ClearNote): void {
    const known = this.#notes.get(decision);
    const note = { at, id, decision, disposition };
    if (!known || newestFirst(note, known) < 0) this.#notes.set(decision, note);
  }

  addErasure(records: readonly string[]): void {
    for (const record of records) this.#erased.add(record);
  }

  /** The ids of the decisions that may be given. */
  ids(): readonly string[] {
    this.#cut();
    return this.#newest.map(({ id }) => id);
  }

  gathered(): CollectedResults {
    this.#cut();
    const rows = this.#newest.map((decision): FoundDecision => {
      const note = this.#notes.get(decision.id);
      const said = note ? { disposition: note.disposition } : {};
      return { ...decision, ...said, erased: this.#erased.has(decision.id) };
    });
    return { rows, total: this.#total };
  }

  #cut(): void {
    this.#newest.sort(newestFirst);
    if (this.#newest.length < this.#limit) return;
    this.#newest.length = this.#limit;
    this.#oldest = this.#newest.at(-1);
  }
}

function newestFirst(one: Moment, other: Moment): number {
  if (one.at !== other.at) return one.at < other.at ? 1 : -1;
  return one.id === other.id ? 0 : one.id < other.id ? 1 : -1;
}
