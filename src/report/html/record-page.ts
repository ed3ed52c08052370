/** A decision on record, with its explanation -> its page, or what can still be read of it. */

import type { SearchableFields } from '../../audit/entry/searchable.ts';
import { capitalised } from '../../text.ts';
import { ARCHIVED_DIGEST, clearFields, defectsOf, positionWords, type ShownRecord } from '../record.ts';
import { decisionContent } from './decision-page.ts';
import { type RecordContent, writePage } from './document.ts';
import { htmlOf } from './html.ts';
import { h1, p } from './markup.ts';
import { instant, optional, outcomeMark } from './parts/phrases.ts';
import {
  headPairs,
  type NotedReview,
  peoplePart,
  provenancePart,
  type RecordState,
  type ShownEvent,
} from './parts/provenance.ts';
import { bullets } from './parts/table.ts';

/** One file, which loads, runs and sends nothing. */
export function recordPage(shown: ShownRecord): string {
  return writePage(recordContent(shown));
}

/** The content of that page. `closed`: what is shown in place of words that the reader may not see. */
export function recordContent(shown: ShownRecord, closed?: string): RecordContent {
  const { explanation, unreadable } = shown;
  const { record: clear, notes, events, body, erasedAt, segmentStatus } = shown.record;
  const { chain, seq, writtenAt: at } = clear;
  const defects = defectsOf(shown);
  const words = [positionWords(shown.record), ...defects.map((defect) => `BUT ${defect}`)].join('; ');
  const sound = segmentStatus.state === 'unchecked' ? 'unchecked' : 'sound';
  const record = { chain, seq, at, verification: { state: defects.length === 0 ? sound : 'broken', words } } as const;
  if ('closed' in body || unreadable) {
    const isErased = unreadable?.code === 'erased';
    const erasure = erasedAt === undefined ? {} : { erasedAt };
    return unreadableContent({ clear, why: unreadable?.words ?? '', isErased, ...erasure, record, notes, events });
  }
  return decisionContent({ ...body, ...(explanation ? { explanation } : {}), record, notes, events, closed });
}

export interface UnreadablePage {
  /** The fields that the record does not encrypt. */
  readonly clear: SearchableFields;
  /** Why the facts cannot be read, in a sentence or two. */
  readonly why: string;
  /** Whether the facts were erased on request; when, in ISO 8601, UTC, if that is on record. */
  readonly isErased: boolean;
  readonly erasedAt?: string;
  readonly record: RecordState;
  /** In chronological order. */
  readonly notes: readonly NotedReview[];
  readonly events?: readonly ShownEvent[];
}

/** What can still be read: of encrypted data, only readable notes and events. */
export function unreadableContent(page: UnreadablePage): RecordContent {
  const { clear, why, isErased, erasedAt, record, notes, events = [] } = page;
  const { id, at, outcome, policy, mapping, engine } = clear;
  const state = isErased ? 'erased' : 'closed';
  const reasons = p({ class: isErased ? 'lead' : 'warning' }, why);
  const names = headPairs({ id, decidedAt: at }, policy, record, [['Erased', optional(erasedAt, instant)]]);
  return {
    title: `Decision · ${id} · ${outcome} · ${policy.name} ${policy.version} · ${state}`,
    head: [
      p({ class: 'kind' }, isErased ? 'Decision, its facts erased' : 'Decision, its facts closed'),
      h1(outcomeMark(outcome)),
      reasons,
      names,
    ],
    ...{ reasons, names },
    parts: [
      { id: 'clear', title: 'What can be read', content: htmlOf([clearFields(clear)]) },
      { id: 'closed', title: isErased ? 'What was erased' : 'What cannot be read', content: bullets(UNREADABLE) },
      {
        id: 'notes',
        title: 'After the decision',
        content: peoplePart(notes, events, isErased ? 'erased' : 'cannot be read'),
      },
      {
        id: 'record',
        title: 'Record',
        content: [provenancePart({ mapping, engine }, policy, record), p(`${capitalised(ARCHIVED_DIGEST)}.`)],
      },
    ],
  };
}

const UNREADABLE = [
  'The facts of the decision.',
  'The evidence and the message of each reason, and the score.',
  "The caller's reference, and the calls to the service.",
];
