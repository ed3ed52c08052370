/** Work on the key folder -> its result; what the system says where it fails, as an error that names that folder, and not the log. */

import { VerdictError } from '../../errors.ts';

/**
 * Rejects with AUDIT_FAILED, `the key folder could not be <done>`, where something other than the checks of the keys fails. What the system
 * says is the `cause`; what else is thrown may quote a key, and is not kept.
 */
export async function wrapKeyErrors<Result>(done: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VerdictError) throw error;
    const said = `the key folder could not be ${done}`;
    if (!(error instanceof Error && 'code' in error)) throw new VerdictError('AUDIT_FAILED', said);
    throw new VerdictError('AUDIT_FAILED', `${said} (${error.code})`, { cause: error });
  }
}
