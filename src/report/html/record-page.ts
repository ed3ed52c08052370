/** A decision on record, with its explanation -> its page, or what can still be read of it. */

import { aside, pairs, time } from '../outline.ts';
import { nameRows, rowOf } from '../provenance.ts';
import { isErasedRecord, recordState, type ShownRecord, unreadableParts } from '../record.ts';
import { decisionContent } from './decision-page.ts';
import { type RecordContent, writePage } from './document.ts';
import { htmlOf } from './html.ts';
import { h1, p } from './markup.ts';
import { outcomeMark } from './parts/phrases.ts';

/** One file, which loads, runs and sends nothing. */
export function recordPage(shown: ShownRecord): string {
  return writePage(recordContent(shown));
}

/** The content of that page. `closed`: what is shown in place of words that the reader may not see. */
export function recordContent(shown: ShownRecord, closed?: string): RecordContent {
  const { explanation, unreadable, record } = shown;
  const { notes, events, body } = record;
  if ('closed' in body || unreadable) return unreadableContent(shown);
  // A page is handed on to people without keys: the policy's own digest lets them try whom it names.
  const decision = { ...body.decision, policy: record.record.policy };
  return decisionContent({ ...body, decision, explanation, record: recordState(shown), notes, events, closed });
}

/** What can still be read. */
function unreadableContent(shown: ShownRecord): RecordContent {
  const { id, at, outcome, policy } = shown.record.record;
  const why = shown.unreadable?.words ?? '';
  const isErased = isErasedRecord(shown);
  const erased = rowOf('erased', shown.record.erasedAt, time);
  const reasons = isErased ? p({ class: 'lead' }, why) : htmlOf([aside('warning', [why])]);
  const names = htmlOf([pairs(nameRows({ id, decidedAt: at }, policy, recordState(shown), erased))]);
  return {
    title: `Decision · ${id} · ${outcome} · ${policy.name} ${policy.version} · ${isErased ? 'erased' : 'closed'}`,
    head: [
      p({ class: 'kind' }, isErased ? 'Decision, its facts erased' : 'Decision, its facts closed'),
      h1(outcomeMark(outcome)),
      reasons,
      names,
    ],
    ...{ reasons, names },
    parts: unreadableParts(shown).map(({ of, ...part }) => ({ ...part, content: htmlOf(of) })),
  };
}
