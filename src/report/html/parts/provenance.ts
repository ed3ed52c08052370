/** What is on record of a decision, its signals and its reviews -> parts of its page. */

import type { RecordedEvent, RecordedNote } from '../../../audit/query/decision-record.ts';
import type { Decision, SignalsRecord } from '../../../decision/decision.ts';
import type { Explanation } from '../../../decision/explain/explanation.ts';
import type { Verdict } from '../../../decision/meaning/verdict.ts';
import type { Facts } from '../../../facts/fact.ts';
import type { Policy } from '../../../policy/language.ts';
import { capitalised } from '../../../text.ts';
import { CALL_RESULTS, detailWords, sparedWords } from '../../record.ts';
import { type Child, h3, type Markup, p, strong } from '../markup.ts';
import { codeValue, instant, joined, optional, signed, soft } from './phrases.ts';
import { bullets, type Pair, pairs, table } from './table.ts';

/** A verdict, and what is known of its decision: one on facts in hand has neither id nor signals. */
export type DecisionPageData = Verdict & Partial<Omit<Decision, keyof Verdict>>;

export interface RecordState {
  readonly chain: string;
  /** Its number in the chain, from 1. */
  readonly seq: number;
  /** When the record was written: ISO 8601, UTC. */
  readonly at: string;
  /** `sound`: the record is as it was written; `words` say how far that was checked. */
  readonly verification: { readonly state: 'sound' | 'broken' | 'unchecked'; readonly words: string };
}

/** A note of a person; without who and why if they cannot be read, because their key was erased or is missing. */
export type NotedReview = Omit<RecordedNote, 'id'>;

/** Another thing that a person did; without who, why and details if they cannot be read. */
export type ShownEvent = Omit<RecordedEvent, 'id'>;

export interface DecisionPage {
  readonly decision: DecisionPageData;
  /** Of the same data. Without it, the page says neither what stopped a rule nor what would change the outcome. */
  readonly explanation?: Explanation;
  readonly policy: Policy;
  readonly facts: Facts;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
  readonly record?: RecordState;
  /** In chronological order. */
  readonly notes?: readonly NotedReview[];
  readonly events?: readonly ShownEvent[];
  /** In place of who did something, and why. Default: that it cannot be read. */
  readonly closed?: string | undefined;
}

/** What the head of a page says of its decision: your reference first. */
export function headPairs(
  { id, clientReference, decidedAt, policy: stamp }: Omit<DecisionPageData, keyof Verdict>,
  policy: Pick<Policy, 'name' | 'version'>,
  record: RecordState | undefined,
  more: readonly Pair[] = [],
): Markup {
  const { name, version } = stamp ?? policy;
  return pairs([
    ['Reference', optional(clientReference, codeValue)],
    ['Decided', optional(decidedAt, instant)],
    ...more,
    ['Policy', [codeValue(name), ' ', codeValue(version)]],
    ['Decision', optional(id, codeValue)],
    ['Record', record && verificationPart(record)],
  ]);
}

/** The digests of policy and mapping, the engine, and the place of the record. */
export function provenancePart(
  { mapping, engine, policy: stamp }: Omit<DecisionPageData, keyof Verdict>,
  policy: Pick<Policy, 'digest'>,
  record: RecordState | undefined,
): Markup {
  return pairs([
    ['Policy digest', codeValue((stamp ?? policy).digest)],
    ['Mapping digest', optional(mapping, codeValue)],
    ['Engine', optional(engine, codeValue)],
    ['Chain', record && codeValue(record.chain)],
    ['Record', record && [`number ${record.seq}, written `, instant(record.at)]],
  ]);
}

const STATES: Readonly<Record<RecordState['verification']['state'], readonly [sign: string, word: string]>> = {
  sound: ['✓', 'sound'],
  broken: ['×', 'broken'],
  unchecked: ['?', 'not checked'],
};

/** Whether the record is as it was written. */
function verificationPart({ verification: { state, words } }: RecordState): Markup {
  const [sign, word] = STATES[state];
  return signed(`check ${state}`, sign, strong(word), `: ${words}`);
}

/** What people did, with `closed` in place of fields that cannot be read; undefined if they did nothing. */
export function peoplePart(
  notes: readonly NotedReview[],
  events: readonly ShownEvent[],
  closed = 'cannot be read',
): Child {
  if (notes.length === 0 && events.length === 0) return undefined;
  return [notesTable(notes, closed), eventsTable(events, closed)];
}

function notesTable(notes: readonly NotedReview[], closed: string): Child {
  if (notes.length === 0) return undefined;
  return table({
    id: 'review-notes',
    caption: 'What people did after the decision',
    columns: ['When', 'Disposition', 'By', 'Why'],
    rows: notes.map(({ at, disposition, by, why }) => [
      instant(at),
      disposition,
      by ?? soft(closed),
      why ?? soft(closed),
    ]),
  });
}

function eventsTable(events: readonly ShownEvent[], closed: string): Child {
  if (events.length === 0) return undefined;
  return table({
    id: 'events',
    caption: 'What else people did',
    columns: ['When', 'Event', 'By', 'Why', 'Details'],
    rows: events.map(({ at, type, detail, by, why, details }) => [
      instant(at),
      codeValue([type, ...(detail === undefined ? [] : [detail])].join(' ')),
      by ?? soft(closed),
      why ?? soft(closed),
      details ? detailWords(details) : soft(closed),
    ]),
  });
}

export function signalsPart({ requested, calls, spared, warnings }: SignalsRecord): Child {
  return [
    p('Sent to the service: ', requested.length === 0 ? 'nothing' : joined(requested.map(codeValue)), '.'),
    calls.length === 0
      ? undefined
      : table({
          id: 'signal-calls',
          caption: 'Calls to the service',
          columns: ['Stage', 'Asked with', 'Result', 'Sent', 'Error', 'Request id of the service'],
          rows: calls.map(({ stage, asked, result, attempts = 1, error, cause, requestId }) => [
            `${stage}`,
            joined(asked.map(codeValue)),
            CALL_RESULTS[result],
            attempts === 1 ? 'once' : `${attempts} times`,
            error === undefined ? 'none' : joined([error, ...(cause === undefined ? [] : [cause])].map(codeValue)),
            optional(requestId, codeValue) ?? 'none',
          ]),
        }),
    sparedWords({ calls, spared }).map((words) => p(`${capitalised(words)}.`)),
    warnings.length === 0 ? undefined : [h3('Warnings'), bullets(warnings.map(({ text }) => text))],
  ];
}
