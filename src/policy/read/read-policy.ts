/** The parts of a policy, whatever they are read from -> the policy and its diagnostics. */

import {
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticsError,
  type SilencedDiagnostic,
  sortDiagnostics,
} from '../../diagnostics.ts';
import { CATALOG_TABLE, type FactTable } from '../../facts/catalog.ts';
import { dayOfInstant } from '../../facts/day.ts';
import { declaredIn } from '../../facts/declare.ts';
import type { Geodata } from '../../formats/geo/geodata.ts';
import type { PatternEngine } from '../../formats/pattern-engine.ts';
import { type Kind, type Kinds, mapOf } from '../../given/options.ts';
import { ownValue } from '../../given/read-given.ts';
import { allowancesOf } from '../../platform/files/allowance.ts';
import { Source } from '../../platform/files/source.ts';
import type { Check } from '../check/context.ts';
import type { Condition, Policy } from '../language.ts';
import type { PolicyFiles } from './files/policy-files.ts';
import { PolicyReader } from './policy-reader.ts';
import type { ParameterSettings } from './values/parameter-value.ts';

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

/** How `loadPolicyIn` reads. */
export interface LoadingOptions extends PolicyOptions {
  /** Without an engine, a pattern is an error. */
  readonly patterns: PatternEngine | undefined;
}

/** How `readPolicyIn` reads. */
interface ReadingOptions extends LoadingOptions {
  /** Whether to run the checks, which give warnings and take longer than all the rest. Default: true. */
  readonly warns?: boolean;
  /** The day of the checks, yyyy-MM-dd. Default: today, UTC. */
  readonly at?: string | undefined;
  /** Without geodata, the check of phone numbers is left out. */
  readonly geodata?: Geodata | undefined;
}

/** A policy as read with settings, of which some may be for other policies. */
interface ReadWithSettings extends ReadPolicy {
  /** An error for each parameter that has a setting and is not declared, by name; not among the diagnostics. */
  readonly unknownSettings: ReadonlyMap<string, Diagnostic>;
  /** The names that were taken to be declared, in a part that could not be read. */
  readonly assumed: readonly string[];
  readonly lists: PolicyReader['lists'];
  /** What the checks share; undefined if they did not run. */
  readonly check: Check | undefined;
}

/** Reads a policy with settings for several policies. Never throws: every problem is among the diagnostics. */
export function readOneOfPolicies(parts: PolicyFiles, options: ReadingOptions): ReadWithSettings {
  const { mapping, parameters: settings = {}, patterns, warns = true, geodata } = options;
  const { at: day = dayOfInstant(Date.now()) } = options;
  const mapped = declaredIn(mapping?.facts ?? CATALOG_TABLE);
  const checks = warns ? { geodata, day } : undefined;
  const reader = new PolicyReader(parts, { mapped, settings, patterns, checks });
  const policy = reader.read();
  const allowances = allowancesOf(parts.diagnostics);
  if (warns) {
    allowances.reportMalformed();
    allowances.reportUnused(lookedFor(policy, parts.diagnostics, geodata));
  }
  const diagnostics = sortDiagnostics(parts.diagnostics, reader.files);
  const silenced = sortDiagnostics(allowances.silenced, reader.files);
  const { assumed, lists, unknownSettings, check } = reader;
  return { policy, diagnostics, silenced, unknownSettings, assumed, lists, check };
}

/** Reads a policy from any source. Never throws: every problem is among the diagnostics. */
export function readPolicyIn(parts: PolicyFiles, options: ReadingOptions): ReadPolicy {
  const { policy, diagnostics, silenced, unknownSettings } = readOneOfPolicies(parts, options);
  if (unknownSettings.size === 0) return { policy, diagnostics, silenced };
  return { policy: undefined, diagnostics: [...unknownSettings.values(), ...diagnostics], silenced };
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

/** Reads a policy from any source. Throws a `DiagnosticsError` (`POLICY_INVALID`) if there is an error. */
export function loadPolicyIn(parts: PolicyFiles, options: LoadingOptions): Policy {
  // Warnings are not returned, so the checks are skipped.
  const { policy, diagnostics } = readPolicyIn(parts, { ...options, warns: false });
  if (!policy) throw new DiagnosticsError('POLICY_INVALID', diagnostics);
  return policy;
}

/**
 * Reads a policy from any source, and a condition in its names, as YAML; `shown` is the name of its text in
 * diagnostics. Throws a `DiagnosticsError` (`POLICY_INVALID`) if there is an error in either.
 */
export function loadPolicyAndCondition(
  parts: PolicyFiles,
  { mapping, parameters: settings = {}, patterns }: LoadingOptions,
  { text, shown }: { readonly text: string; readonly shown: string },
): { readonly policy: Policy; readonly condition: Condition } {
  const mapped = declaredIn(mapping?.facts ?? CATALOG_TABLE);
  const reader = new PolicyReader(parts, { mapped, settings, patterns, checks: undefined });
  const policy = reader.read();
  const condition = policy && reader.readCondition(new Source(shown, text, parts.diagnostics));
  const unknown = [...reader.unknownSettings.values()];
  // A condition with a slip was read as it may be meant.
  const isSound = unknown.length === 0 && parts.diagnostics.every(({ severity }) => severity !== 'error');
  if (policy && condition && isSound) return { policy, condition };
  throw new DiagnosticsError('POLICY_INVALID', [...unknown, ...sortDiagnostics(parts.diagnostics, reader.files)]);
}
