/**
 * The part of the API that runs anywhere: in a browser, a worker or Node. Policies from texts, facts, verdicts and
 * explanations; no files, no service, no log. `verdict-engine` brings its own geodata and its engine of patterns; here
 * they are options.
 */

import { EXPLAIN_OPTIONS, type ExplainOptions, explainSteps } from './decision/explain/explain-steps.ts';
import type { Explanation } from './decision/explain/explanation.ts';
import { runInTurns } from './decision/explain/steps.ts';
import type { FactTable } from './facts/catalog.ts';
import type { Fact, Facts, GivenFact } from './facts/fact.ts';
import { readFactsWith } from './facts/fact-reader.ts';
import type { Geodata } from './platform/formats/geo/geodata.ts';
import type { PatternEngine } from './platform/formats/pattern-engine.ts';
import { type Kind, type Kinds, optionsReader } from './platform/given/options.ts';
import type { Policy } from './policy/language.ts';
import {
  loadPolicyData,
  POLICY_DATA_OPTIONS,
  type PolicyDataOptions,
  POLICY_TEXT_OPTIONS,
  type PolicyTextOptions,
  textsOf,
} from './policy/read/files/texts.ts';
import { readChecked } from './policy/check/check.ts';
import { loadPolicyIn, type ReadPolicy } from './policy/read/read-policy.ts';

// Errors and diagnostics
export { type CarriedOut, type ErrorCode, VerdictError } from './errors.ts';
export {
  DIAGNOSTIC_CODES,
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticsError,
  type Edit,
  type Finding,
  formatDiagnostic,
  type Place,
  type Point,
  type Position,
  type RelatedPlace,
  type SilencedDiagnostic,
} from './diagnostics.ts';

// Facts: what is known about an applicant
export {
  CATALOG,
  CATALOG_TABLE,
  type CatalogPath,
  type FactDefinition,
  type FactTable,
  type FactType,
  type Level,
} from './facts/catalog.ts';
export type { Cause, Fact, Facts, FactValue, GivenFact, MissingFact, PresentFact } from './facts/fact.ts';
export type { Geodata, NumberingPlan } from './platform/formats/geo/geodata.ts';
export type { CompiledPattern, PatternEngine } from './platform/formats/pattern-engine.ts';

// Policy: the rules that test the facts
export {
  type Claim,
  type Guarantee,
  LANGUAGE_VERSION,
  type Notice,
  type Outcome,
  type Parameter,
  type ParameterValue,
  type Policy,
  type Rule,
  type Test,
} from './policy/language.ts';
export type { PolicyDataOptions } from './policy/read/files/texts.ts';
export type { PolicyTextOptions } from './policy/read/files/texts.ts';
export type { PolicyOptions, ReadPolicy } from './policy/read/read-policy.ts';
export type { ParameterSetting, ParameterSettings } from './policy/read/values/parameters.ts';
export { placeOf, policyData } from './policy/source-map.ts';

// Verdict: accept, review or reject, with reasons
export { type BatchResult, compile, type Matcher } from './decision/matcher/matcher.ts';
export { type EncodedFacts, encodeFacts } from './decision/matcher/encoded-facts.ts';
export type { Column, Columns, NumberColumn, TextColumn } from './decision/matcher/columns.ts';
export {
  type DefaultReason,
  type FiredReason,
  firedReasons,
  type Reason,
  type ScoreReason,
  type ShadowResult,
  type UndeterminedReason,
  type UndeterminedRule,
  type Verdict,
} from './decision/meaning/verdict.ts';
export { noticesOf, type ToldNotice } from './decision/notices.ts';
export type { Evidence, MissingEvidence } from './decision/meaning/evidence.ts';
export type { OutcomeAndScore, Score } from './decision/meaning/outcome.ts';
export type {
  Changes,
  ExplainedShadow,
  Explanation,
  FactState,
  FailedSource,
  Failures,
  MissedRule,
  NeededFact,
  OpenRule,
  Remedy,
  Retry,
  StandsOn,
  TurningTest,
} from './decision/explain/explanation.ts';
export type { ExplainOptions } from './decision/explain/explain-steps.ts';
export type { Distance } from './decision/explain/distance.ts';
export { ENGINE_VERSION } from './version.ts';

/** The tables to look facts up in. */
export interface GeodataOptions {
  /**
   * Numbering plans and borders, from which `phone.valid`, `phone.country` and `ip.country` are derived. Default: none;
   * these facts then have to be given, and are missing (`unmapped`) if they are not.
   */
  readonly geodata?: Geodata;
}

/** The engine that compiles patterns. */
export interface PatternOptions {
  /** The engine of `matches`: `RE2` of `verdict-engine/patterns`. Default: none; a pattern is then an error. */
  readonly patterns?: PatternEngine;
}

const GEODATA: Kind = {
  expected: 'an object with the functions numberingPlan and countryAt',
  is: (value) => {
    const { numberingPlan, countryAt } = Object(value) as Partial<Geodata>;
    return typeof numberingPlan === 'function' && typeof countryAt === 'function';
  },
};

const PATTERNS: Kind = {
  expected: 'RE2 of verdict-engine/patterns',
  is: (value) => typeof (Object(value) as Partial<PatternEngine>).compilePattern === 'function',
};

const TEXT_OPTIONS: Kinds<PolicyTextOptions & PatternOptions> = { ...POLICY_TEXT_OPTIONS, 'patterns?': PATTERNS };

const loadTextOptions = optionsReader('the options of the policy', TEXT_OPTIONS);

const readTextOptions = optionsReader<PolicyTextOptions & PatternOptions & GeodataOptions>(
  'the options of the policy',
  { ...TEXT_OPTIONS, 'geodata?': GEODATA },
);

const readDataOptions = optionsReader<PolicyDataOptions & PatternOptions>('the options of the policy', {
  ...POLICY_DATA_OPTIONS,
  'patterns?': PATTERNS,
});

const readFactOptions = optionsReader<GeodataOptions>(
  'the options of the facts',
  { 'geodata?': GEODATA },
  'REQUEST_INVALID',
);

const readExplainOptions = optionsReader<ExplainOptions & GeodataOptions>(
  'the options of the explanation',
  { ...EXPLAIN_OPTIONS, 'geodata?': GEODATA },
  'REQUEST_INVALID',
);

/**
 * Reads and checks a policy from its text. Every problem of the texts is among the diagnostics; throws only for
 * arguments that cannot be used. Without `geodata`, phone numbers that no numbering plan has get no warning.
 */
export function readPolicyText(
  text: string,
  options: PolicyTextOptions & PatternOptions & GeodataOptions = {},
): ReadPolicy {
  const { patterns, ...read } = readTextOptions(options);
  return readChecked(textsOf(text, read), { ...read, patterns });
}

/**
 * Loads a policy from its text. Throws a `DiagnosticsError` (`POLICY_INVALID`) that carries every problem, with its
 * line, if there is an error.
 */
export function loadPolicyText(text: string, options: PolicyTextOptions & PatternOptions = {}): Policy {
  const { patterns, ...read } = loadTextOptions(options);
  return loadPolicyIn(textsOf(text, read), { ...read, patterns });
}

/**
 * Reads the data that `policyData` returned: the policy has the same digest and the same meaning, parameters included.
 * `mapping` is the one that the policy was read with; its declared facts are not part of the data.
 * Throws a `DiagnosticsError` (`POLICY_INVALID`) that carries every problem if there is an error.
 */
export function policyFromData(data: unknown, options: PolicyDataOptions & PatternOptions = {}): Policy {
  const { patterns, ...read } = readDataOptions(options);
  return loadPolicyData(data, { ...read, patterns });
}

/**
 * Reads all facts of a table, in its order; paths that are not in the table are ignored. A derived fact is computed
 * from the others only if its path is absent from `given`; a given null or cause counts as present.
 * Throws REQUEST_INVALID for a day that does not exist, and if `given` or the table cannot be read.
 *
 * @param day the day of the decision, yyyy-MM-dd
 */
export function readFacts(
  given: ReadonlyMap<string, GivenFact>,
  table: FactTable,
  day: string,
  options: GeodataOptions = {},
): Map<string, Fact> {
  const { geodata } = readFactOptions(options);
  return readFactsWith(geodata, given, table, day);
}

/**
 * Explains the outcome of a policy for facts, as `readFacts` returns them, on a day (yyyy-MM-dd). Without `geodata`,
 * changes may be found in which a location is not in its country. It pauses for other work every few milliseconds.
 * Rejects with REQUEST_INVALID for arguments that cannot be used, such as a day that does not exist.
 */
export async function explain(
  policy: Policy,
  facts: Facts,
  day: string,
  options: ExplainOptions & GeodataOptions = {},
): Promise<Explanation> {
  const { to, geodata } = readExplainOptions(options);
  return runInTurns(explainSteps(policy, facts, day, { ...(to === undefined ? {} : { to }), geodata }));
}
