/** A missing fact, its cause, and the source that did not bring it -> words for people. */

import type { FactState, FailedSource, Failures, Retry } from '../../decision/explain/explanation.ts';
import { WHOLE_SERVICE } from '../../decision/explain/sources.ts';
import type { MissingEvidence } from '../../decision/meaning/evidence.ts';
import { type FactTable, isOfApplicant } from '../../facts/catalog.ts';
import { factsAmong } from '../../facts/compute.ts';
import type { Cause } from '../../facts/fact.ts';
import { type Outcome, strictness } from '../../policy/language.ts';
import { capitalised } from '../../text.ts';
import { names, type Words } from '../outline.ts';

/** Why a fact is missing, or why its test failed. */
type AnyCause = MissingEvidence['cause'];

/** Why a fact is missing, where nothing else is known of it. */
export const CAUSE_WORDS: Readonly<Record<AnyCause, string>> = {
  notRequested: 'not requested',
  sourceFailed: 'its source did not answer',
  unmapped: 'the mapping has no path for it',
  notReturned: 'not returned',
  invalid: 'its value cannot be read or computed',
  notGiven: 'not given',
  incomplete: 'its window reaches into what was not counted, which `since: DAY` would take for nothing',
  noneSeen: 'none was seen before',
  error: 'known, but its test failed',
};

/** Why a derived or computed fact is missing. One of its inputs is missing, but the record does not say which. */
const DERIVED_WORDS: Readonly<Record<Cause, (inputs: string) => string>> = {
  notRequested: (inputs) => `cannot be derived, since ${inputs} was not requested`,
  sourceFailed: (inputs) => `cannot be derived, since the source of ${inputs} did not answer`,
  unmapped: (inputs) => `cannot be derived, since the mapping has no path for ${inputs}`,
  notReturned: (inputs) => `cannot be derived, since ${inputs} was not returned`,
  invalid: (inputs) => `cannot be derived from ${inputs}`,
  notGiven: (inputs) => `cannot be derived, since ${inputs} was not given`,
  incomplete: (inputs) => `cannot be derived, since the window of ${inputs} reaches into what was not counted`,
  noneSeen: (inputs) => `cannot be derived from ${inputs}, since none was seen before`,
};

/** The applicant's own data is sent to the service, not requested from it. */
const NOT_SENT = 'not sent to the service';

/** Why this fact of a policy is missing; written after its path and a colon. */
export function causeWords(path: string, cause: AnyCause, facts: FactTable): string {
  if (cause === 'error') return CAUSE_WORDS.error;
  const { compute, inputs = factsAmong(compute?.operands ?? []) } = facts.get(path) ?? {};
  if (inputs.length === 0) {
    if (cause === 'invalid') return 'its value cannot be read';
    return cause === 'notRequested' && isOfApplicant(path) ? NOT_SENT : CAUSE_WORDS[cause];
  }
  if (cause === 'notRequested' && inputs.every(isOfApplicant)) {
    return `cannot be derived, since ${inputs.join(' or ')} was ${NOT_SENT}`;
  }
  const words = DERIVED_WORDS[cause](inputs.join(cause === 'invalid' ? ' and ' : ' or '));
  const hasNever = cause === 'invalid' && compute?.name === 'daysBetween';
  return hasNever ? `${words}: one of them is never, or cannot be read` : words;
}

/** Missing facts by cause, as in the searchable fields of a record. */
type MissingByCause = Readonly<Record<string, readonly string[]>>;

/** `not returned: email.domain.type; its source did not answer: …`; nothing without any. */
export function missingWords(missing: MissingByCause): readonly Words[] {
  return Object.entries(missing).map(([cause, facts], i) => [
    `${i === 0 ? '' : '; '}${isCause(cause) ? CAUSE_WORDS[cause] : cause}: `,
    names(facts),
  ]);
}

function isCause(text: string): text is AnyCause {
  return Object.hasOwn(CAUSE_WORDS, text);
}

/** Causes without their facts, each once: `not requested; not returned`. */
export function causeList(causes: readonly AnyCause[]): string {
  return [...new Set(causes)].map((cause) => CAUSE_WORDS[cause]).join('; ');
}

/** `the email source`; `the verification service`. */
export function sourceName(source: string): string {
  return source === WHOLE_SERVICE ? 'the verification service' : `the ${source} source`;
}

/** `the email source did not answer`; `part of the email source did not answer`. */
function failureWords({ source, isPart }: Pick<FailedSource, 'source' | 'isPart'>): string {
  return `${isPart ? 'part of ' : ''}${sourceName(source)} did not answer`;
}

/** What a source knows about. */
const SUBJECTS: Readonly<Record<string, string>> = { phone: 'number', email: 'address', ip: 'IP address' };

/** What failed and what asking again could lead to. */
export type Failed = Failures & { readonly outcome: Outcome };

/** `The email source did not answer.` and what asking again could lead to, a sentence each; empty if none failed. */
export function failedSentences(failed: Failed): readonly string[] {
  const { failedSources, retry, outcome } = failed;
  if (!retry) return [];
  const names = failedSources.map(({ source }) => source);
  const subjects = new Set(names.map((name) => SUBJECTS[name] ?? 'applicant'));
  const [subject = 'applicant'] = subjects.size === 1 ? subjects : [];
  const they = names.length === 1 ? 'it answers' : names.length === 2 ? 'both answer' : 'all answer';
  return [...whatFailed(failed), retrySentence(retry, outcome, they, `as for a clean ${subject}`)];
}

/** `The email source did not answer.`, a sentence for each source that failed. */
export function whatFailed({ failedSources }: Pick<Failures, 'failedSources'>): readonly string[] {
  return failedSources.map((source) => `${capitalised(failureWords(source))}.`);
}

/** Why a source brought nothing: `did not answer`. */
export function sourceState(is: FactState): string {
  return 'missing' in is && is.missing === 'sourceFailed' ? 'did not answer' : 'was not asked';
}

function retrySentence({ outcomes, isComplete }: Retry, now: Outcome, they: string, clean: string): string {
  const [mildest, ...others] = outcomes;
  if (mildest === undefined) return 'The effect of a retry could not be determined.';
  if (isComplete && others.length === 0) {
    return mildest === now
      ? `Whatever the answer is, it stays ${now}.`
      : `Ask again: whatever the answer is, ${mildest}.`;
  }
  const open = isComplete ? '' : ' Other outcomes could not be ruled out.';
  const also = others.length === 0 ? '' : `; another answer may lead to ${others.join(' or ')}`;
  const isMilder = strictness(mildest) < strictness(now);
  const best = isMilder ? `Ask again: if ${they} ${clean}, ${mildest}` : `Even if ${they} ${clean}, ${mildest}`;
  return `${best}${also}.${open}`;
}
