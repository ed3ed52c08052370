/** The time of a decision -> its id: a UUID of version 7 (RFC 9562, section 5.7), which sorts by time. */

import { randomUUID } from 'node:crypto';

/**
 * A UUID of a time in milliseconds since 1970. Node draws the randomness of UUIDs from the system many at a time; one
 * by one it takes longer than deciding an applicant.
 */
export function createDecisionId(epochMs: number): string {
  const time = Math.floor(epochMs).toString(16).padStart(12, '0');
  // Version 4 has its version in the same place, and the same variant.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
