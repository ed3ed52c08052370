/** An answer of the verification service and a mapping -> what is given of every service fact: a value, or a cause. */

import type { IdentityVariable } from '../../signals/variables.ts';
import type { FactDefinition, FactTable } from '../catalog.ts';
import { type Cause, type GivenFact, isMissing } from '../fact.ts';
import { extractFact, NOT_RETURNED } from './extract.ts';
import type { Mapping, StatusMapping } from './mapping.ts';
import type { Path } from './path.ts';
import type { SignalMapping } from './signal.ts';
import type { ReadingContext } from './value/coerce.ts';
import { isScalar, spellingKey } from './value/spelling-key.ts';

/** What the service was asked. */
export interface Asked {
  /** The identity variables that were sent. */
  readonly variables: readonly IdentityVariable[];
  /** Whether a further service was asked for beside the risk service. */
  readonly composite: boolean;
  /** The caller's reference, where one was sent. */
  readonly clientReference?: string;
}

/** The body of an answer, parsed as JSON, or `failed` where there is none. */
export type ServiceAnswer = { readonly body: unknown } | 'failed';

/**
 * Every service fact of the table: a value of its type, or missing with the first cause that holds of `notRequested`,
 * `sourceFailed`, `unmapped`, `notReturned`, `invalid`. Never throws. `readFacts` has the last word on strings and dates.
 *
 * @param day the day of the decision, yyyy-MM-dd, which the format `daysAgo` counts from
 */
export function normalise(
  answer: ServiceAnswer,
  mapping: Mapping,
  asked: Asked,
  table: FactTable,
  day: string,
): Map<string, GivenFact> {
  const hasFailed = failureTest(answer, mapping, asked);
  const body = answer === 'failed' ? undefined : answer.body;
  const given = new Map<string, GivenFact>();
  for (const [path, definition] of table) {
    if (definition.origin !== 'service') continue;
    const signal = mapping.signals.get(path);
    const cause = causeBefore(path, definition, asked, hasFailed, signal);
    given.set(
      path,
      cause === undefined && signal
        ? readSignal(body, { definition, signal, today: day })
        : { missing: cause ?? 'unmapped' },
    );
  }
  dropIncompleteLocation(given);
  return given;
}

/** The causes that hold before anything of the signal is read. */
function causeBefore(
  path: string,
  { variable, composite }: FactDefinition,
  { variables, composite: isComposite }: Asked,
  hasFailed: (path: string) => boolean,
  signal: SignalMapping | undefined,
): Cause | undefined {
  if (variable !== undefined && !variables.includes(variable)) return 'notRequested';
  if (composite && !isComposite) return 'notRequested';
  if (hasFailed(path)) return 'sourceFailed';
  return signal ? undefined : 'unmapped';
}

/** Tells of a path whether its source failed, or the whole call. */
function failureTest(answer: ServiceAnswer, mapping: Mapping, asked: Asked): (path: string) => boolean {
  if (answer === 'failed') return () => true;
  const { body } = answer;
  if (!isBelieved(body, mapping, asked)) return () => true;
  const failed = mapping.sources.filter((source) => !isAnswered(source, body));
  return (path) => failed.some(({ facts }) => facts.has(path));
}

/** Whether an answer tells of success, as far as the mapping says where, and is to this request. */
export function isBelieved(body: unknown, { status, reference }: Mapping, { clientReference }: Asked): boolean {
  if (status && !isAnswered(status, body)) return false;
  return !reference || clientReference === undefined || isEcho(reference, clientReference, body);
}

/** A status is there, and whatever stands there means success. */
function isAnswered({ path: place, answered }: StatusMapping, body: unknown): boolean {
  const found = findIn(place, body);
  return !!found?.length && found.every((status) => isScalar(status) && answered.has(spellingKey(status)));
}

/** The answer is to this caller's request and to no other's. */
function isEcho(place: Path, clientReference: string, body: unknown): boolean {
  const found = findIn(place, body);
  return !!found?.length && found.every((reference) => reference === clientReference);
}

/** Undefined where the place cannot be followed: the answer nests beyond all measure. */
function findIn(place: Path, body: unknown): readonly unknown[] | undefined {
  try {
    return place.find(body);
  } catch {
    return undefined;
  }
}

function readSignal(body: unknown, reading: ReadingContext): GivenFact {
  try {
    return extractFact(body, reading);
  } catch {
    return { missing: 'invalid' };
  }
}

const LOCATION = ['ip.location.latitude', 'ip.location.longitude'] as const;

/** 0, 0 is what services write that know no location, and half of one is none: both are not returned. */
function dropIncompleteLocation(given: Map<string, GivenFact>): void {
  const known = LOCATION.flatMap((path) => {
    const half = given.get(path);
    return half && !isMissing(half) ? [{ path, value: half.value }] : [];
  });
  const isWhole = known.length === LOCATION.length && known.some(({ value }) => value !== 0);
  if (isWhole) return;
  for (const { path } of known) given.set(path, NOT_RETURNED);
}
