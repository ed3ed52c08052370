/** What a person did after a decision -> a record of it. */

import { v7 as uuidV7 } from 'uuid';
import { VerdictError } from '../../errors.ts';
import { type NoteBody, noteTexts } from '../entry/body.ts';
import { DISPOSITIONS, type NoteFields } from '../entry/entry.ts';
import type { OpenAuditLog } from '../log.ts';
import { findDecision } from './lookup.ts';

/** What a person did, who, and why. Who and why are sealed as the decision's facts are, and erased with them. */
export interface Note extends NoteBody {
  /** The id of the decision. */
  readonly decision: string;
  readonly disposition: NoteFields['disposition'];
}

/** The longest `by` and `why`, in characters. */
const LONGEST = 10_000;

/**
 * Records it; gives the note's own id. Rejects with REQUEST_INVALID where the log has no such decision, or something is left
 * out, and with AUDIT_FAILED where it could not be recorded. A decision may have several notes: the last one counts.
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
    if (typeof text !== 'string' || text.trim() === '' || text.length > LONGEST || !text.isWellFormed()) {
      throw new VerdictError(
        'REQUEST_INVALID',
        `${name} has to be a text of 1 to ${LONGEST.toLocaleString('en')} characters`,
      );
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
