/** The parts of a policy, whatever they are read from -> the policy and its diagnostics. */

import { type Diagnostic, DiagnosticsError, sortDiagnostics } from '../../diagnostics.ts';
import { CATALOG_TABLE, type FactTable } from '../../facts/catalog.ts';
import { declaredIn } from '../../facts/declare.ts';
import type { Geodata } from '../../formats/geo/geodata.ts';
import type { Kind, Kinds } from '../../given/options.ts';
import type { Policy } from '../language.ts';
import type { PolicyFiles } from './files/policy-files.ts';
import { PolicyReader } from './policy-reader.ts';

/** A policy as read, with its problems. */
export interface ReadPolicy {
  /** Undefined if there is an error among the diagnostics. */
  readonly policy: Policy | undefined;
  /** The errors and warnings of all its files, by file and position. */
  readonly diagnostics: readonly Diagnostic[];
}

/** How a policy is read. */
export interface PolicyOptions {
  /** The mapping in use, whose declared match results the policy can ask about. Default: the catalog alone. */
  readonly mapping?: { readonly facts: FactTable } | undefined;
}

const WITH_FACTS: Kind = {
  expected: 'a mapping as it was read',
  is: (value) => (value as PolicyOptions['mapping'] | null)?.facts instanceof Map,
};

/** The kinds of `PolicyOptions`. */
export const POLICY_OPTIONS: Kinds<PolicyOptions> = { 'mapping?': WITH_FACTS };

/** How `readPolicyIn` reads. */
interface ReadingOptions extends PolicyOptions {
  /** Whether to run the checks, which give warnings and take longer than all the rest. Default: true. */
  readonly warns?: boolean;
  /** Without geodata, the check of phone numbers is left out. */
  readonly geodata?: Geodata | undefined;
}

/** Reads a policy from any source. Never throws: every problem is among the diagnostics. */
export function readPolicyIn(parts: PolicyFiles, options: ReadingOptions = {}): ReadPolicy {
  const { mapping, warns = true, geodata } = options;
  const mapped = declaredIn(mapping?.facts ?? CATALOG_TABLE);
  const reader = new PolicyReader(parts, mapped, warns ? { geodata } : undefined);
  const policy = reader.read();
  const diagnostics = sortDiagnostics(parts.diagnostics, reader.files);
  return { policy, diagnostics };
}

/** Reads a policy from any source. Throws a `DiagnosticsError` (`POLICY_INVALID`) if there is an error. */
export function loadPolicyIn(parts: PolicyFiles, options: PolicyOptions = {}): Policy {
  // Warnings are not returned, so the checks are skipped.
  const { policy, diagnostics } = readPolicyIn(parts, { ...options, warns: false });
  if (!policy) throw new DiagnosticsError('POLICY_INVALID', diagnostics);
  return policy;
}
