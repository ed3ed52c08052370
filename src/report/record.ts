/** A decision on record, with its explanation or why it has none -> text for people. */

import type { SearchableFields } from '../audit/entry/searchable.ts';
import type { DecisionRecord, RecordedEvent, RecordedNote } from '../audit/query/decision-record.ts';
import type { SignalsRecord } from '../decision/decision.ts';
import type { CallRecord } from '../decision/events.ts';
import type { Explanation } from '../decision/explain/explanation.ts';
import type { Verdict } from '../decision/meaning/verdict.ts';
import { CATALOG_TABLE } from '../facts/catalog.ts';
import { count, printable } from '../text.ts';
import { printExplanation } from './explanation.ts';
import { type Block, heading, names, outcome, pairs, paragraph, type Styler } from './outline.ts';
import { textOf } from './plain-text.ts';
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

/** The clocks of the service and the log may differ by this much without both times being printed. */
const CLOCK_SKEW_MS = 60_000;

/** The text. `all` lists every rule that did not fire. */
export function printRecord(shown: ShownRecord, all: boolean, style: Styler): string {
  const { record: loaded, explanation, unreadable } = shown;
  const { record, notes, events, body } = loaded;
  const { id, at, writtenAt, outcome } = record;
  const { policy } = 'closed' in body ? record : body.decision;
  const policyWords = `policy ${printable(`${policy.name} ${policy.version}`)} (${policy.digest})`;
  const isLate = Math.abs(Date.parse(writtenAt) - Date.parse(at)) > CLOCK_SKEW_MS;
  const defects = [
    ...defectsOf(shown),
    ...(isSameAgain(shown) ? [] : ['deciding again gives another result, which is explained below']),
  ];
  const head = [
    `decision ${id}`,
    `  decided  ${at}, ${outcome}, by ${policyWords}`,
    ...(isLate ? [`  written  ${writtenAt}, by the clock of the log`] : []),
    ...('closed' in body ? [`  digest   ${ARCHIVED_DIGEST}`] : []),
    ...('closed' in body ? [] : sparedWords(body.decision.signals).map((words) => `  service  ${words}`)),
    ...('closed' in body ? [] : [`  for      reference ${printable(body.decision.clientReference)}`]),
    `  record   ${positionWords(loaded)}`,
    ...(record.plain === undefined ? [] : ['  body     not encrypted: anyone who can write to the log can change it']),
    ...('closed' in body || body.erasedPeople === 0 ? [] : [`  policy   ${erasedWords(body.erasedPeople)}`]),
    ...defects.map((defect) => `  ${style('red', 'BUT')}      ${defect}`),
    ...('closed' in body ? [] : body.decision.signals.warnings.map(({ text }) => `  warning  ${printable(text)}`)),
    ...(outcome === 'aborted' && !('closed' in body) ? body.decision.signals.calls.map(callLine) : []),
    ...notes.map((note) => `  note     ${noteWords(note)}`),
    ...events.map((event) => `  event    ${eventWords(event)}`),
    '',
    ...(explanation && outcome === 'aborted' ? ['Nobody was given it. The facts that were there lead to:', ''] : []),
    '',
  ].join('\n');
  if (explanation) {
    const table = 'closed' in body ? CATALOG_TABLE : body.policy.facts;
    return `${head}${printExplanation(explanation, { style, all, table })}`;
  }
  const blocks = [paragraph(unreadable?.words ?? ''), heading('What can be read'), clearFields(record)];
  return `${head}${textOf(blocks, style)}`;
}

/** Of a record whose body is closed: what its clear fields call the policy's digest. */
export const ARCHIVED_DIGEST =
  "the digest is that of the policy's archived form, in which what it says of people is encrypted; the policy's own " +
  'digest, which a readable record shows, differs if it says anything of people';

/** That calls were spared, a sentence for each stage. */
export function sparedWords({ calls, spared }: Pick<SignalsRecord, 'calls' | 'spared'>): readonly string[] {
  const not = calls.length === 0 ? 'was not asked' : 'was not asked again';
  return spared.map(
    ({ stage, asked }) => `the service ${not} (stage ${stage}, ${asked.join(', ')}): the decision was already certain`,
  );
}

function erasedWords(people: number): string {
  const whom = people === 1 ? 'one person' : `${people} people`;
  return `what it said of ${whom} was erased since, and its own digest; the digest is that of its archived form`;
}

/** A call as it is reconciled with the bill. */
function callLine({ asked, result, error, requestId }: CallRecord): string {
  const details = [error ?? [], requestId === undefined ? [] : `request id ${requestId}`].flat();
  const suffix = details.length === 0 ? '' : ` (${printable(details.join(', '))})`;
  return `  call     ${printable(asked.join(', '))}: ${CALL_RESULTS[result]}${suffix}`;
}

/** What can be read of a record without its key. */
export function clearFields(record: SearchableFields): Block {
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
export function positionWords({ record, position, segmentStatus }: DecisionRecord): string {
  const { chain, segment, line } = position;
  const where = `entry ${record.seq} of chain ${chain}, line ${line} of segment ${segment}`;
  if (segmentStatus.state !== 'whole') return where;
  const after =
    segmentStatus.after === 0 ? 'this line is its last' : `${count(segmentStatus.after, 'line')} after this one`;
  return `${where}; the segment is as it was written, ${after} (the whole log: verdict audit verify)`;
}

function noteWords({ at, disposition, by, why }: RecordedNote): string {
  const words = by === undefined ? 'who and why cannot be read' : `${printable(by)}: ${printable(why ?? '')}`;
  return `${at} ${disposition}, ${words}`;
}

function eventWords({ at, type, detail, by, why, details = {} }: RecordedEvent): string {
  const more = detailWords(details);
  const words = [by, ...(why ? [why] : [])].join(': ') + (more === '' ? '' : ` (${more})`);
  const what = [at, type, ...(detail === undefined ? [] : [detail])].join(' ');
  return `${what}, ${by === undefined ? 'who and why cannot be read' : printable(words)}`;
}

/** The details of an event, by name. */
export function detailWords(details: NonNullable<RecordedEvent['details']>): string {
  return Object.entries(details)
    .map(([name, text]) => `${name}: ${text}`)
    .join('; ');
}

/** Whether it was carried out, and so billed. */
export const CALL_RESULTS: Readonly<Record<CallRecord['result'], string>> = {
  answered: 'answered',
  failed: 'failed; not carried out',
  unknown: 'no answer; it may have been carried out, and billed',
};

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
