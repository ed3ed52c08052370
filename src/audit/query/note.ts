/** What a person did after a decision -> an entry in the log. */

import { v7 as uuidV7 } from 'uuid';
import { VerdictError } from '../../errors.ts';
import { ANYTHING, FUNCTION, type Kind, oneOf, optionsReader, TEXT } from '../../platform/given/options.ts';
import { readClock } from '../../platform/given/read-given.ts';
import { inTurn } from '../../platform/turns.ts';
import { DISPOSITIONS } from '../../policy/language.ts';
import { joinTexts, type NoteBody, noteTexts } from '../entry/body.ts';
import type { BodyEntry, NoteFields } from '../entry/entry.ts';
import * as is from '../entry/schema.ts';
import type { LogIndex } from '../index/log-index.ts';
import { homeOfLog, OPEN_LOG, type OpenAuditLog, writerOf } from '../log.ts';
import { BodyReader, findDecision } from '../read/read-log.ts';
import { syncChain } from '../store/chain-folder.ts';
import { wrapIoErrors } from '../store/io-errors.ts';

/** What a person did, who and why. `by` and `why` are encrypted like the facts, and erased with them. */
export interface Note extends NoteBody {
  /** The open log, to which the note is written. */
  readonly log: OpenAuditLog;
  /** An index of the log, which leads to the decision; without one the whole log is read. */
  readonly index?: Pick<LogIndex, 'find'>;
  /** The id of the decision. */
  readonly decision: string;
  readonly disposition: NoteFields['disposition'];
  /** Of a label: the UTC day on which it became known, yyyy-MM-dd. Default: the day of the note. */
  readonly knownOn?: string | undefined;
  /** A UUID, version 7, with which the same note can be added again without a second entry. Default: a new one. */
  readonly id?: string;
  /** Asked just before the note is written: if it says no, nothing is written. Default: it may be. */
  readonly mayWrite?: () => boolean;
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
    'knownOn?': is.DAY,
    'id?': is.ID,
    by: PROSE,
    why: PROSE,
    'mayWrite?': FUNCTION,
    'now?': FUNCTION,
  },
  'REQUEST_INVALID',
);

/**
 * Records a note; returns its id. A decision may have several notes; the last one counts. With the id of a note on
 * record, it writes nothing if decision, disposition, `by` and `why` are the same. Within a process this holds for
 * calls at the same time too; two processes may both write the note, and readers count it once. Rejects with
 * REQUEST_INVALID if the log has no such decision, a field is invalid, the id is one that a service derives, or another
 * record has the id, one whose body cannot be read included; with ABORTED if `mayWrite` says no; with AUDIT_FAILED if
 * the note could not be recorded.
 */
export async function addNote(note: Note): Promise<string> {
  const read = readNote(note);
  if (read.id !== undefined && isDerivedId(read.id)) throw new VerdictError('REQUEST_INVALID', OF_SERVICE);
  return recordNote(read);
}

/** The same for notes of the service, whose ids it derives. `resolves`: the case that the note answers. */
export async function recordNote(note: Note & Pick<NoteFields, 'resolves'>): Promise<string> {
  return note.id === undefined ? record(note) : inTurn(`note ${note.id}`, () => record(note));
}

/** Whether a service has derived the id: a UUID of version 7 at its instant 0 (RFC 9562, section 5.7). */
export function isDerivedId(id: string): boolean {
  return id.startsWith('00000000-0000-7');
}

const OF_SERVICE = 'an id that begins with 00000000-0000-7 is one that a service derives; expected another UUID';

async function record(note: Note & Pick<NoteFields, 'resolves'>): Promise<string> {
  const { log, index, decision, disposition, knownOn, resolves, by, why, id: given } = note;
  const { mayWrite = () => true, now = Date.now } = note;
  const home = homeOfLog(log);
  const found = await findDecision(home.log, decision, { index, noteId: given });
  if (!found) throw new VerdictError('REQUEST_INVALID', 'the log has no decision with that id');
  const texts = noteTexts({ by, why });
  if (given !== undefined && found.taken.length > 0) {
    const bodies = new BodyReader(home.keys);
    const isSame = async (entry: BodyEntry) => {
      if (entry.kind !== 'note' || entry.decision !== decision || entry.disposition !== disposition) return false;
      if (entry.knownOn !== knownOn) return false;
      const body = await bodies.open(entry);
      return 'texts' in body && joinTexts(body.texts) === joinTexts(texts);
    };
    for (const entry of found.taken) if (!(await isSame(entry))) throw new VerdictError('REQUEST_INVALID', TAKEN);
    // The process that wrote it may not have made it durable yet.
    await log.check();
    await wrapIoErrors('made durable', async () => {
      for (const { chain } of found.taken) await syncChain(home.log, chain);
    });
    return given;
  }
  if (!mayWrite()) throw new VerdictError('ABORTED', 'the note may not be written any more');
  const ms = readClock(now);
  const id = given ?? uuidV7({ msecs: ms });
  const { subjects } = found.record;
  const at = new Date(ms).toISOString();
  const said = { disposition, ...(knownOn === undefined ? {} : { knownOn }), ...(resolves ? { resolves } : {}) };
  await writerOf(log)({ clear: { kind: 'note', at, id, decision, ...said, subjects }, texts });
  return id;
}

const TAKEN = 'a record with that id is another one, or cannot be read; expected the same note, or a new id';
