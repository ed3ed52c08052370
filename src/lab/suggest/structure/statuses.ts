/** The fields of the answers -> the fields that say whether the service, or the source of one part, answered. */

import { CATALOG_TABLE } from '../../../facts/catalog.ts';
import { isPartial, isSuccess } from '../../../facts/mapping/status-words.ts';
import type { Scalar } from '../../../facts/mapping/value/spelling-key.ts';
import type { AnswerField } from './collect-fields.ts';
import { distinct, type Part, placeStatuses, type Scope, type StatusCandidate } from './status-candidate.ts';
import { findStatusCandidates } from './status-candidates.ts';

/** A status field and which of its values mean success. */
export interface Status extends Part {
  readonly field: AnswerField;
  /** Its subject according to its names. */
  readonly scope: Scope;
  /** The values that mean success; undefined if only the absence of a value does. */
  readonly answered: readonly unknown[] | undefined;
  /** What shows success and failure: words of the values, a flag, or an error that is there or not. */
  readonly kind: 'words' | 'flag' | 'error';
  /** Whether it shows failures that another status of the same part does not. */
  readonly isFurther: boolean;
  /** Answers in which it means failure, or is missing. */
  readonly failed: ReadonlySet<number>;
}

/** Proposed if no answer shows a success: any other value then means failure. */
const USUAL_SUCCESS: readonly string[] = ['ok', 'success', 'successful', 'complete', 'completed'];

/** The signals of a section or a topic, as `sources` names them. */
export const SIGNALS_OF: Readonly<Record<Scope, readonly string[]>> = {
  all: ['phone.*', 'email.*', 'ip.*'],
  phone: ['phone.*'],
  email: ['email.*'],
  ip: ['ip.*'],
  operator: ['phone.*'],
  provider: ['phone.*', 'ip.*'],
  porting: ['phone.porting.*'],
  domain: ['email.domain.*'],
  mailbox: ['email.address.*'],
  behaviour: ['email.behaviour.*'],
  darkWeb: ['email.darkWeb.*'],
  location: ['ip.location.*'],
  isp: ['ip.*'],
};

/**
 * Every status, one for each part of the answer that has one, and errors that it does not show. `data` are the
 * JSONPaths of the fields that seem to hold facts.
 */
export function findStatuses(
  fields: readonly AnswerField[],
  answers: readonly unknown[],
  data: ReadonlySet<string>,
): readonly Status[] {
  const candidates = findStatusCandidates(fields, answers);
  const hasSuccess = candidates.some(({ values }) => values.some(isSuccess));
  // Without a success anywhere, a word such as `unavailable` may be the status of anything.
  const plausible = candidates.filter(
    ({ field, values, shows }) =>
      shows !== undefined || hasSuccess || values.some(isSuccess) || field.subject.leaf.has('outcome'),
  );
  const best = plausible.toSorted((a, b) => weight(b) - weight(a));
  const taken = new Set(best.map(({ field }) => field.jsonPath));
  const placed = placeStatuses(
    best,
    fields.filter(({ jsonPath }) => data.has(jsonPath) && !taken.has(jsonPath)),
  );
  const isDivided = placed.some(({ part, scope, isWhole }) => !isWhole && (part !== undefined || scope !== 'all'));
  const statuses = new Map<string, Status>();
  for (const one of placed) {
    const { field, scope, values, part, isApart, isWhole, shows } = one;
    const id = `${part ?? `${scope} ${scope === 'all' ? field.parent : ''}`} ${isApart}`;
    const other = statuses.get(id);
    const status = { field, scope, part, isApart, isWhole, isFurther: other !== undefined };
    if (shows) {
      if (other && [...shows.shown].every((answer) => other.failed.has(answer))) continue;
      const { answered, failed } = shows;
      const kind = values.length > 0 ? 'flag' : 'error';
      const key = other ? `${id} further` : id;
      if (!statuses.has(key)) statuses.set(key, { ...status, answered, failed, kind });
      continue;
    }
    if (other) continue;
    // If the sources have statuses, a partial answer can be believed except for the sources that failed.
    const isGood = (value: Scalar | null) => isSuccess(value) || (isWhole && isDivided && isPartial(value));
    const good = distinct(values.filter(isGood));
    const answered = good.some(isSuccess) ? good : [...usualSuccess(plausible, field, values), ...good];
    const failures = field.samples.flatMap(({ answer, value }) => (isGood(value) ? [] : [answer]));
    const present = new Set(field.samples.map(({ answer }) => answer));
    const missing = [...answers.keys()].filter((answer) => !present.has(answer));
    const failed = new Set([...failures, ...missing]);
    statuses.set(id, { ...status, answered, failed, kind: 'words' });
  }
  return [...statuses.values()];
}

/** The clearest name first, then texts, then the field closest to the root. Errors last. */
function weight({ field: { names, subject }, values }: StatusCandidate): number {
  if (values.length === 0) return -names.length / 10;
  const clear = subject.leaf.has('outcome') ? 4 : subject.leaf.has('status') ? 3 : 2;
  return clear + (typeof values[0] === 'string' ? 1 : 0) - names.length / 10;
}

/** Success in a field that shows none: as in statuses next to it or of the same name, or else in usual words. */
function usualSuccess(
  candidates: readonly StatusCandidate[],
  { parent, names }: AnswerField,
  values: readonly Scalar[],
): readonly Scalar[] {
  if (values.every((value) => typeof value === 'boolean')) return [true];
  const alike = candidates.filter(({ field }) => field.parent === parent || field.names.at(-1) === names.at(-1));
  const all = alike.flatMap((candidate) => candidate.values);
  const words = distinct(all.filter((value) => typeof value === 'string' && isSuccess(value)));
  return words.length > 0 ? words : USUAL_SUCCESS;
}

/** Whether a list of `signals` names a path. */
export function covers(signals: readonly string[], path: string): boolean {
  return signals.some(
    (pattern) => pattern === path || (pattern.endsWith('.*') && path.startsWith(pattern.slice(0, -1))),
  );
}

/** Every path of the catalog that the service answers. */
export const SERVICE_PATHS: readonly string[] = [...CATALOG_TABLE].flatMap(([path, { origin }]) =>
  origin === 'service' ? [path] : [],
);
