/** A decision that was noted -> what it counts for later applications, in the store of the service. */

import { countNote } from '../audit/query/seen.ts';
import { foreignCode, VerdictError } from '../errors.ts';
import { velocitiesIn } from '../facts/velocity.ts';
import type { Service } from './service.ts';

/**
 * Counts the notes of a decision by the policies in force, which may ask for more than the one that decided. If the
 * store fails, it reports that, and the notes stay on record for `verdict velocity rebuild`. Never rejects.
 */
export async function countNotes(decision: string, service: Service): Promise<void> {
  const { velocity, records, policies, metrics, report } = service;
  if (!velocity || !records) return;
  const { place, index } = records;
  try {
    for (const { watched } of policies.values()) {
      const { policy } = watched;
      if (![...velocitiesIn(policy.facts).values()].some(({ where }) => where?.key === 'disposition')) continue;
      await countNote({ place, index, decision, velocity, policy });
    }
  } catch (error) {
    const code = VerdictError.is(error) ? error.code : foreignCode(error);
    metrics.count('verdict_velocity_failures_total', { step: 'note' });
    report({ event: 'velocity.noteNotCounted', decision, code });
  }
}
