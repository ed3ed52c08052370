/** What a decision was made with, its record in the log, and what people did after it -> names and values. */

import type { Verdict } from '../../../decision/meaning/verdict.ts';
import type { Policy } from '../../../policy/language.ts';
import { type Child, element, type Markup } from '../markup.ts';
import type { DecisionPageData, NotedReview, RecordState } from './decided.ts';
import { codeValue, dayOf, instant } from './phrases.ts';
import { pairs, table } from './table.ts';

/** Policy, mapping and engine, with their digests; the record and whether it verifies. */
export function provenancePart(
  decision: Omit<DecisionPageData, keyof Verdict>,
  policy: Pick<Policy, 'name' | 'version' | 'digest'>,
  day: string,
  record: RecordState | undefined,
): Markup {
  const { id, clientReference, decidedAt, mapping, engine, policy: stamp = policy } = decision;
  return pairs([
    ['Decision', id === undefined ? undefined : codeValue(id)],
    ['Reference', clientReference === undefined ? undefined : codeValue(clientReference)],
    ['Decided', decidedAt === undefined ? undefined : instant(decidedAt)],
    ['Day of the decision', dayOf(day)],
    ['Policy', [codeValue(stamp.name), ' version ', codeValue(stamp.version)]],
    ['Policy digest', codeValue(stamp.digest)],
    ['Mapping digest', mapping === undefined ? undefined : codeValue(mapping)],
    ['Engine', engine === undefined ? undefined : codeValue(engine)],
    ['Chain', record && codeValue(record.chain)],
    ['Record', record && [`number ${record.seq}, written `, instant(record.at)]],
    ['Verification', record && verificationPart(record)],
  ]);
}

const STATES: Readonly<Record<RecordState['verification']['state'], readonly [sign: string, word: string]>> = {
  sound: ['✓', 'sound'],
  broken: ['×', 'broken'],
  unchecked: ['?', 'not checked'],
};

/** Whether the record is as it was written, in words. */
export function verificationPart({ verification: { state, words } }: RecordState): Markup {
  const [sign, word] = STATES[state];
  return element(
    'span',
    { class: `check ${state}` },
    element('span', { class: 'sign', 'aria-hidden': 'true' }, sign),
    ' ',
    element('strong', {}, word),
    `: ${words}`,
  );
}

/** What people did after a review, `closed` in place of what cannot be read; undefined where nobody noted anything. */
export function notesPart(notes: readonly NotedReview[], closed = 'cannot be read'): Child {
  if (notes.length === 0) return undefined;
  return table({
    id: 'review-notes',
    caption: 'What people did after the decision',
    columns: ['When', 'Disposition', 'By', 'Why'],
    rows: notes.map(({ at, disposition, by, why }) => [
      instant(at),
      disposition,
      by ?? element('span', { class: 'soft' }, closed),
      why ?? element('span', { class: 'soft' }, closed),
    ]),
  });
}
