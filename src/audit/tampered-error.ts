/** A place of a log that is not as it was written -> an error that says so: something was found, where other errors say that nothing could be looked at. */

import { VerdictError } from '../errors.ts';
import type { EntryPosition } from './entry/entry.ts';

/** AUDIT_FAILED, since a line, a policy or a mapping of the log was changed, or is gone. */
export class TamperedError extends VerdictError {
  constructor(message: string) {
    super('AUDIT_FAILED', message);
  }
}

/** `line 5 of segment 1 of chain 01a1…` */
export function positionWords({ chain, segment, line }: EntryPosition): string {
  return `line ${line} of segment ${segment} of chain ${chain}`;
}
