/** A case and its token, or another text -> the id of a note, which a note that is sent again has too. */

import { hash } from 'node:crypto';

/** The id of the note that resolves a case with this token: the same for each repetition. */
export function noteIdOf(id: string, token: number): string {
  return derivedId(`${id} ${token}`);
}

/** An id that the same text always gives: a UUID of version 7 at its instant 0 (RFC 9562, section 5.7). */
export function derivedId(text: string): string {
  const digest = hash('sha256', text, 'hex');
  return `00000000-0000-7${digest.slice(0, 3)}-8${digest.slice(3, 6)}-${digest.slice(6, 18)}`;
}
