/** The files of a policy -> the policy and its diagnostics. */

import { type Diagnostic, DiagnosticsError, sortDiagnostics } from '../../diagnostics.ts';
import { CATALOG_TABLE } from '../../facts/catalog.ts';
import { declaredIn } from '../../facts/declare.ts';
import type { Mapping } from '../../facts/mapping/mapping.ts';
import type { Policy } from '../language.ts';
import { type PolicyFiles, PolicyFolder } from './folder.ts';
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
  readonly mapping?: Pick<Mapping, 'facts'> | undefined;
}

/** Reads a policy with its rule sets and lists, and checks it. Never throws: every problem is among the diagnostics. */
export function readPolicy(file: string, options: PolicyOptions = {}): ReadPolicy {
  return readPolicyIn(new PolicyFolder(file), options);
}

/** How `readPolicyIn` reads. */
interface ReadingOptions extends PolicyOptions {
  /** Whether to run the checks, which give warnings and take longer than all the rest. Default: true. */
  readonly warns?: boolean;
}

/** `readPolicy` from any source of files, such as a folder whose fingerprints are needed, or data. */
export function readPolicyIn(parts: PolicyFiles, { mapping, warns = true }: ReadingOptions = {}): ReadPolicy {
  const reader = new PolicyReader(parts, declaredIn(mapping?.facts ?? CATALOG_TABLE), warns);
  const policy = reader.read();
  const diagnostics = sortDiagnostics(parts.diagnostics, reader.files);
  return { policy, diagnostics };
}

/**
 * Loads a policy with its rule sets and lists.
 * Throws a `DiagnosticsError` (`POLICY_INVALID`) that carries every problem if there is an error.
 */
export function loadPolicy(file: string, options: PolicyOptions = {}): Policy {
  return loadPolicyIn(new PolicyFolder(file), options);
}

/** `loadPolicy` from any source of files. */
export function loadPolicyIn(parts: PolicyFiles, options: PolicyOptions = {}): Policy {
  // Warnings are not returned, so the checks are skipped.
  const { policy, diagnostics } = readPolicyIn(parts, { ...options, warns: false });
  if (!policy) throw new DiagnosticsError('POLICY_INVALID', diagnostics);
  return policy;
}
