/** What a person did after a decision -> an entry in the log. */

import { v7 as uuidV7 } from 'uuid';
import { VerdictError } from '../../errors.ts';
import { ANYTHING, FUNCTION, type Kind, oneOf, optionsReader, TEXT } from '../../given/options.ts';
import { readClock } from '../../given/read-given.ts';
import { type NoteBody, noteTexts } from '../entry/body.ts';
import { DISPOSITIONS, type NoteFields } from '../entry/entry.ts';
import type { LogIndex } from '../index/log-index.ts';
import { OPEN_LOG, type OpenAuditLog, writerOf } from '../log.ts';
import { findDecision } from './read-log.ts';

/** What a person did, who and why. `by` and `why` are encrypted like the facts, and erased with them. */
export interface Note extends NoteBody {
  /** The open log, to which the note is written. */
  readonly log: OpenAuditLog;
  /** An index of the log, which leads to the decision; without one the whole log is read. */
  readonly index?: Pick<LogIndex, 'find'>;
  /** The id of the decision. */
  readonly decision: string;
  readonly disposition: NoteFields['disposition'];
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** The longest `by` and `why`, in UTF-16 code units. */
export const MAX_LENGTH = 10_000;

export const PROSE: Kind = {
  expected: `a text of 1 to ${MAX_LENGTH.toLocaleString('en')} characters`,
  is: (text) => typeof text === 'string' && text.trim() !== '' && text.length <= MAX_LENGTH && text.isWellFormed(),
};

const readNote = optionsReader<Note>(
  'the note',
  {
    log: OPEN_LOG,
    'index?': ANYTHING,
    decision: TEXT,
    disposition: oneOf(DISPOSITIONS),
    by: PROSE,
    why: PROSE,
    'now?': FUNCTION,
  },
  'REQUEST_INVALID',
);

/**
 * Records a note; returns its id. A decision may have several notes; the last one counts. Rejects with
 * REQUEST_INVALID if the log has no such decision or a field is invalid, and with AUDIT_FAILED if the note could not
 * be recorded.
 */
export async function addNote(note: Note): Promise<string> {
  const { log, index, decision, disposition, by, why, now = Date.now } = readNote(note);
  const found = await findDecision(log.place.dir, decision, index);
  if (!found) throw new VerdictError('REQUEST_INVALID', 'the log has no decision with that id');
  const ms = readClock(now);
  const id = uuidV7({ msecs: ms });
  const { subjects } = found.record;
  const at = new Date(ms).toISOString();
  const clear = { kind: 'note', at, id, decision, disposition, subjects } as const;
  await writerOf(log)({ clear, texts: noteTexts({ by, why }) });
  return id;
}
