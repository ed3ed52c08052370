/** What a program gives to a question about all applicants -> the same, checked. */

import { DAY } from '../../facts/day.ts';
import { type Kind, milliseconds, readArgument } from '../../given/options.ts';
import { POLICY } from '../../policy/source-map.ts';

/** The options of every question. */
export const QUESTION_OPTIONS = { at: DAY, 'timeoutMs?': milliseconds(1) } as const;

/** A condition of a policy that was read: that of a rule, of a guarantee, or a named one. */
export const CONDITION: Kind = {
  expected: 'a condition of a policy as it was read',
  is: (value) => typeof value === 'object' && value !== null && 'kind' in value,
};

/** Throws REQUEST_INVALID unless both are policies. */
export function checkPolicies(old: unknown, now: unknown): void {
  readArgument('the old policy', POLICY, old);
  readArgument('the new policy', POLICY, now);
}
