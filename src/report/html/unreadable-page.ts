/** A decision whose facts nobody can read any more -> one self-contained page of what its record says in clear, and why that is all. */

import { dayOf, type SearchableFields } from '../../audit/entry/searchable.ts';
import { causeList } from '../words/missing.ts';
import { writePage } from './document.ts';
import { type Child, element } from './markup.ts';
import type { NotedReview, RecordState } from './parts/decided.ts';
import { outcomeMark } from './parts/marks.ts';
import { codeName, codeValue, instant, listed } from './parts/phrases.ts';
import { notesPart, provenancePart, verificationPart } from './parts/provenance.ts';
import { pairs } from './parts/table.ts';

/** The data of the page. */
export interface UnreadablePage {
  /** What the record says in clear. */
  readonly clear: SearchableFields;
  /** Why its facts cannot be read, in a sentence or two. */
  readonly why: string;
  /** Whether that is what somebody asked for: an erasure; and when: ISO 8601, UTC, where that is on record. */
  readonly isErased: boolean;
  readonly erasedAt?: string;
  readonly record: RecordState;
  /** In the order of time. */
  readonly notes: readonly NotedReview[];
}

/** The page. It needs no network, no script and no other file; of what the log keeps sealed it has notes that can still be read. */
export function unreadablePage({ clear, why, isErased, erasedAt, record, notes }: UnreadablePage): string {
  const { id, at, outcome, policy, mapping, engine } = clear;
  const gone = isErased ? 'erased' : 'closed';
  return writePage({
    title: `Decision · ${id} · ${outcome} · ${policy.name} ${policy.version} · ${gone}`,
    head: [
      element('p', { class: 'kind' }, isErased ? 'Decision, its facts erased' : 'Decision, its facts closed'),
      element('h1', {}, outcomeMark(outcome)),
      element('p', { class: isErased ? 'lead' : 'warning' }, why),
      pairs([
        ['Policy', [codeValue(policy.name), ' ', codeValue(policy.version)]],
        ['Decided', instant(at)],
        ['Erased', erasedAt === undefined ? undefined : instant(erasedAt)],
        ['Decision', codeValue(id)],
        ['Record', verificationPart(record)],
      ]),
    ],
    parts: [
      { id: 'clear', title: 'What stands in clear', content: clearPart(clear) },
      { id: 'closed', title: isErased ? 'What was erased' : 'What cannot be read', content: closedPart() },
      { id: 'notes', title: 'After the decision', content: notesPart(notes, isErased ? 'erased' : 'cannot be read') },
      {
        id: 'record',
        title: 'Record',
        content: provenancePart({ id, decidedAt: at, mapping, engine }, policy, dayOf(clear), record),
      },
    ],
    foot: element('p', {}, 'This page is complete in itself: it loads nothing and runs nothing.'),
  });
}

function clearPart({ outcome, codes, rules, undetermined, causes }: SearchableFields): Child {
  return pairs([
    ['Outcome', outcomeMark(outcome)],
    ['Reasons', names(codes)],
    ['Rules that fired', names(rules)],
    ['Rules undetermined', names(undetermined)],
    ['Why facts were missing', causes.length === 0 ? 'none' : causeList(causes)],
  ]);
}

function names(texts: readonly string[]): Child {
  return texts.length === 0 ? 'none' : listed(texts.map((text) => codeName(text)));
}

function closedPart(): Child {
  const lost = [
    'The facts that it was decided on.',
    'The evidence and the message of each reason, and the score.',
    "The caller's reference, and which calls the service was asked.",
  ];
  return element(
    'ul',
    {},
    lost.map((each) => element('li', {}, each)),
  );
}
