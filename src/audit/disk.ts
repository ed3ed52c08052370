/** Work on the disk -> its result; what the system says where it fails, as an error of the log. */

import { VerdictError } from '../errors.ts';

/**
 * Rejects with AUDIT_FAILED, `the audit log could not be <done>`, where something other than the log's own checks fails. What the system
 * says, which may name a file, is the `cause`; what else is thrown may quote what is recorded, and is not kept.
 */
export async function onDisk<Result>(done: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VerdictError) throw error;
    const said = `the audit log could not be ${done}`;
    if (!(error instanceof Error && 'code' in error)) throw new VerdictError('AUDIT_FAILED', said);
    throw new VerdictError('AUDIT_FAILED', `${said} (${error.code})`, { cause: error });
  }
}
