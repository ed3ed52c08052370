/** Decisions, notes and erasures in any order -> the newest decisions with their state, and the number of all. */

import type { NoteFields } from '../entry/entry.ts';
import type { DecisionSummary, NoteSummary } from './search-entry.ts';

/** A decision that a search found. */
export interface FoundDecision extends DecisionSummary {
  /** What a person did after the decision, from its last note. */
  readonly disposition?: NoteFields['disposition'];
  /** Whether an erasure of its body is on record: it can still be found, but no longer be explained. */
  readonly erased: boolean;
}

/** The results of a search. */
export interface CollectedResults {
  /** The newest first; at the same instant, the greater id first. */
  readonly rows: readonly FoundDecision[];
  /** How many decisions match, returned or not. */
  readonly total: number;
}

/** What decisions and notes are sorted by. */
type Moment = Pick<DecisionSummary, 'at' | 'id'>;

/** Keeps only the newest decisions, but all notes and erased ids: a decision may be found later than its notes. */
export class ResultCollector {
  readonly #limit: number;
  #newest: DecisionSummary[] = [];
  /** The oldest decision kept, once the limit is reached. */
  #oldest: Moment | undefined;
  #total = 0;
  readonly #notes = new Map<string, NoteSummary>();
  readonly #erased = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts decisions that match but are too old to be returned. */
  count(decisions: number): void {
    this.#total += decisions;
  }

  addDecision(found: DecisionSummary): void {
    this.#total += 1;
    if (this.#oldest && newestFirst(found, this.#oldest) > 0) return;
    const { at, id, outcome, codes, rules, undetermined, missing, policy } = found;
    const { name, version, digest } = policy;
    // A copy, so that the rest of the entry, above all its body, can be collected.
    this.#newest.push({
      ...{ at, id, outcome, codes, rules, undetermined, missing },
      policy: { name, version, digest },
    });
    // Sorting now and then is cheaper than keeping the list sorted.
    if (this.#newest.length >= 2 * this.#limit + 1000) this.#cut();
  }

  addNote({ at, id, decision, disposition }: NoteSummary): void {
    const known = this.#notes.get(decision);
    const note = { at, id, decision, disposition };
    if (!known || newestFirst(note, known) < 0) this.#notes.set(decision, note);
  }

  addErasure(records: readonly string[]): void {
    for (const record of records) this.#erased.add(record);
  }

  /** The ids of the decisions that may be returned. */
  ids(): readonly string[] {
    this.#cut();
    return this.#newest.map(({ id }) => id);
  }

  results(): CollectedResults {
    this.#cut();
    const rows = this.#newest.map((decision): FoundDecision => {
      const note = this.#notes.get(decision.id);
      const disposition = note ? { disposition: note.disposition } : {};
      return { ...decision, ...disposition, erased: this.#erased.has(decision.id) };
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
