/** A decision on record, with its explanation or why it has none -> text for people. */

import { recordedOutcome, type SearchableFields } from '../audit/entry/searchable.ts';
import type { DecisionRecord, RecordedNote } from '../audit/query/decision-record.ts';
import type { Explanation } from '../decision/explain/explanation.ts';
import type { Verdict } from '../decision/meaning/verdict.ts';
import { count } from '../text.ts';
import { type Section, type ShownDecision, sectionTexts } from './decision.ts';
import { printExplanation } from './explanation.ts';
import { aside, type Block, list, names, outcome, pairs, paragraph, type Styler } from './outline.ts';
import {
  type Named,
  nameRows,
  peopleBlocks,
  type RecordState,
  recordBlocks,
  signalBlocks,
  sparedBlocks,
} from './provenance.ts';
import { missingWords } from './words/missing.ts';
import { markedCodes, markWords } from './words/reason-codes.ts';

/** A decision on record with its explanation, or why its facts cannot be read. */
export interface ShownRecord {
  readonly record: DecisionRecord;
  readonly explanation: Explanation | undefined;
  readonly unreadable: UnreadableFacts | undefined;
}

/** Whether deciding again gives the result on record; true if the facts cannot be read. */
export function isSameAgain({ record: { body }, explanation }: ShownRecord): boolean {
  return !explanation || 'closed' in body || isReproduced(body.decision, explanation);
}

/** What is not as it was written, in half sentences: a line of the segment, the body, its erasure, a note, an event. */
export function defectsOf({ record: loaded, unreadable }: ShownRecord): string[] {
  const { record, segmentStatus, body, erasedAt, notes, events } = loaded;
  const isErasureUndone = !('closed' in body) && erasedAt !== undefined && record.sealed !== undefined;
  const isBad = ({ closed }: Pick<RecordedNote, 'closed'>) => closed === 'not-opened' || closed === 'no-body';
  return [
    ...(segmentStatus.state === 'bad'
      ? [`line ${segmentStatus.line} of its segment is not as it was written: ${segmentStatus.problem}`]
      : []),
    ...(unreadable?.wrong === undefined ? [] : [unreadable.wrong]),
    ...('closed' in body || body.matchesClearFields ? [] : ['its clear fields differ from its body']),
    ...(isErasureUndone ? [`its erasure is on record, ${erasedAt}, but its facts can still be read`] : []),
    ...(notes.some(isBad) ? ['the body of a note does not open with its key, or is malformed'] : []),
    ...(events.some(isBad) ? ['the body of an event does not open with its key, or is malformed'] : []),
  ];
}

/** The text. `all` lists every rule that did not fire. */
export function printRecord(shown: ShownRecord, all: boolean, style: Styler): string {
  const { explanation, unreadable, record: loaded } = shown;
  const { record: clear, body } = loaded;
  const record = recordState(shown);
  const { id, ...named }: Named = 'closed' in body ? { id: clear.id, decidedAt: clear.at } : body.decision;
  const names = pairs(nameRows(named, clear.policy, record, [['outcome', outcome(clear.outcome)]]));
  const signals: Section = [SIGNALS_TITLE, 'closed' in body ? [] : signalBlocks(body.decision.signals)];
  if ('closed' in body || !explanation) {
    const sections = unreadableParts(shown).map(({ title, of }): Section => [title, of]);
    const why = paragraph(unreadable?.words ?? '');
    return sectionTexts([[`decision ${id}`, [names, why]], signals, ...sections], style).join('\n');
  }
  const { decision, policy } = body;
  const head: readonly Section[] = [
    [`decision ${id}`, [names, ...warningBlocks({ decision, explanation })]],
    [PEOPLE_TITLE, peopleBlocks(loaded)],
    signals,
    [RECORD_TITLE, recordBlocks(decision, policy, record)],
  ];
  const explained = printExplanation({ ...body, decision: explanation, explanation }, { style, all });
  return [...sectionTexts(head, style), explained].join('\n');
}

/** What a reader has to know of a decision first. */
export function warningBlocks({
  decision,
  explanation,
}: Pick<ShownDecision, 'decision' | 'explanation'>): readonly Block[] {
  const isAborted = recordedOutcome(decision) === 'aborted';
  return [
    ...(isAborted ? [aside('warning', [[ABORTED, outcome(decision.outcome), '.']])] : []),
    ...(explanation && !isReproduced(decision, explanation) ? [aside('warning', [NOT_REPRODUCED])] : []),
    ...sparedBlocks(decision.signals ?? { calls: [], spared: [] }),
  ];
}

const ABORTED =
  'The caller ended this decision after the service was asked, and nobody was given it. The facts that were there ' +
  'lead to ';

/** The rules do not explain such a decision. */
const NOT_REPRODUCED =
  'Decided again, this decision has another result: it was made with another policy, other facts or another engine.';

/** Where the record is, whether it is as it was written, and what else is to be said of it. */
export function recordState(shown: ShownRecord): RecordState {
  const { record: clear, body, segmentStatus } = shown.record;
  const { chain, seq, writtenAt: at } = clear;
  const defects = defectsOf(shown);
  const words = [positionWords(shown.record), ...defects.map((defect) => `BUT ${defect}`)].join('; ');
  const sound = segmentStatus.state === 'unchecked' ? 'unchecked' : 'sound';
  const remarks = [
    clear.plain === undefined ? [] : 'The body is not encrypted: anyone who can write to the log can change it.',
    'closed' in body ? ARCHIVED_DIGEST : body.erasedPeople === 0 ? [] : erasedWords(body.erasedPeople),
  ].flat();
  return { chain, seq, at, verification: { state: defects.length === 0 ? sound : 'broken', words }, remarks };
}

/** What can still be read: of encrypted data, only readable notes and events. */
export function unreadableParts(
  shown: ShownRecord,
): readonly { readonly id: string; readonly title: string; readonly of: readonly Block[] }[] {
  const { record: clear, body, notes, events } = shown.record;
  const { mapping, engine, policy } = clear;
  const isErased = isErasedRecord(shown);
  const people = peopleBlocks({ notes, events, closed: isErased ? 'erased' : 'cannot be read' });
  const closed = { id: 'closed', title: isErased ? 'What was erased' : 'What cannot be read', of: [list(UNREADABLE)] };
  return [
    { id: 'clear', title: 'What can be read', of: [clearFields(clear)] },
    ...('closed' in body ? [closed] : []),
    { id: 'notes', title: PEOPLE_TITLE, of: people },
    { id: 'record', title: RECORD_TITLE, of: recordBlocks({ mapping, engine }, policy, recordState(shown)) },
  ];
}

/** Whether the facts were erased on request. */
export function isErasedRecord({ unreadable }: ShownRecord): boolean {
  return unreadable?.code === 'erased';
}

const UNREADABLE = [
  'The facts of the decision.',
  'The evidence and the message of each reason, and the score.',
  "The caller's reference, and the calls to the service.",
];

export const PEOPLE_TITLE = 'After the decision';
export const SIGNALS_TITLE = 'Signals asked for';
export const RECORD_TITLE = 'Record';

/** Of a record whose body is closed: what its clear fields call the policy's digest. */
const ARCHIVED_DIGEST =
  "The digest is that of the policy's archived form, in which what it says of people is encrypted; the policy's own " +
  'digest, which a readable record shows, differs if it says anything of people.';

function erasedWords(people: number): string {
  const whom = people === 1 ? 'one person' : `${people} people`;
  return `What the policy said of ${whom} was erased since, and its digest; the digest is that of its archived form.`;
}

/** What can be read of a record without its key. */
function clearFields(record: SearchableFields): Block {
  const { outcome: to, rules, undetermined, missing } = record;
  const lacking = missingWords(missing);
  const words = markWords([record]);
  return pairs([
    ['outcome', outcome(to)],
    ['reasons', names(markedCodes(record))],
    ...(words === '' ? [] : ([['marks', words]] as const)),
    ['rules that fired', names(rules)],
    ['rules undetermined', names(undetermined)],
    ['missing facts', lacking.length === 0 ? 'none' : lacking],
  ]);
}

/** The position of a record, and the status of its segment. */
function positionWords({ record, position, segmentStatus }: DecisionRecord): string {
  const { chain, segment, line } = position;
  const where = `entry ${record.seq} of chain ${chain}, line ${line} of segment ${segment}`;
  if (segmentStatus.state !== 'whole') return where;
  const after =
    segmentStatus.after === 0 ? 'this line is its last' : `${count(segmentStatus.after, 'line')} after this one`;
  return `${where}; the segment is as it was written, ${after} (the whole log: verdict audit verify)`;
}

/** The compared parts of a verdict: its outcome, the fired rules and the undetermined rules. */
type Compared = Pick<Verdict, 'outcome' | 'reasons'> & { readonly undetermined: readonly { readonly rule: string }[] };

/** Whether the explanation explains the decision: another engine or other facts may give another result. */
export function isReproduced(decision: Compared, explanation: Pick<Explanation, keyof Compared>): boolean {
  return summary(decision) === summary(explanation);
}

function summary({ outcome, reasons, undetermined }: Compared): string {
  const fired = reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.rule] : []));
  return JSON.stringify([outcome, fired.sort(), undetermined.map(({ rule }) => rule).sort()]);
}

/** Why the facts cannot be read, or no longer decided on. */
export interface UnreadableFacts {
  /** For machines. */
  readonly code: 'erased' | 'erasure-differs' | 'no-keys' | 'key-missing' | 'not-opened' | 'no-body' | 'policy-erased';
  /** A sentence or two. */
  readonly words: string;
  /** What is wrong with the record, in half a sentence; absent if nothing is. */
  readonly wrong?: string;
}

/** Undefined if the decision can be explained. `hasKeys` is whether there is a key folder. */
export function unreadableFacts(
  { body, erasedAt, erasedOtherwiseAt }: DecisionRecord,
  hasKeys: boolean,
): UnreadableFacts | undefined {
  if (!('closed' in body)) return body.isPolicyErased ? POLICY_ERASED : undefined;
  const { closed } = body;
  if (closed === 'not-opened' || closed === 'no-body') {
    const wrong = closed === 'not-opened' ? 'its key does not open its body' : 'its body is malformed';
    return { code: closed, words: `Its facts cannot be read: ${wrong}. Verify the log with its keys.`, wrong };
  }
  if (erasedAt !== undefined) {
    return { code: 'erased', words: `Its facts were erased. The erasure is on record: ${erasedAt}.` };
  }
  if (!hasKeys) {
    return { code: 'no-keys', words: 'Its facts cannot be read without the key folder, and no erasure is on record.' };
  }
  const key = closed === 'erased' ? 'its key was overwritten' : 'its key is not in the key folder';
  if (erasedOtherwiseAt !== undefined) {
    const erasure = `the erasure on record, ${erasedOtherwiseAt}, is of another subject`;
    const wrong = `${key}, and ${erasure}`;
    return { code: 'erasure-differs', words: `Its facts cannot be read: ${wrong}.`, wrong };
  }
  const wrong = `${key}, and no erasure is on record`;
  return { code: 'key-missing', words: `Its facts cannot be read: ${wrong}.`, wrong };
}

const POLICY_ERASED: UnreadableFacts = {
  code: 'policy-erased',
  words: 'It cannot be explained: what its policy said of this applicant, such as an entry of a list, was erased.',
};
