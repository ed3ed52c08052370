/** The places of the answers -> where an answer, or a source of it, says whether it answered; and in which answers one did not. */

import { CATALOG_TABLE } from '../../facts/catalog.ts';
import { type Scalar, spellingKey } from '../../facts/mapping/value/spelling-key.ts';
import type { Section, Topic } from '../names/subject.ts';
import { splitWords } from '../names/tokenise.ts';
import type { Told } from '../propose/candidates.ts';
import { enumValueOf } from '../values/enums.ts';

/** A status: where it stands, what it is of, and which values mean success. */
export interface Status {
  readonly told: Told;
  /** The signals that it speaks of, as `sources` names them; all of them where it is that of the whole answer. */
  readonly signals: readonly string[];
  readonly scope: Section | Topic | 'all';
  readonly isWhole: boolean;
  readonly name: string;
  readonly answered: readonly Scalar[];
  /** Answers in which it means failure, or is not there although others have it. */
  readonly failed: ReadonlySet<number>;
}

const SUCCESS: ReadonlySet<string> = new Set(
  ['ok', 'okay', 'success', 'successful', 'succeeded', 'complete', 'completed', 'done', 'answered', 'responded'].map(
    spellingKey,
  ),
);
const FAILURE: ReadonlySet<string> = new Set(
  [
    ...[
      'fail',
      'failed',
      'failure',
      'error',
      'errored',
      'timeout',
      'timed out',
      'time out',
      'unavailable',
      'down',
      'no response',
    ],
    ...[
      'source unavailable',
      'service unavailable',
      'not answered',
      'unanswered',
      'skipped',
      'not requested',
      'incomplete',
      'degraded',
    ],
    ...[
      'partial',
      'source error',
      'source timeout',
      'upstream error',
      'upstream timeout',
      'internal error',
      'unsuccessful',
      'aborted',
    ],
  ].map(spellingKey),
);
/** Of a whole answer: some of its sources did not answer, as they say themselves; of a source, a failure. */
const PARTIAL: ReadonlySet<string> = new Set(
  ['partial', 'partially completed', 'partial success', 'partially successful', 'incomplete', 'degraded'].map(
    spellingKey,
  ),
);
/** What is believed where no answer shows a success: whatever else stands there means failure. */
const USUAL_SUCCESS: readonly string[] = ['ok', 'success', 'successful', 'complete', 'completed'];

/** The signals of a section or a topic, as `sources` names them. */
export const SIGNALS_OF: Readonly<Record<Section | Topic | 'all', readonly string[]>> = {
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

/** Every status, one for each thing that it can be of; `answers` is how many answers there are. */
export function findStatuses(places: readonly Told[], answers: number): readonly Status[] {
  const found = places.flatMap((told) => statusOf(told) ?? []);
  const hasSources = found.some(({ scope }) => scope !== 'all');
  const hasSuccess = found.some(({ values }) => values.some(isSuccess));
  const statuses = new Map<string, Status>();
  const scopes = new Set(found.map(({ scope }) => scope));
  for (const { told, scope, values } of found.toSorted((a, b) => weight(b) - weight(a))) {
    // A lone word such as `unavailable` can be that of anything; beside a success elsewhere it is that of a source.
    if (!values.some(isSuccess) && !hasSuccess && !told.subject.leaf.has('outcome')) continue;
    const parent = scope === 'all' ? told.spot.parent : '';
    const id = `${scope} ${parent}`;
    if (statuses.has(id)) continue;
    // Where the sources tell for themselves, the others of a partial answer can be believed.
    const canBePartial = scope === 'all' && hasSources;
    const isGood = (value: Scalar | null) => isSuccess(value) || (canBePartial && isPartial(value));
    const good = distinct(values.filter(isGood));
    const answered = good.some(isSuccess) ? good : [...usualOf(found, told, values), ...good];
    const failures = told.spot.samples.flatMap(({ answer, value }) => (isGood(value) ? [] : [answer]));
    const there = new Set(told.spot.samples.map(({ answer }) => answer));
    const missing = Array.from({ length: answers }, (_, answer) => answer).filter((answer) => !there.has(answer));
    statuses.set(id, {
      told,
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

interface Found {
  readonly told: Told;
  readonly scope: Section | Topic | 'all';
  readonly values: readonly Scalar[];
}

function statusOf(told: Told): Found | undefined {
  const { spot, subject } = told;
  if (spot.kind !== 'value' || spot.many || subject.isEcho || subject.foreign || !isStatusName(told)) return undefined;
  const values = spot.samples.flatMap(({ value }) => (value === null || value === '' ? [] : [value]));
  if (values.length === 0 || !values.every((value) => isSuccess(value) || isFailure(value))) return undefined;
  if (
    values.some((value) => typeof value !== 'string') &&
    !subject.leaf.has('success') &&
    !values.every((value) => value === 200)
  )
    return undefined;
  if (values.every((value) => isFactValue(subject.section, value))) return undefined;
  const scope = subject.topic ?? subject.section ?? 'all';
  if (scope === 'all' && (subject.unknownInLeaf.length > 0 || spot.names.length > 4)) return undefined;
  return { told, scope, values };
}

/** `status`, `sourceStatus`, `success`; or a source's own name below `sources` or `statuses`. */
function isStatusName({ spot, subject: { leaf, tail, section, topic, inside } }: Told): boolean {
  if (leaf.size === 0 && spot.names.length <= 3 && /^(?:outcome|result|response)$/i.test(spot.names.at(-1) ?? ''))
    return true;
  if (leaf.has('outcome') || leaf.has('success') || leaf.has('phoneStatus')) return leaf.size <= 3;
  // The status of a port, a line or a domain is told of these; that of a section may be its source's.
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

/** `unreachable` of a phone number or a mailbox is what the fact says. */
function isFactValue(section: Section | undefined, value: Scalar): boolean {
  if (typeof value !== 'string') return false;
  const path = section === 'phone' ? 'phone.status' : 'email.address.status';
  return section !== undefined && section !== 'ip' && enumValueOf(path, value) !== undefined;
}

function weight({ told: { spot, subject }, values }: Found): number {
  const clear = subject.leaf.has('outcome') ? 4 : subject.leaf.has('status') ? 3 : 2;
  return clear + (typeof values[0] === 'string' ? 1 : 0) - spot.names.length / 10;
}

/** What is success where none was seen there. */
function usualOf(found: readonly Found[], told: Told, values: readonly Scalar[]): readonly Scalar[] {
  if (values.every((value) => typeof value === 'boolean')) return [true];
  return siblingsOf(found, told) ?? USUAL_SUCCESS;
}

/** The successes of statuses beside it, which share its words. */
function siblingsOf(found: readonly Found[], told: Told): readonly Scalar[] | undefined {
  const { parent, names } = told.spot;
  const beside = found.filter(({ told: { spot } }) => spot.parent === parent || spot.names.at(-1) === names.at(-1));
  const words = distinct(
    beside.flatMap(({ values }) => values.filter((value) => typeof value === 'string' && isSuccess(value))),
  );
  return words.length > 0 ? words : undefined;
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

/** Every path of the catalog that the service tells. */
export const SERVICE_PATHS: readonly string[] = [...CATALOG_TABLE].flatMap(([path, { origin }]) =>
  origin === 'service' ? [path] : [],
);
