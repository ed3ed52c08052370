/** The key of a log, or a text -> ids that are the same each time: of cases, and of the notes that resolve them. */

import { createHmac, hash, type KeyObject } from 'node:crypto';
import type { NoteFields } from '../audit/entry/entry.ts';
import { toJson } from '../text.ts';

/** Ids that nobody can make, or foresee, without the key of a log; they are the same wherever its cases are made. */
export function sealOf(key: KeyObject) {
  const idOf = (...parts: readonly unknown[]) => idIn(createHmac('sha256', key).update(toJson(parts)).digest('hex'));
  return {
    /** Of the note with which a holder resolves a case: the same for each repetition. */
    note: ({ case: id, token, actor }: NonNullable<NoteFields['resolves']>) => idOf('note', id, token, actor),
    /** Of a case that is opened on a decision, after so many of its kind: the same for all who open it at once. */
    case: (decision: string, kind: string, before: number) => idOf('case', decision, kind, before),
  };
}

export type Seal = ReturnType<typeof sealOf>;

/** An id that the same text always gives. */
export function derivedId(text: string): string {
  return idIn(hash('sha256', text, 'hex'));
}

/** A UUID of version 7 at its instant 0 (RFC 9562, section 5.7), a space that no caller may name an id of. */
function idIn(digest: string): string {
  return `00000000-0000-7${digest.slice(0, 3)}-8${digest.slice(3, 6)}-${digest.slice(6, 18)}`;
}
