/** Policy, mapping, engine, record and reviews of a decision -> names and values. */

import type { Verdict } from '../../../decision/meaning/verdict.ts';
import type { Policy } from '../../../policy/language.ts';
import { type Child, type Markup, strong } from '../markup.ts';
import type { DecisionPageData, NotedReview, RecordState } from './decided.ts';
import { signed, soft } from './marks.ts';
import { codeValue, instant, optional } from './phrases.ts';
import { type Pair, pairs, table } from './table.ts';

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
