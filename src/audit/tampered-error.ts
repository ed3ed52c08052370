/** The error for a part of a log that was changed or removed; other errors say that something could not be read. */

import { VerdictError } from '../errors.ts';
import type { EntryPosition } from './entry/entry.ts';

/** AUDIT_FAILED because a line, a policy or a mapping of the log was changed or removed. */
export class TamperedError extends VerdictError {
  constructor(message: string) {
    super('AUDIT_FAILED', message);
  }
}

/** `line 5 of segment 1 of chain 01a1…` */
export function positionWords({ chain, segment, line }: EntryPosition): string {
  return `line ${line} of segment ${segment} of chain ${chain}`;
}
