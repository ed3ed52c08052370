/** What a person did after a decision -> an entry in the log. */

import { v7 as uuidV7 } from 'uuid';
import { VerdictError } from '../../errors.ts';
import { type NoteBody, noteTexts } from '../entry/body.ts';
import { DISPOSITIONS, type NoteFields } from '../entry/entry.ts';
import type { OpenAuditLog } from '../log.ts';
import { findDecision } from './lookup.ts';

/** What a person did, who and why. `by` and `why` are encrypted like the facts, and erased with them. */
export interface Note extends NoteBody {
  /** The id of the decision. */
  readonly decision: string;
  readonly disposition: NoteFields['disposition'];
}

/** The longest `by` and `why`, in UTF-16 code units. */
const MAX_LENGTH = 10_000;

/**
 * Records a note; returns its id. A decision may have several notes; the last one counts. Rejects with
 * REQUEST_INVALID if the log has no such decision or a field is invalid, and with AUDIT_FAILED if the note could not
 * be recorded.
 */
export async function addNote(
  log: OpenAuditLog,
  { decision, disposition, by, why }: Note,
  now = Date.now,
): Promise<string> {
  if (!DISPOSITIONS.includes(disposition)) {
    throw new VerdictError('REQUEST_INVALID', `the disposition has to be ${DISPOSITIONS.join(' or ')}`);
  }
  for (const [name, text] of Object.entries({ by, why })) {
    if (typeof text !== 'string' || text.trim() === '' || text.length > MAX_LENGTH || !text.isWellFormed()) {
      const expected = `a text of 1 to ${MAX_LENGTH.toLocaleString('en')} characters`;
      throw new VerdictError('REQUEST_INVALID', `\`${name}\` has to be ${expected}`);
    }
  }
  const found = await findDecision(log.place.dir, decision);
  if (!found) throw new VerdictError('REQUEST_INVALID', 'the log has no decision with that id');
  const ms = now();
  const id = uuidV7({ msecs: ms });
  const { subjects } = found.record;
  const at = new Date(ms).toISOString();
  const clear = { kind: 'note', at, id, decision, disposition, subjects } as const;
  await log.write({ clear, texts: noteTexts({ by, why }) });
  return id;
}
