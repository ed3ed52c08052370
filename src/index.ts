/**
 * The public API: the part that runs anywhere (core.ts), and the part that needs Node. Anything that neither exports
 * may change without notice. If both have a name, the one here brings its own geodata and RE2.
 */

export * from './core.ts';

// Errors and diagnostics
export { CodedCause } from './errors.ts';

// Signals: the verification service
export { createVerifyClient, type VerifyAnswer, type VerifyClient } from './signals/client.ts';
export { EVENT_CHANNEL } from './platform/events.ts';
export type { ClientEvent } from './platform/events.ts';
export type { ClientState } from './platform/telemetry.ts';
export type {
  ClientCertificate,
  ConnectionOptions,
  Credentials,
  ExtraHeaders,
  Pem,
  VerifyClientOptions,
} from './signals/options.ts';
export type { VerifyRequest } from './signals/request.ts';
export type { IdentityVariable } from './signals/variables.ts';

// Facts: what is known about an applicant
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

// Policy: the rules that test the facts
export { type CheckOptions, type CheckReport, checkFiles } from './policy/check/check-files.ts';
export { loadPolicy, loadPolicyText, policyFromData } from './policy/read/parse.ts';
export { readPolicy, readPolicyText } from './policy/load.ts';
export {
  type InForce,
  type PolicyWatcher,
  type ProvingOptions,
  type WatchOptions,
  watchPolicy,
} from './policy/watch/watch.ts';

// Decision: accept, review or reject, with reasons
export { createDecider, type Decider, type ReadyWarning } from './decision/decide.ts';
export type { DecideOptions, DeciderOptions } from './decision/decider-options.ts';
export type { DeciderEvent } from './decision/events.ts';
export type { Decision, PolicyTypes, SignalsRecord } from './decision/decision.ts';
export { type Applicant, checkApplicant } from './decision/request.ts';
export { type RedactedDecision, type RedactedEvidence, type RedactedReason, redact } from './decision/redact.ts';
export { WARNING_CODES, type Warning, type WarningCode } from './decision/events.ts';
export type { CallRecord } from './decision/events.ts';
export type { Verifier } from './decision/fetch/service-call.ts';
export type { AuditEntry, AuditLog } from './decision/decision.ts';
export type { Context, ContextFact, ContextValue } from './decision/fetch/context-facts.ts';
export { type FactSource, type LiveRun, runLive } from './decision/live/live.ts';
export { explain } from './decision/explain/explain.ts';
export { formatRefusal, type SqlRefusal } from './decision/sql/dialect.ts';
export { type SqlExport, type SqlOptions, toSql } from './decision/sql/sql.ts';

// Audit: a record of every decision
export { type AuditLogOptions, createAuditLog, type OpenAuditLog } from './audit/log.ts';
export { type InitOptions, initAuditLog } from './audit/init.ts';
export { type CopiedLog, type CopyOptions, copyLog } from './audit/copy.ts';
export type { LogPlace } from './audit/place.ts';
export type { LogIndex } from './audit/index/log-index.ts';
export { openLogIndex } from './audit/index/open-index.ts';
export { EVENT_TYPES } from './audit/entry/entry.ts';
export { type AuditEvent, addEvent } from './audit/query/event.ts';
export { addNote, type Note } from './audit/query/note.ts';
export { type CountedNote, countNote } from './audit/query/seen.ts';
export {
  type DecisionRecord,
  type RecordedEvent,
  type RecordedNote,
  readRecord,
} from './audit/query/decision-record.ts';
export { type SearchOptions, type SearchResult, searchLog } from './audit/query/search.ts';
export type { SearchQuery } from './audit/read/criteria.ts';
export type { FoundDecision } from './audit/read/search-entry.ts';
export { type Erased, type EraseOptions, eraseSubject } from './audit/retain/erase.ts';
export { type Replay, type ReplayOptions, type ReplayProblem, replayLog } from './audit/query/replay/replay.ts';
export type { CountedReason, OutcomeChange, OtherOutcomes } from './audit/query/replay/comparison.ts';
export {
  FINDING_CODES as AUDIT_FINDING_CODES,
  type Finding as AuditFinding,
  type FindingCode as AuditFindingCode,
} from './audit/verify/finding.ts';
export { type VerifyReport as AuditReport, type VerifyOptions, verifyLog } from './audit/verify/verify.ts';
export { type Pruned, type PruneOptions, pruneLog } from './audit/retain/prune.ts';
export { type CheckpointOptions, type TakenCheckpoint, takeCheckpoint } from './audit/checkpoint/take.ts';

// Velocity: what was seen before
export type { Counting, SeenMember, SeenSet, VelocityStore } from './decision/velocity-store.ts';
export {
  createVelocityStore,
  initVelocityStore,
  type OpenVelocityStore,
  type VelocityStoreOptions,
} from './stores/velocity/velocity.ts';
