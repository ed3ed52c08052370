/** An answer of the service and a mapping -> for every service fact a value, or the cause it is missing. */

import { MAP, readArgument } from '../../given/options.ts';
import { readGiven } from '../../given/read-given.ts';
import type { IdentityVariable } from '../../signals/variables.ts';
import type { FactDefinition, FactTable } from '../catalog.ts';
import { readDay } from '../day.ts';
import { type Cause, type GivenFact, isMissing } from '../fact.ts';
import { extractFact, NOT_RETURNED } from './extract.ts';
import { MAPPING, type Mapping } from './mapping.ts';
import type { Path } from './path.ts';
import { meansSuccess, type StatusMapping } from './status.ts';
import type { ReadingContext } from './value/coerce.ts';

/** What was requested of the service. */
export interface Asked {
  /** The identity variables that were sent. */
  readonly variables: readonly IdentityVariable[];
  /** Whether another service was requested in addition to the risk service. */
  readonly composite: boolean;
  /** The caller's reference, if one was sent. */
  readonly clientReference?: string;
}

/** The body of an answer, parsed as JSON; or `failed` if there is no answer. */
export type ServiceAnswer = { readonly body: unknown } | 'failed';

/**
 * Every service fact of the table: a value of its type, or missing with the first cause that applies, in this order:
 * `notRequested`, `sourceFailed`, `unmapped`, `notReturned`, `invalid`. `readFacts` then folds the strings and checks
 * the dates. Whatever the body, it does not throw; throws REQUEST_INVALID for other arguments that are malformed.
 *
 * @param day the day of the decision, yyyy-MM-dd; the format `daysAgo` counts from it
 */
export function normalise(
  answer: ServiceAnswer,
  mapping: Mapping,
  asked: Asked,
  table: FactTable,
  day: string,
): Map<string, GivenFact> {
  readArgument('the mapping', MAPPING, mapping);
  readArgument('the table of facts', MAP, table);
  readDay(day);
  return readGiven('REQUEST_INVALID', 'the answer, or what was asked,', () => {
    const isUsable = answer !== 'failed' && isBelieved(answer.body, mapping, asked);
    return normaliseBelieved(isUsable ? answer : 'failed', mapping, asked, table, day);
  });
}

/** Like `normalise`, for an answer that `isBelieved` accepts. */
export function normaliseBelieved(
  answer: ServiceAnswer,
  mapping: Mapping,
  asked: Asked,
  table: FactTable,
  day: string,
): Map<string, GivenFact> {
  const body = answer === 'failed' ? undefined : answer.body;
  const failed = answer === 'failed' ? [] : mapping.sources.filter((source) => !isAnswered(source, body));
  const hasFailed = (path: string) => answer === 'failed' || failed.some(({ facts }) => facts.has(path));
  const given = new Map<string, GivenFact>();
  for (const [path, definition] of table) {
    if (definition.origin !== 'service') continue;
    const signal = mapping.signals.get(path);
    const cause = unreadCause(path, definition, asked, hasFailed);
    if (cause !== undefined) given.set(path, { missing: cause });
    else if (!signal) given.set(path, { missing: 'unmapped' });
    else given.set(path, readSignal(body, { definition, signal, today: day }));
  }
  dropIncompleteLocation(given);
  return given;
}

/** The cause why a fact is missing whatever the answer says of it. */
function unreadCause(
  path: string,
  { variable, composite }: FactDefinition,
  asked: Asked,
  hasFailed: (path: string) => boolean,
): Cause | undefined {
  if (variable !== undefined && !asked.variables.includes(variable)) return 'notRequested';
  if (composite && !asked.composite) return 'notRequested';
  return hasFailed(path) ? 'sourceFailed' : undefined;
}

/** Whether an answer says that the call succeeded and belongs to this request, as far as the mapping can check it. */
export function isBelieved(body: unknown, { status, reference }: Mapping, { clientReference }: Asked): boolean {
  if (status && !isAnswered(status, body)) return false;
  return !reference || clientReference === undefined || isEcho(reference, clientReference, body);
}

/** Whether the answer has the status, and it means success. */
function isAnswered(status: StatusMapping, body: unknown): boolean {
  const found = findIn(status.path, body);
  return found !== undefined && meansSuccess(found, status);
}

/** Whether the answer repeats this caller's reference and no other. */
function isEcho(path: Path, clientReference: string, body: unknown): boolean {
  const found = findIn(path, body);
  return !!found?.length && found.every((reference) => reference === clientReference);
}

/** Undefined if the answer nests too deep to be searched. */
function findIn(path: Path, body: unknown): readonly unknown[] | undefined {
  try {
    return path.find(body);
  } catch {
    return undefined;
  }
}

function readSignal(body: unknown, context: ReadingContext): GivenFact {
  try {
    return extractFact(body, context);
  } catch {
    return { missing: 'invalid' };
  }
}

const LOCATION = ['ip.location.latitude', 'ip.location.longitude'] as const;

/** Services that know no location write 0, 0; and half a location is useless. Both become `notReturned`. */
function dropIncompleteLocation(given: Map<string, GivenFact>): void {
  const known = LOCATION.flatMap((path) => {
    const half = given.get(path);
    return half && !isMissing(half) ? [{ path, value: half.value }] : [];
  });
  const isWhole = known.length === LOCATION.length && known.some(({ value }) => value !== 0);
  if (isWhole) return;
  for (const { path } of known) given.set(path, NOT_RETURNED);
}
