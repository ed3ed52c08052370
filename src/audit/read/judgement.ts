/** The notes about a decision, of whatever chain -> what people say of it by now: its review, and its label. */

import { type ANSWERS, type Disposition, questionOf } from '../../policy/language.ts';
import type { EntryHeader, NoteFields } from '../entry/entry.ts';

/** A note and its place in the log. */
export type PlacedNote = Pick<NoteFields, 'at' | 'id' | 'disposition'> & Pick<EntryHeader, 'chain' | 'seq'>;

/** The note that counts for each question; absent if there is none. */
export type Judgement<Note> = { readonly [Question in keyof typeof ANSWERS]?: Note };

/** What people say of a decision by now: `approve` or `decline`, and `fraud` or `genuine`. */
export type Judged = Judgement<Disposition>;

/** Of a decision, or of all decisions of one application: for each question, the note that was recorded last. */
export function judgementOf<Note extends PlacedNote>(notes: Iterable<Note>): Judgement<Note> {
  const judged: { -readonly [Question in keyof Judgement<Note>]: Judgement<Note>[Question] } = {};
  for (const note of notes) {
    const question = questionOf(note.disposition);
    const known = judged[question];
    if (!known || inOrder(known, note) < 0) judged[question] = note;
  }
  return judged;
}

/** Sorts entries by the time at which they were recorded; those of the same instant by chain and number. */
export function inOrder(
  one: Pick<PlacedNote, 'at' | 'chain' | 'seq'>,
  other: Pick<PlacedNote, 'at' | 'chain' | 'seq'>,
): number {
  if (one.at !== other.at) return one.at < other.at ? -1 : 1;
  if (one.chain !== other.chain) return one.chain < other.chain ? -1 : 1;
  return one.seq - other.seq;
}
