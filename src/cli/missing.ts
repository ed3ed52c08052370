/** A fact that is missing, and its cause -> words for people. */

import type { MissingEvidence } from '../decision/evidence.ts';
import { CATALOG_TABLE } from '../facts/catalog.ts';
import type { Cause } from '../facts/fact.ts';

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
  notRequested: (inputs) => `cannot be worked out: ${inputs} was not asked for`,
  sourceFailed: (inputs) => `cannot be worked out: the source of ${inputs} did not answer`,
  unmapped: (inputs) => `cannot be worked out: the mapping has no place for ${inputs}`,
  notReturned: (inputs) => `cannot be worked out: ${inputs} was not in the answer`,
  invalid: (inputs) => `cannot be worked out from ${inputs}`,
  notGiven: (inputs) => `cannot be worked out: ${inputs} was not given`,
};

/** Why this fact is missing: what stands behind its path and a colon. */
export function causeWords(path: string, cause: AnyCause): string {
  // No fact of a policy's own is derived, or the applicant's.
  const { origin, inputs = [] } = CATALOG_TABLE.get(path) ?? {};
  if (cause === 'error') return CAUSE_WORDS.error;
  if (origin === 'applicant' && cause === 'notRequested') return 'was not asked about';
  if (inputs.length === 0) return CAUSE_WORDS[cause];
  const names = inputs.join(cause === 'invalid' ? ' and ' : ' or ');
  return DERIVED_WORDS[cause](names);
}

/** Causes without their facts, as a record has them in clear. */
export function causeList(causes: readonly string[]): string {
  return causes.map((cause) => (isCause(cause) ? CAUSE_WORDS[cause] : cause)).join('; ');
}

function isCause(text: string): text is AnyCause {
  return Object.hasOwn(CAUSE_WORDS, text);
}
