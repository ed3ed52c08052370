/** The fields of the answers -> the fields that say whether the service, or one source, answered. */

import { CATALOG_TABLE } from '../../facts/catalog.ts';
import { type Scalar, spellingKey } from '../../facts/mapping/value/spelling-key.ts';
import type { Section, Topic } from '../names/subject.ts';
import { splitWords } from '../names/tokenise.ts';
import { splitList } from '../names/word-list.ts';
import { enumValueOf } from '../values/enums.ts';
import type { AnswerField } from './collect-fields.ts';

/** A status field and which of its values mean success. */
export interface Status {
  readonly field: AnswerField;
  /** The signals that it covers, as `sources` names them. */
  readonly signals: readonly string[];
  readonly scope: Scope;
  /** Whether it is the status of the whole answer. */
  readonly isWhole: boolean;
  readonly name: string;
  readonly answered: readonly Scalar[];
  /** Answers in which it means failure, or is missing. */
  readonly failed: ReadonlySet<number>;
}

type Scope = Section | Topic | 'all';

const spellings = (words: string): ReadonlySet<string> => new Set(splitList(words).map(spellingKey));

const SUCCESS = spellings('ok, okay, success, successful, succeeded, complete, completed, done, answered, responded');
const FAILURE = spellings(`
  fail, failed, failure, error, errored, timeout, timed out, time out, unavailable, down, no response,
  source unavailable, service unavailable, not answered, unanswered, skipped, not requested, incomplete, degraded,
  partial, source error, source timeout, upstream error, upstream timeout, internal error, unsuccessful, aborted`);
/** Of the whole answer: some sources failed and say so themselves. Of a source: a failure. */
const PARTIAL = spellings('partial, partially completed, partial success, partially successful, incomplete, degraded');
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

const EMAIL_BUT_DARK_WEB = ['email.domain.*', 'email.address.*', 'email.behaviour.*'];

/** Every status, at most one for each scope; for the whole answer, one for each parent. `answers` is their number. */
export function findStatuses(fields: readonly AnswerField[], answers: number): readonly Status[] {
  const found = fields.flatMap((field) => candidateOf(field) ?? []);
  const hasSources = found.some(({ scope }) => scope !== 'all');
  const hasSuccess = found.some(({ values }) => values.some(isSuccess));
  const statuses = new Map<string, Status>();
  const scopes = new Set(found.map(({ scope }) => scope));
  for (const { field, scope, values } of found.toSorted((a, b) => weight(b) - weight(a))) {
    // Without a success anywhere, a word such as `unavailable` may be the status of anything.
    if (!values.some(isSuccess) && !hasSuccess && !field.subject.leaf.has('outcome')) continue;
    const id = `${scope} ${scope === 'all' ? field.parent : ''}`;
    if (statuses.has(id)) continue;
    // If the sources have statuses, a partial answer can be believed except for the sources that failed.
    const canBePartial = scope === 'all' && hasSources;
    const isGood = (value: Scalar | null) => isSuccess(value) || (canBePartial && isPartial(value));
    const good = distinct(values.filter(isGood));
    const answered = good.some(isSuccess) ? good : [...usualSuccess(found, field, values), ...good];
    const failures = field.samples.flatMap(({ answer, value }) => (isGood(value) ? [] : [answer]));
    const present = new Set(field.samples.map(({ answer }) => answer));
    const missing = Array.from({ length: answers }, (_, answer) => answer).filter((answer) => !present.has(answer));
    statuses.set(id, {
      field,
      signals: scope === 'email' && scopes.has('darkWeb') ? EMAIL_BUT_DARK_WEB : SIGNALS_OF[scope],
      scope,
      isWhole: scope === 'all',
      name: scope === 'all' ? 'service' : scope,
      answered,
      failed: new Set([...failures, ...missing]),
    });
  }
  return [...statuses.values()];
}

interface StatusCandidate {
  readonly field: AnswerField;
  readonly scope: Scope;
  readonly values: readonly Scalar[];
}

function candidateOf(field: AnswerField): StatusCandidate | undefined {
  const { kind, isRepeated, samples, names, subject } = field;
  if (kind !== 'value' || isRepeated || subject.isEcho || subject.isForeign || !isStatusName(field)) return undefined;
  const values = samples.flatMap(({ value }) => (value === null || value === '' ? [] : [value]));
  if (values.length === 0 || !values.every((value) => isSuccess(value) || isFailure(value))) return undefined;
  const areTexts = values.every((value) => typeof value === 'string');
  if (!areTexts && !subject.leaf.has('success') && !values.every((value) => value === 200)) return undefined;
  if (values.every((value) => isFactValue(subject.section, value))) return undefined;
  const scope = subject.topic ?? subject.section ?? 'all';
  if (scope === 'all' && (subject.unknownInLeaf.length > 0 || names.length > 4)) return undefined;
  return { field, scope, values };
}

/** `status`, `sourceStatus`, `success`; or the name of a source below `sources` or `statuses`. */
function isStatusName({ names, subject: { leaf, tail, section, topic, inside } }: AnswerField): boolean {
  if (leaf.size === 0 && names.length <= 3 && /^(?:outcome|result|response)$/i.test(names.at(-1) ?? '')) return true;
  if (leaf.has('outcome') || leaf.has('success') || leaf.has('phoneStatus')) return leaf.size <= 3;
  // The status of a porting or a domain is a fact about it; the status of a section may be that of its source.
  if (leaf.has('status') && (topic === undefined || topic === 'darkWeb')) return leaf.size <= 3;
  const isSource = (section !== undefined && leaf.has(section)) || (topic !== undefined && leaf.has(topic));
  const isBelow = [...tail].some((concept) => concept === 'status' || concept === 'outcome' || concept === 'sources');
  return isSource && leaf.size === 1 && (isBelow || inside.has('outcome') || inside.has('sources'));
}

function isSuccess(value: Scalar | null): boolean {
  return value === true || value === 200 || (typeof value === 'string' && SUCCESS.has(spellingKey(value)));
}

function isPartial(value: Scalar | null): boolean {
  return typeof value === 'string' && PARTIAL.has(spellingKey(value));
}

/** `TIMEOUT`, `E_TIMEOUT`, `upstream error`. */
function isFailure(value: Scalar): boolean {
  if (typeof value !== 'string') return value === false;
  const words = value.length > 60 ? [] : splitWords(value);
  return FAILURE.has(spellingKey(value)) || isPartial(value) || words.some((word) => FAILURE_WORDS.has(word));
}

const FAILURE_WORDS: ReadonlySet<string> = new Set('timeout error fail failed failure'.split(' '));

function distinct(values: readonly Scalar[]): readonly Scalar[] {
  return [...new Map(values.map((value) => [spellingKey(value), trimmed(value)])).values()];
}

/** Whether the value is one of the section's status fact, such as `unreachable` of a phone number or a mailbox. */
function isFactValue(section: Section | undefined, value: Scalar): boolean {
  if (typeof value !== 'string') return false;
  const path = section === 'phone' ? 'phone.status' : 'email.address.status';
  return section !== undefined && section !== 'ip' && enumValueOf(path, value) !== undefined;
}

/** The clearest name first, then texts, then the field closest to the root. */
function weight({ field: { names, subject }, values }: StatusCandidate): number {
  const clear = subject.leaf.has('outcome') ? 4 : subject.leaf.has('status') ? 3 : 2;
  return clear + (typeof values[0] === 'string' ? 1 : 0) - names.length / 10;
}

/** Success in a field that shows none: as in statuses next to it or of the same name, or else in usual words. */
function usualSuccess(
  found: readonly StatusCandidate[],
  { parent, names }: AnswerField,
  values: readonly Scalar[],
): readonly Scalar[] {
  if (values.every((value) => typeof value === 'boolean')) return [true];
  const alike = found.filter(({ field }) => field.parent === parent || field.names.at(-1) === names.at(-1));
  const all = alike.flatMap((candidate) => candidate.values);
  const words = distinct(all.filter((value) => typeof value === 'string' && isSuccess(value)));
  return words.length > 0 ? words : USUAL_SUCCESS;
}

function trimmed(value: Scalar): Scalar {
  return typeof value === 'string' ? value.trim() : value;
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
