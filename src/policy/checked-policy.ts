/** The files of a policy -> the policy and its diagnostics, with the warnings of all checks. */

import type { Diagnostic, DiagnosticCode } from '../diagnostics.ts';
import { dayOfInstant } from '../facts/day.ts';
import type { Geodata } from '../formats/geo/geodata.ts';
import { allowancesOf } from '../platform/files/allowance.ts';
import { checkPolicy } from './check/check.ts';
import type { Check } from './check/context.ts';
import type { Policy } from './language.ts';
import type { PolicyFiles } from './read/files/policy-files.ts';
import { asRead, type LoadingOptions, type PartsRead, type ReadPolicy, readParts } from './read/read-policy.ts';

/** How a policy is read and checked. */
export interface CheckingOptions extends LoadingOptions {
  /** The day of the checks, yyyy-MM-dd. Default: today, UTC. */
  readonly at?: string | undefined;
  /** Without geodata, the check of phone numbers is left out. */
  readonly geodata?: Geodata | undefined;
}

/** A policy as read, and what its checks share. */
export interface PartsChecked extends PartsRead {
  /** Undefined if there is an error: the checks did not run. */
  readonly check: Check | undefined;
}

/** Reads a policy with settings for several policies, and checks it. Never throws: every problem is reported. */
export function checkParts(parts: PolicyFiles, options: CheckingOptions): PartsChecked {
  const { geodata, at: day = dayOfInstant(Date.now()) } = options;
  const read = readParts(parts, options);
  const check = read.written && checkPolicy({ ...read.written, geodata, day });
  const allowances = allowancesOf(parts.diagnostics);
  allowances.reportMalformed();
  allowances.reportUnused(lookedFor(read.policy, parts.diagnostics, geodata));
  return { ...read, check };
}

/** Reads a policy from any source and checks it. Never throws: every problem is among the diagnostics. */
export function readChecked(parts: PolicyFiles, options: CheckingOptions): ReadPolicy {
  return asRead(checkParts(parts, options));
}

/** Whether a policy was searched for a warning: not for those of other files, and not to the end if it has errors. */
function lookedFor(
  policy: Policy | undefined,
  diagnostics: readonly Diagnostic[],
  geodata: Geodata | undefined,
): (code: DiagnosticCode) => boolean {
  const isWhole =
    policy !== undefined && diagnostics.every(({ code }) => code !== 'not-checked' && code !== 'too-many');
  const others: readonly string[] = [...ELSEWHERE, ...DEEP_CODES, ...(geodata ? [] : ['no-such-number'])];
  return (code) => isWhole && !others.includes(code);
}

/** The warnings of checks with proof, which `checkFilesDeeply` runs. */
export const DEEP_CODES: readonly DiagnosticCode[] = ['never-matters', 'never-reached', 'outcome-gap', 'undecided'];

/** The warnings about files that no policy uses, about mappings, and about earlier revisions. */
const ELSEWHERE: readonly string[] = [
  ...['unused-file', 'unknown-file', 'unread-status', 'source-elsewhere', 'version-unchanged'],
];
