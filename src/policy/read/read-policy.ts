/** The parts of a policy, whatever they are read from -> the policy and its diagnostics. */

import { type Diagnostic, DiagnosticsError, type SilencedDiagnostic, sortDiagnostics } from '../../diagnostics.ts';
import { CATALOG_TABLE, type FactTable } from '../../facts/catalog.ts';
import { declaredIn } from '../../facts/declare.ts';
import { allowancesOf } from '../../platform/files/allowance.ts';
import { Source } from '../../platform/files/source.ts';
import type { PatternEngine } from '../../platform/formats/pattern-engine.ts';
import { type Kind, type Kinds, mapOf } from '../../platform/given/options.ts';
import { ownValue } from '../../platform/given/read-given.ts';
import type { Condition, Policy } from '../language.ts';
import { keepMapping } from '../source-map.ts';
import type { PolicyFiles } from './files/policy-files.ts';
import { PolicyReader, type WrittenPolicy } from './policy-reader.ts';
import type { ParameterSettings } from './values/parameters.ts';

/** A policy as read, with its problems. */
export interface ReadPolicy {
  /** Undefined if there is an error among the diagnostics. */
  readonly policy: Policy | undefined;
  /** The errors and warnings of all its files, by file and position. */
  readonly diagnostics: readonly Diagnostic[];
  /** The warnings that comments in the files silence, in the same order. */
  readonly silenced: readonly SilencedDiagnostic[];
}

/** How a policy is read. */
export interface PolicyOptions {
  /** The mapping in use, whose declared match results the policy can ask about. Default: the catalog alone. */
  readonly mapping?: { readonly facts: FactTable } | undefined;
  /**
   * Values for parameters, by name, in place of those in the files; the digest covers them. A value keeps the kind of
   * the one it replaces: a number, a text, or true or false. Default: the values in the files.
   */
  readonly parameters?: ParameterSettings | undefined;
}

const WITH_FACTS: Kind = {
  expected: 'a mapping as it was read',
  is: (value) => (value as PolicyOptions['mapping'] | null)?.facts instanceof Map,
};

const SETTING: Kind = {
  expected: 'a text, a number, true or false, or { text }',
  is: (value) => ['string', 'number', 'boolean'].includes(typeof value) || typeof ownValue(value, 'text') === 'string',
};

/** The kind of `parameters`. */
export const SETTINGS: Kind = mapOf(SETTING, `values by name, each ${SETTING.expected}`);

/** The kinds of `PolicyOptions`. */
export const POLICY_OPTIONS: Kinds<PolicyOptions> = { 'mapping?': WITH_FACTS, 'parameters?': SETTINGS };

/** How a policy is read from any source. */
export interface LoadingOptions extends PolicyOptions {
  /** Without an engine, a pattern is an error. */
  readonly patterns: PatternEngine | undefined;
}

/** A policy as read with settings, some of which may be for other policies. It is not checked yet. */
export interface PartsRead {
  /** Undefined if there is an error among the diagnostics. */
  readonly policy: Policy | undefined;
  /** What the checks look at. */
  readonly written: WrittenPolicy | undefined;
  /** An error for each parameter that has a setting and is not declared, by name; not among the diagnostics. */
  readonly unknownSettings: ReadonlyMap<string, Diagnostic>;
  /** The names that were taken to be declared, in a part that could not be read. */
  readonly assumed: readonly string[];
  readonly lists: PolicyReader['lists'];
  /** What has been reported so far, by file and position. */
  problems(): Pick<ReadPolicy, 'diagnostics' | 'silenced'>;
}

/** Reads a policy with settings for several policies. Never throws: every problem is reported. */
export function readParts(parts: PolicyFiles, options: LoadingOptions): PartsRead {
  const reader = readerOf(parts, options);
  return partsRead(parts, options, reader, reader.read());
}

/** The same in steps: `pause` runs something else between two of them, once they have taken so many milliseconds. */
export async function readPartsInTurns(
  parts: PolicyFiles,
  options: LoadingOptions,
  { turnMs, pause }: { readonly turnMs: number; readonly pause: () => Promise<unknown> },
): Promise<PartsRead> {
  const reader = readerOf(parts, options);
  const steps = reader.steps();
  for (let begun = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return partsRead(parts, options, reader, value);
    if (performance.now() - begun < turnMs) continue;
    await pause();
    begun = performance.now();
  }
}

function readerOf(parts: PolicyFiles, { mapping, parameters: settings = {}, patterns }: LoadingOptions): PolicyReader {
  const mapped = declaredIn(mapping?.facts ?? CATALOG_TABLE);
  return new PolicyReader(parts, { mapped, settings, patterns });
}

function partsRead(
  parts: PolicyFiles,
  { mapping }: LoadingOptions,
  reader: PolicyReader,
  policy: Policy | undefined,
): PartsRead {
  if (policy && mapping) keepMapping(policy, mapping);
  const { written, unknownSettings, assumed, lists } = reader;
  const problems = () => ({
    diagnostics: sortDiagnostics(parts.diagnostics, reader.files),
    silenced: sortDiagnostics(allowancesOf(parts.diagnostics).silenced, reader.files),
  });
  return { policy, written, unknownSettings, assumed, lists, problems };
}

/** A policy and its problems; a setting that no parameter has is one of them. */
export function asRead({ policy, unknownSettings, problems }: PartsRead): ReadPolicy {
  const { diagnostics, silenced } = problems();
  if (unknownSettings.size === 0) return { policy, diagnostics, silenced };
  return { policy: undefined, diagnostics: [...unknownSettings.values(), ...diagnostics], silenced };
}

/** Reads a policy and does not check it: checks give warnings, and take longer than all the rest. Never throws. */
export function readUnchecked(parts: PolicyFiles, options: LoadingOptions): ReadPolicy {
  return asRead(readParts(parts, options));
}

/** Reads a policy from any source. Throws a `DiagnosticsError` (`POLICY_INVALID`) if there is an error. */
export function loadPolicyIn(parts: PolicyFiles, options: LoadingOptions): Policy {
  const { policy, diagnostics } = readUnchecked(parts, options);
  if (!policy) throw new DiagnosticsError('POLICY_INVALID', diagnostics);
  return policy;
}

/** A policy, and a condition in its names. */
export interface PolicyAndCondition {
  readonly policy: Policy;
  readonly condition: Condition;
}

/**
 * Reads a policy from any source, and a condition in its names, as YAML; `shown` is the name of its text in
 * diagnostics. Throws a `DiagnosticsError` (`POLICY_INVALID`) if there is an error in either.
 */
export function loadPolicyAndCondition(
  parts: PolicyFiles,
  options: LoadingOptions,
  { text, shown }: { readonly text: string; readonly shown: string },
): PolicyAndCondition {
  const reader = readerOf(parts, options);
  const policy = reader.read();
  const condition = policy && reader.readCondition(new Source(shown, text, parts.diagnostics));
  const unknown = [...reader.unknownSettings.values()];
  // A condition with a typo was read by its likely meaning.
  const isSound = unknown.length === 0 && parts.diagnostics.every(({ severity }) => severity !== 'error');
  if (policy && condition && isSound) return { policy, condition };
  throw new DiagnosticsError('POLICY_INVALID', [...unknown, ...sortDiagnostics(parts.diagnostics, reader.files)]);
}
