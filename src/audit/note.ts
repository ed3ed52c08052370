/** What a person did after a decision -> a record of it. */

import { v7 as uuidV7 } from 'uuid';
import { canonicalJson } from '../digest.ts';
import { VerdictError } from '../errors.ts';
import { findDecision } from './find.ts';
import { DISPOSITIONS, type NoteFields } from './line.ts';
import type { OpenAuditLog } from './log.ts';

/** What a person did, who, and why. */
export interface Note {
  /** The id of the decision. */
  readonly decision: string;
  readonly disposition: NoteFields['disposition'];
  /** Sealed as the decision's facts are, and erased with them. */
  readonly by: string;
  readonly why: string;
}

/** The longest `by` and `why`, in characters. */
const LONGEST = 10_000;

/**
 * Records it; gives the note's own id. Rejects with REQUEST_INVALID where the log has no such decision, or something is left
 * out, and with AUDIT_FAILED where it could not be recorded. A decision may have several notes: the last one counts.
 */
export async function addNote(
  dir: string,
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
  const found = await findDecision(dir, decision);
  if (!found) throw new VerdictError('REQUEST_INVALID', 'the log has no decision with that id');
  const ms = now();
  const id = uuidV7({ msecs: ms });
  const text = canonicalJson({ by, why });
  await log.write((seal) => ({
    kind: 'note',
    at: new Date(ms).toISOString(),
    id,
    decision,
    disposition,
    subjects: found.record.subjects,
    ...seal(text, 'note', id),
  }));
  return id;
}

/** What a note's body holds. INVARIANT: it is that of a note that verifies. */
export function readNote(data: unknown): Pick<Note, 'by' | 'why'> {
  return data as Pick<Note, 'by' | 'why'>;
}
