/** Work on the disk -> its result, or an error of the log in place of the system's; the error for a changed log. */

import { VerdictError } from '../../errors.ts';
import type { EntryPosition } from '../entry/entry.ts';

/**
 * Rejects with AUDIT_FAILED, `the audit log could not be <done>`, if the system fails. Errors of the log's own checks
 * pass. The system's error, which may name a folder, becomes the `cause`, and the message repeats only its code and
 * a name inside the log. Any other error may quote recorded data or a key, and is dropped.
 */
export async function wrapIoErrors<Result>(
  done: string,
  work: () => Promise<Result>,
  folder: 'audit log' | 'key folder' = 'audit log',
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VerdictError) throw error;
    const failed = `the ${folder} could not be ${done}`;
    if (!(error instanceof Error && 'code' in error)) throw new VerdictError('AUDIT_FAILED', failed);
    const file = folder === 'audit log' ? fileOf(error) : '';
    throw new VerdictError('AUDIT_FAILED', `${failed} (${error.code}${file})`, { cause: error });
  }
}

/** CONFIGURATION_INVALID: what the caller gave cannot be used. */
export function unusable(message: string): VerdictError {
  return new VerdictError('CONFIGURATION_INVALID', message);
}

/** `wrapIoErrors` for the key folder. */
export function wrapKeyErrors<Result>(done: string, work: () => Promise<Result>): Promise<Result> {
  return wrapIoErrors(done, work, 'key folder');
}

/** The file of a log that the system's error is about, after a colon; empty if it is about none. */
function fileOf(error: object): string {
  const path = 'path' in error && typeof error.path === 'string' ? error.path : '';
  const name = /(?:^|\/)(log\.json|(?:chains|policies|mappings|public|releases)(?:\/[\w.-]+){0,2})$/.exec(path)?.[1];
  return name === undefined ? '' : `: ${name}`;
}

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
