/** The sources that did not answer, and what asking again could lead to -> sentences. */

import type { FactState, FailedSource, Failures, Retry } from '../../decision/explain/explanation.ts';
import { WHOLE_SERVICE } from '../../decision/explain/sources.ts';
import { type Outcome, strictness } from '../../policy/language.ts';

/** `the email source`; `the verification service`. */
export function sourceName(source: string): string {
  return source === WHOLE_SERVICE ? 'the verification service' : `the ${source} source`;
}

/** `the email source did not answer`; `part of the email source did not answer`. */
export function failureWords({ source, isPart }: Pick<FailedSource, 'source' | 'isPart'>): string {
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
  if (mildest === undefined) return 'What asking again would lead to was not found out.';
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

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
