/** Policy, mapping, engine, record and reviews of a decision -> names and values. */

import type { Verdict } from '../../../decision/meaning/verdict.ts';
import type { Policy } from '../../../policy/language.ts';
import { type Child, type Markup, strong } from '../markup.ts';
import type { DecisionPageData, NotedReview, RecordState } from './decided.ts';
import { signed, soft } from './marks.ts';
import { codeValue, dayOf, instant, optional } from './phrases.ts';
import { pairs, table } from './table.ts';

/** Policy, mapping and engine with their digests; the record, and whether it was verified. */
export function provenancePart(
  decision: Omit<DecisionPageData, keyof Verdict>,
  policy: Pick<Policy, 'name' | 'version' | 'digest'>,
  day: string,
  record: RecordState | undefined,
): Markup {
  const { id, clientReference, decidedAt, mapping, engine, policy: stamp = policy } = decision;
  return pairs([
    ['Decision', optional(id, codeValue)],
    ['Reference', optional(clientReference, codeValue)],
    ['Decided', optional(decidedAt, instant)],
    ['Day of the decision', dayOf(day)],
    ['Policy', [codeValue(stamp.name), ' version ', codeValue(stamp.version)]],
    ['Policy digest', codeValue(stamp.digest)],
    ['Mapping digest', optional(mapping, codeValue)],
    ['Engine', optional(engine, codeValue)],
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

/** Whether the record is as it was written. */
export function verificationPart({ verification: { state, words } }: RecordState): Markup {
  const [sign, word] = STATES[state];
  return signed(`check ${state}`, sign, strong(word), `: ${words}`);
}

/** The reviews of people, with `closed` in place of fields that cannot be read; undefined if there are none. */
export function notesPart(notes: readonly NotedReview[], closed = 'cannot be read'): Child {
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
