/** A fact that is missing, and its cause -> words for people. */

import type { MissingEvidence } from '../../decision/meaning/evidence.ts';
import { CATALOG_TABLE } from '../../facts/catalog.ts';
import type { Cause } from '../../facts/fact.ts';

/** Why a fact is missing, or why its test could not be told. */
type AnyCause = MissingEvidence['cause'];

/** Why some fact is missing, whichever it is. */
export const CAUSE_WORDS: Readonly<Record<AnyCause, string>> = {
  notRequested: 'was not asked for',
  sourceFailed: 'its source did not answer',
  unmapped: 'the mapping has no place for it',
  notReturned: 'was not in the answer',
  invalid: 'its value could not be read',
  notGiven: 'was not given',
  error: 'is known, but its test failed',
};

/** Why a fact that follows from others is missing: one of these is, of which nobody tells which. */
const DERIVED_WORDS: Readonly<Record<Cause, (inputs: string) => string>> = {
  notRequested: (inputs) => `cannot be worked out, since ${inputs} was not asked for`,
  sourceFailed: (inputs) => `cannot be worked out, since the source of ${inputs} did not answer`,
  unmapped: (inputs) => `cannot be worked out, since the mapping has no place for ${inputs}`,
  notReturned: (inputs) => `cannot be worked out, since ${inputs} was not in the answer`,
  invalid: (inputs) => `cannot be worked out from ${inputs}`,
  notGiven: (inputs) => `cannot be worked out, since ${inputs} was not given`,
};

/** The service is asked about what the applicant gives, not for it. */
const NOT_ASKED_ABOUT = 'was not asked about';

/** Why this fact is missing: what stands behind its path and a colon. */
export function causeWords(path: string, cause: AnyCause): string {
  if (cause === 'error') return CAUSE_WORDS.error;
  // No fact of a policy's own is derived.
  const inputs = CATALOG_TABLE.get(path)?.inputs ?? [];
  if (inputs.length === 0) {
    return cause === 'notRequested' && isOfApplicant(path) ? NOT_ASKED_ABOUT : CAUSE_WORDS[cause];
  }
  if (cause === 'notRequested' && inputs.every(isOfApplicant)) {
    return `cannot be worked out, since ${inputs.join(' or ')} ${NOT_ASKED_ABOUT}`;
  }
  return DERIVED_WORDS[cause](inputs.join(cause === 'invalid' ? ' and ' : ' or '));
}

function isOfApplicant(path: string): boolean {
  return CATALOG_TABLE.get(path)?.origin === 'applicant';
}

/** Causes without their facts, as a record has them in clear. */
export function causeList(causes: readonly string[]): string {
  return causes.map((cause) => (isCause(cause) ? CAUSE_WORDS[cause] : cause)).join('; ');
}

function isCause(text: string): text is AnyCause {
  return Object.hasOwn(CAUSE_WORDS, text);
}
