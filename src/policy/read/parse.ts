/** The file of a policy -> the policy and its diagnostics. */

import { WORLD } from '../../formats/geo/world.ts';
import type { Policy } from '../language.ts';
import { PolicyFolder } from './files/folder.ts';
import { loadPolicyIn, type PolicyOptions, type ReadPolicy, readPolicyIn } from './read-policy.ts';

export type { PolicyOptions, ReadPolicy } from './read-policy.ts';

/** Reads a policy with its rule sets and lists, and checks it. Never throws: every problem is among the diagnostics. */
export function readPolicy(file: string, options: PolicyOptions = {}): ReadPolicy {
  return readPolicyIn(new PolicyFolder(file), { ...options, geodata: WORLD });
}

/**
 * Loads a policy with its rule sets and lists.
 * Throws a `DiagnosticsError` (`POLICY_INVALID`) that carries every problem if there is an error.
 */
export function loadPolicy(file: string, options: PolicyOptions = {}): Policy {
  return loadPolicyIn(new PolicyFolder(file), options);
}
