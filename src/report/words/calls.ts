/** The result of a call to the service -> words. */

import type { CallRecord } from '../../decision/fetch/call-record.ts';

/** Whether it was carried out, and so billed. */
export const CALL_RESULTS: Readonly<Record<CallRecord['result'], string>> = {
  answered: 'answered',
  failed: 'failed; not carried out',
  unknown: 'no answer; it may have been carried out, and billed',
};
