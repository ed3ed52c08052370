/** A decision whose facts cannot be decrypted -> one self-contained page of its searchable fields, and why. */

import type { SearchableFields } from '../../audit/entry/searchable.ts';
import { clearFields } from '../record.ts';
import { writePage } from './document.ts';
import { htmlOf } from './html.ts';
import { h1, p } from './markup.ts';
import { instant, optional, outcomeMark } from './parts/phrases.ts';
import { headPairs, type NotedReview, notesPart, provenancePart, type RecordState } from './parts/provenance.ts';
import { bullets } from './parts/table.ts';

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
}

/** The page. It needs no network, no script and no other file; of encrypted data it shows only readable notes. */
export function unreadablePage({ clear, why, isErased, erasedAt, record, notes }: UnreadablePage): string {
  const { id, at, outcome, policy, mapping, engine } = clear;
  const state = isErased ? 'erased' : 'closed';
  return writePage({
    title: `Decision · ${id} · ${outcome} · ${policy.name} ${policy.version} · ${state}`,
    head: [
      p({ class: 'kind' }, isErased ? 'Decision, its facts erased' : 'Decision, its facts closed'),
      h1(outcomeMark(outcome)),
      p({ class: isErased ? 'lead' : 'warning' }, why),
      headPairs({ id, decidedAt: at }, policy, record, [['Erased', optional(erasedAt, instant)]]),
    ],
    parts: [
      { id: 'clear', title: 'What can be read', content: htmlOf([clearFields(clear)]) },
      { id: 'closed', title: isErased ? 'What was erased' : 'What cannot be read', content: bullets(UNREADABLE) },
      { id: 'notes', title: 'After the decision', content: notesPart(notes, isErased ? 'erased' : 'cannot be read') },
      {
        id: 'record',
        title: 'Record',
        content: provenancePart({ mapping, engine }, policy, record),
      },
    ],
  });
}

const UNREADABLE = [
  'The facts of the decision.',
  'The evidence and the message of each reason, and the score.',
  "The caller's reference, and the calls to the service.",
];
