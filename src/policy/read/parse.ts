/** The files of a policy -> the policy and its diagnostics. */

import { type Diagnostic, DiagnosticsError, sortDiagnostics } from '../../diagnostics.ts';
import { CATALOG_TABLE } from '../../facts/catalog.ts';
import { declaredIn } from '../../facts/declare.ts';
import type { Mapping } from '../../facts/mapping/mapping.ts';
import type { Policy } from '../language.ts';
import { type PolicyFiles, PolicyFolder } from './folder.ts';
import { PolicyReader } from './policy-reader.ts';

/** What came of reading a policy. */
export interface ReadPolicy {
  /** Undefined if there is an error among the diagnostics. */
  readonly policy: Policy | undefined;
  /** All problems of all its files, by file and place. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What a policy is read with. */
export interface PolicyOptions {
  /** The mapping in use: the policy can ask about the match results that it declares. Default: none that declares any. */
  readonly mapping?: Pick<Mapping, 'facts'> | undefined;
}

/** Reads a policy with its rule sets and lists. Never throws: whatever is wrong is among the diagnostics. */
export function readPolicy(file: string, options: PolicyOptions = {}): ReadPolicy {
  return readPolicyIn(new PolicyFolder(file), options);
}

/** What else `readPolicyIn` is told. */
interface ReadingOptions extends PolicyOptions {
  /** Whether to look for what is suspicious, which gives warnings and takes longer than all else. Default: true. */
  readonly warns?: boolean;
}

/** `readPolicy` for whoever wants to know more of the files, or has none. */
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

/** `loadPolicy` for whoever has no file. */
export function loadPolicyIn(parts: PolicyFiles, options: PolicyOptions = {}): Policy {
  // Nobody would hear of warnings.
  const { policy, diagnostics } = readPolicyIn(parts, { ...options, warns: false });
  if (!policy) throw new DiagnosticsError('POLICY_INVALID', diagnostics);
  return policy;
}
