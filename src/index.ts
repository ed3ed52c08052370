/** The public API. What is not named here may change without notice. */

// Errors and diagnostics
export { type CarriedOut, CodedCause, type ErrorCode, VerdictError } from './errors.ts';
export {
  DIAGNOSTIC_CODES,
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticsError,
  type SilencedDiagnostic,
  type Finding,
  formatDiagnostic,
  type Place,
  type Position,
  type RelatedPlace,
} from './diagnostics.ts';

// Signals: the verification service
export { createVerifyClient, type VerifyAnswer, type VerifyClient } from './signals/client.ts';
export { EVENT_CHANNEL } from './platform/events.ts';
export type { ClientEvent } from './platform/client-event.ts';
export type { Credentials, VerifyClientOptions } from './signals/options.ts';
export type { ClientCertificate, ConnectionOptions, Pem } from './signals/http/connection.ts';
export type { ExtraHeaders } from './signals/http/headers.ts';
export type { VerifyRequest } from './signals/request.ts';
export type { IdentityVariable } from './signals/variables.ts';

// Facts: what is known of an applicant
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
export {
  loadMapping,
  type Mapping,
  type MappingOptions,
  mappingData,
  mappingFromData,
  type ReadMapping,
  readMapping,
} from './facts/mapping/mapping.ts';
export { type Asked, normalise, type ServiceAnswer } from './facts/mapping/normalise.ts';
export { readFacts } from './facts/read.ts';

// Policy: what is asked of the facts
export { type CheckOptions, type CheckReport, checkFiles } from './policy/check/check-files.ts';
export { type PolicyDataOptions, policyFromData } from './policy/read/files/data.ts';
export {
  LANGUAGE_VERSION,
  type Notice,
  type Outcome,
  type Parameter,
  type ParameterValue,
  type Policy,
  type Rule,
  type Test,
} from './policy/language.ts';
export { loadPolicyText, type PolicyTextOptions } from './policy/read/files/texts.ts';
export {
  loadPolicy,
  type ParameterSetting,
  type ParameterSettings,
  type PolicyOptions,
  type ReadPolicy,
  readPolicy,
  readPolicyText,
} from './policy/read/parse.ts';
export { placeOf, policyData } from './policy/source-map.ts';
export { type InForce, type PolicyWatcher, type WatchOptions, watchPolicy } from './policy/watch/watch.ts';

// Decision: accept, review or reject, with reasons
export { compile, type BatchResult, type Matcher } from './decision/matcher/matcher.ts';
export { type EncodedFacts, encodeFacts } from './decision/matcher/encoded-facts.ts';
export type { Column, Columns, NumberColumn, TextColumn } from './decision/matcher/columns.ts';
export { createDecider, type Decider } from './decision/decide.ts';
export type { DecideOptions, DeciderOptions } from './decision/decider-options.ts';
export type { DeciderEvent } from './decision/decider-event.ts';
export type { Decision, PolicyTypes, SignalsRecord } from './decision/decision.ts';
export { type Applicant, checkApplicant } from './decision/applicant.ts';
export { noticesOf, type ToldNotice } from './decision/notices.ts';
export { type RedactedDecision, type RedactedEvidence, type RedactedReason, redact } from './decision/redact.ts';
export { WARNING_CODES, type Warning, type WarningCode } from './decision/warning.ts';
export type { CallRecord } from './decision/fetch/call-record.ts';
export type { Verifier } from './decision/fetch/service-call.ts';
export type { AuditEntry, AuditLog } from './decision/audit-port.ts';
export type { Context, ContextFact, ContextValue } from './decision/fetch/context-facts.ts';
export { type FactSource, type LiveRun, runLive } from './decision/live/live.ts';
export {
  type DefaultReason,
  firedReasons,
  type FiredReason,
  type Reason,
  type ScoreReason,
  type ShadowResult,
  type UndeterminedReason,
  type UndeterminedRule,
  type Verdict,
} from './decision/meaning/verdict.ts';
export type { Evidence, MissingEvidence } from './decision/meaning/evidence.ts';
export type { OutcomeAndScore, Score } from './decision/meaning/outcome.ts';
export { explain, type ExplainOptions } from './decision/explain/explain.ts';
export type {
  Changes,
  Explanation,
  FactState,
  MissedRule,
  NeededFact,
  OpenRule,
  Remedy,
  StandsOn,
  TurningTest,
} from './decision/explain/explanation.ts';
export type { Distance } from './decision/explain/distance.ts';
export { formatRefusal, type SqlRefusal } from './decision/sql/refusal.ts';
export { type SqlExport, type SqlOptions, toSql } from './decision/sql/sql.ts';
export { ENGINE_VERSION } from './version.ts';

// Audit: a record of every decision
export { type AuditLogOptions, createAuditLog, type OpenAuditLog } from './audit/log.ts';
export { type InitOptions, initAuditLog } from './audit/init.ts';
export type { LogPlace } from './audit/place.ts';
export { addNote, type Note } from './audit/query/note.ts';
export { type Erased, type EraseOptions, eraseSubject } from './audit/retain/erase.ts';
export { type Replay, type ReplayOptions, type ReplayProblem, replayLog } from './audit/query/replay/replay.ts';
export type { OutcomeChange, OtherOutcomes } from './audit/query/replay/comparison.ts';
export {
  FINDING_CODES as AUDIT_FINDING_CODES,
  type Finding as AuditFinding,
  type FindingCode as AuditFindingCode,
} from './audit/verify/finding.ts';
export { type VerifyReport as AuditReport, type VerifyOptions, verifyLog } from './audit/verify/verify.ts';
export { type Pruned, type PruneOptions, pruneLog } from './audit/retain/prune.ts';
export { type CheckpointOptions, type TakenCheckpoint, takeCheckpoint } from './audit/checkpoint/take.ts';
