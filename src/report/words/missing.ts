/** A missing fact and its cause -> words for people. */

import type { MissingEvidence } from '../../decision/meaning/evidence.ts';
import { CATALOG_TABLE } from '../../facts/catalog.ts';
import type { Cause } from '../../facts/fact.ts';

/** Why a fact is missing, or why its test failed. */
type AnyCause = MissingEvidence['cause'];

const CAUSE_WORDS: Readonly<Record<AnyCause, string>> = {
  notRequested: 'not requested',
  sourceFailed: 'its source did not answer',
  unmapped: 'the mapping has no path for it',
  notReturned: 'not returned',
  invalid: 'its value cannot be read',
  notGiven: 'not given',
  error: 'known, but its test failed',
};

/** Why a derived fact is missing. One of its inputs is missing, but the record does not say which. */
const DERIVED_WORDS: Readonly<Record<Cause, (inputs: string) => string>> = {
  notRequested: (inputs) => `cannot be derived, since ${inputs} was not requested`,
  sourceFailed: (inputs) => `cannot be derived, since the source of ${inputs} did not answer`,
  unmapped: (inputs) => `cannot be derived, since the mapping has no path for ${inputs}`,
  notReturned: (inputs) => `cannot be derived, since ${inputs} was not returned`,
  invalid: (inputs) => `cannot be derived from ${inputs}`,
  notGiven: (inputs) => `cannot be derived, since ${inputs} was not given`,
};

/** The applicant's own data is sent to the service, not requested from it. */
const NOT_SENT = 'not sent to the service';

/** Why this fact is missing; written after its path and a colon. */
export function causeWords(path: string, cause: AnyCause): string {
  if (cause === 'error') return CAUSE_WORDS.error;
  // Facts that a policy declares are never derived.
  const inputs = CATALOG_TABLE.get(path)?.inputs ?? [];
  if (inputs.length === 0) {
    return cause === 'notRequested' && isOfApplicant(path) ? NOT_SENT : CAUSE_WORDS[cause];
  }
  if (cause === 'notRequested' && inputs.every(isOfApplicant)) {
    return `cannot be derived, since ${inputs.join(' or ')} was ${NOT_SENT}`;
  }
  return DERIVED_WORDS[cause](inputs.join(cause === 'invalid' ? ' and ' : ' or '));
}

/** Whether a fact is the applicant's own phone number, email or IP. */
function isOfApplicant(path: string): boolean {
  return CATALOG_TABLE.get(path)?.origin === 'applicant';
}

/** Missing facts by cause, as in the searchable fields of a record. */
type MissingByCause = Readonly<Record<string, readonly string[]>>;

/** The causes in words, each with its facts. */
export function missingGroups(missing: MissingByCause): (readonly [words: string, facts: readonly string[]])[] {
  return Object.entries(missing).map(([cause, facts]) => [isCause(cause) ? CAUSE_WORDS[cause] : cause, facts]);
}

/** `not returned: email.domain.type; its source did not answer: …` */
export function missingList(missing: MissingByCause): string {
  return missingGroups(missing)
    .map(([words, facts]) => `${words}: ${facts.join(', ')}`)
    .join('; ');
}

function isCause(text: string): text is AnyCause {
  return Object.hasOwn(CAUSE_WORDS, text);
}

/** Causes without their facts, each once: `not requested; not returned`. */
export function causeList(causes: readonly AnyCause[]): string {
  return [...new Set(causes)].map((cause) => CAUSE_WORDS[cause]).join('; ');
}
