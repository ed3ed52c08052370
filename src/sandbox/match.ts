/** The variables of a composite request -> the identity match results of another service. */

import { drawsOf } from './draw.ts';
import { type Identity, recordOf } from './findings.ts';

const MAX_LENGTH = 1000;

/** Which of the extra identity variables match the person. */
export interface IdentityMatch {
  /** Whether at least one variable was given and all of them match. */
  readonly verified: boolean;
  readonly verifications: readonly (readonly [variable: string, result: 'Match' | 'No Match'])[];
}

/** The share of variables that match, for anyone who is not a persona. */
const MATCH_RATE = 0.95;

/** Matches the extra variables of a request. The result is always the same for the same person, variable and value. */
export function matchIdentity(identity: Identity, variables: ReadonlyMap<string, string>): IdentityMatch {
  const onRecord = recordOf(identity);
  const verifications = [...variables].map(([variable, value]) => {
    const given = folded(value);
    const recorded = onRecord?.get(variable);
    const fits =
      onRecord === undefined
        ? drawsOf('identity', identity.phoneNo)(JSON.stringify([variable, given])) < MATCH_RATE
        : recorded === undefined || folded(recorded) === given;
    return [variable, fits ? 'Match' : 'No Match'] as const;
  });
  const verified = verifications.length > 0 && verifications.every(([, result]) => result === 'Match');
  return { verified, verifications };
}

/** The percentage of matching variables among those of a kind, as a text; `N/A` if there are none. */
export function matchScore(match: IdentityMatch, kind: RegExp): string {
  const ofKind = match.verifications.filter(([variable]) => kind.test(variable));
  if (ofKind.length === 0) return 'N/A';
  const fitting = ofKind.filter(([, result]) => result === 'Match').length;
  return String(Math.round((100 * fitting) / ofKind.length));
}

function folded(value: string): string {
  // No record is longer. Normalising a long text may take quadratic time.
  return value.length > MAX_LENGTH ? value : value.normalize('NFC').trim().toLowerCase();
}
