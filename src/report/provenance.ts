/** What names a decision, its record, its calls and what people did after it -> an outline. */

import type { RecordedEvent, RecordedNote } from '../audit/query/decision-record.ts';
import type { Decision, SignalsRecord } from '../decision/decision.ts';
import type { CallRecord } from '../decision/events.ts';
import type { Policy } from '../policy/language.ts';
import {
  type Block,
  code,
  heading,
  list,
  listed,
  type Pairs,
  pairs,
  paragraph,
  soft,
  type Table,
  time,
  type Words,
} from './outline.ts';

export interface RecordState {
  readonly chain: string;
  /** Its number in the chain, from 1. */
  readonly seq: number;
  /** When the record was written: ISO 8601, UTC. */
  readonly at: string;
  /** `sound`: the record is as it was written; `words` say how far that was checked. */
  readonly verification: { readonly state: 'sound' | 'broken' | 'unchecked'; readonly words: string };
  /** What else is to be said of it, a sentence each. */
  readonly remarks?: readonly string[];
}

/** What people did after a decision, in chronological order. What cannot be read is absent. */
export interface ShownPeople {
  readonly notes?: readonly Omit<RecordedNote, 'id'>[];
  readonly events?: readonly Omit<RecordedEvent, 'id'>[];
  /** In place of who did something, and why. Default: that it cannot be read. */
  readonly closed?: string | undefined;
}

/** What is known of a decision beside its verdict. */
export interface Named extends Partial<Pick<Decision, 'id' | 'clientReference' | 'decidedAt' | 'mapping' | 'engine'>> {
  readonly policy?: Pick<Policy, 'name' | 'version' | 'digest'> | Decision['policy'];
}

/** What names a decision: your reference first. */
export function nameRows(
  { id, clientReference, decidedAt, policy: stamp }: Named,
  policy: Pick<Policy, 'name' | 'version'>,
  record: RecordState | undefined,
  more: Pairs['of'] = [],
): Pairs['of'] {
  const { name, version } = stamp ?? policy;
  const check = record && { mark: 'check' as const, state: record.verification.state, of: record.verification.words };
  return [
    ...rowOf('reference', clientReference, code),
    ...rowOf('decided', decidedAt, time),
    ...more,
    ['policy', [code(name), ' ', code(version)]],
    ...rowOf('decision', id, code),
    ...rowOf('record', check, (mark) => mark),
  ];
}

/** A pair; none without a value. */
export function rowOf<Value>(title: string, value: Value | undefined, show: (value: Value) => Words): Pairs['of'] {
  return value === undefined ? [] : [[title, show(value)]];
}

/** The digests of policy and mapping, the engine, and the place of the record. */
export function recordBlocks(
  { mapping, engine, policy: stamp }: Named,
  policy: Pick<Policy, 'digest'>,
  record: RecordState | undefined,
): readonly Block[] {
  const rows: Pairs['of'] = [
    ...rowOf('policy digest', record && (stamp ?? policy).digest, code),
    ...rowOf('mapping digest', mapping, code),
    ...rowOf('engine', engine, code),
    ...rowOf('chain', record?.chain, code),
    ...rowOf('record', record, ({ seq, at }) => [`number ${seq}, written `, time(at)]),
  ];
  return [...(rows.length === 0 ? [] : [pairs(rows)]), ...(record?.remarks ?? []).map((remark) => paragraph(remark))];
}

/** What people did, with `closed` in place of fields that cannot be read; none if they did nothing. */
export function peopleBlocks({ notes = [], events = [], closed = 'cannot be read' }: ShownPeople): readonly Block[] {
  const readable = (words: string | undefined): Words => words ?? soft(closed);
  const noteTable: Table = {
    is: 'table',
    columns: ['when', 'disposition', 'by', 'why'],
    rows: notes.map(({ at, disposition, counts, by, why }) => [
      time(at),
      counts ? disposition : `${disposition}, until it was corrected`,
      readable(by),
      readable(why),
    ]),
    page: { id: 'review-notes', caption: 'What people did after the decision' },
  };
  const eventTable: Table = {
    is: 'table',
    columns: ['when', 'event', 'by', 'why', 'details'],
    rows: events.map(({ at, type, detail, by, why, details }) => [
      time(at),
      // A pack and a test are made of masked facts.
      [code([type, detail ?? []].flat().join(' ')), type === 'data.revealed' && detail ? ', masked' : []],
      readable(by),
      readable(why),
      readable(details && detailWords(details)),
    ]),
    page: { id: 'events', caption: 'What else people did' },
  };
  return [noteTable, eventTable].filter(({ rows }) => rows.length > 0);
}

function detailWords(details: NonNullable<RecordedEvent['details']>): string {
  const words = Object.entries(details).map(([name, text]) => `${name}: ${text}`);
  return words.join('; ');
}

/** What was sent to the service, its calls as they are reconciled with the bill, and its warnings. */
export function signalBlocks({ requested, calls, spared, warnings }: SignalsRecord): readonly Block[] {
  const callTable: Table = {
    is: 'table',
    columns: ['stage', 'asked with', 'result', 'sent', 'error', 'request id of the service'],
    rows: calls.map(({ stage, asked, result, attempts = 1, error, cause, requestId }) => [
      `${stage}`,
      listed(asked.map(code)),
      CALL_RESULTS[result],
      attempts === 1 ? 'once' : `${attempts} times`,
      error === undefined ? 'none' : listed([error, cause ?? []].flat().map(code)),
      requestId === undefined ? 'none' : code(requestId),
    ]),
    page: { id: 'signal-calls', caption: 'Calls to the service' },
  };
  return [
    paragraph('Sent to the service: ', requested.length === 0 ? 'nothing' : listed(requested.map(code)), '.'),
    ...(calls.length === 0 ? [] : [callTable]),
    ...sparedBlocks({ calls, spared }),
    ...(warnings.length === 0 ? [] : [heading('Warnings'), list(warnings.map(({ text }) => text))]),
  ];
}

/** That calls were spared, a sentence for each stage. */
export function sparedBlocks({ calls, spared }: Pick<SignalsRecord, 'calls' | 'spared'>): readonly Block[] {
  const not = calls.length === 0 ? 'was not asked' : 'was not asked again';
  return spared.map(({ stage, asked }) =>
    paragraph(`The service ${not} (stage ${stage}, ${asked.join(', ')}): the decision was already certain.`),
  );
}

/** Whether it was carried out, and so billed. */
const CALL_RESULTS: Readonly<Record<CallRecord['result'], string>> = {
  answered: 'answered',
  failed: 'failed; not carried out',
  unknown: 'no answer; it may have been carried out, and billed',
};
