/** Work on the disk -> its result; what the system says where it fails, as an error of the log. */

import { VerdictError } from '../../errors.ts';

/**
 * Rejects with AUDIT_FAILED, `the audit log could not be <done>`, where something other than the log's own checks fails. What the system
 * says, which may name a folder, is the `cause`; of it, only a name within a log is said. What else is thrown may quote what is recorded, and is not kept.
 */
export async function wrapIoErrors<Result>(done: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VerdictError) throw error;
    const said = `the audit log could not be ${done}`;
    if (!(error instanceof Error && 'code' in error)) throw new VerdictError('AUDIT_FAILED', said);
    throw new VerdictError('AUDIT_FAILED', `${said} (${error.code}${placeIn(error)})`, { cause: error });
  }
}

/** Which file of a log an error of the system is about; nothing where it is about none. */
function placeIn(error: object): string {
  const path = 'path' in error && typeof error.path === 'string' ? error.path : '';
  const name = /(?:^|\/)(log\.json|(?:chains|policies|mappings|public)(?:\/[\w.-]+){0,2})$/.exec(path)?.[1];
  return name === undefined ? '' : `: ${name}`;
}
