/** What a person did, about a decision, a case or neither -> an entry in the log. */

import { v7 as uuidV7 } from 'uuid';
import { VerdictError } from '../../errors.ts';
import { FUNCTION, type Kind, oneOf, optionsReader } from '../../platform/given/options.ts';
import { readClock } from '../../platform/given/read-given.ts';
import { isObject } from '../../platform/json.ts';
import { type EventBody, eventTexts } from '../entry/body.ts';
import { EVENT_TYPES, type EventFields, SUBJECT_KEYS, type Subjects } from '../entry/entry.ts';
import * as is from '../entry/schema.ts';
import { actorHash } from '../keys/subject.ts';
import { homeOfLog, indexKeyOf, OPEN_LOG, type OpenAuditLog, writerOf } from '../log.ts';
import { findDecision } from '../read/read-log.ts';
import { MAX_LENGTH, PROSE } from './note.ts';

/** What a person did, who and why. `by`, `why` and `details` are encrypted, and erased with the subjects' records. */
export interface AuditEvent extends Pick<EventBody, 'by'>, Partial<Pick<EventBody, 'why' | 'details'>> {
  /** The open log, to which the event is written. */
  readonly log: OpenAuditLog;
  readonly type: EventFields['type'];
  /** The id of the decision or the case that it is about. */
  readonly object?: string;
  /** A short code that is not encrypted, such as the kind of a case. */
  readonly detail?: string;
  /** Whose erasure erases the event. Default: those of the decision `object`. Needed if the object is no decision. */
  readonly subjects?: Subjects;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

const most = `${MAX_LENGTH.toLocaleString('en')} characters`;

/** May be empty. */
const WHY: Kind = { expected: `a text of at most ${most}`, is: (text) => text === '' || PROSE.is(text) };
const DETAILS: Kind = {
  expected: `an object of texts, of at most ${most} as JSON`,
  is: (details) =>
    isObject(details) &&
    Object.entries(details).every((pair) => pair.every((text) => typeof text === 'string' && text.isWellFormed())) &&
    JSON.stringify(details).length <= MAX_LENGTH,
};
const SUBJECTS: Kind = {
  expected: 'the keyed hashes of a phone number, email or IP address, as a record has them',
  is: (subjects) => is.isOfShape(subjects, SUBJECT_KEYS),
};

const readEvent = optionsReader<AuditEvent>(
  'the event',
  {
    ...{ log: OPEN_LOG, type: oneOf(EVENT_TYPES), 'object?': is.ID, 'detail?': is.CODE },
    ...{ by: PROSE, 'why?': WHY, 'details?': DETAILS, 'subjects?': SUBJECTS, 'now?': FUNCTION },
  },
  'REQUEST_INVALID',
);

/**
 * Records an event; returns its id. Rejects with REQUEST_INVALID if a field is invalid, or the log has no decision
 * `object` and no subjects are given: erasure would not reach the event. Rejects with AUDIT_FAILED if the event could
 * not be recorded.
 */
export async function addEvent(event: AuditEvent): Promise<string> {
  return recordEvent(readEvent(event));
}

/** The same for events of the service, which may have an id that it derives. */
export async function recordEvent(event: AuditEvent & { readonly id?: string }): Promise<string> {
  const { log, type, object, detail, by, why = '', details = {}, subjects, now = Date.now } = event;
  // Before the first wait: the caller may change the details and the subjects meanwhile.
  const texts = eventTexts({ by, why, details });
  const given = subjects && { ...subjects };
  const ms = readClock(now);
  const clear = {
    kind: 'event',
    at: new Date(ms).toISOString(),
    id: event.id ?? uuidV7({ msecs: ms }),
    type,
    ...(object === undefined ? {} : { object }),
    ...(detail === undefined ? {} : { detail }),
    actor: actorHash(by, indexKeyOf(log)),
    subjects: given ?? (object === undefined ? {} : await subjectsOf(log, object)),
  } as const;
  await writerOf(log)({ clear, texts });
  return clear.id;
}

async function subjectsOf(log: OpenAuditLog, decision: string): Promise<Subjects> {
  const found = await findDecision(homeOfLog(log).log, decision);
  if (found) return found.record.subjects;
  throw new VerdictError('REQUEST_INVALID', 'the log has no decision with the id of the object, expected its subjects');
}
