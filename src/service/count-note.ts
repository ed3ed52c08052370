/** A decision that was noted -> what it counts for later applications, in the store of the service. */

import { countNote } from '../audit/query/seen.ts';
import { foreignCode, VerdictError } from '../errors.ts';
import type { Service } from './service.ts';

/**
 * Counts the notes of a decision. If the store fails, it reports that, and the notes stay on record for `verdict
 * velocity rebuild`. Never rejects.
 */
export async function countNotes(decision: string, service: Service): Promise<void> {
  const { velocity, records, metrics, report } = service;
  if (!velocity || !records) return;
  const { place, index } = records;
  try {
    await countNote({ place, index, decision, velocity });
  } catch (error) {
    const code = VerdictError.is(error) ? error.code : foreignCode(error);
    metrics.count('verdict_velocity_failures_total', { step: 'note' });
    report({ event: 'velocity.noteNotCounted', decision, code });
  }
}
