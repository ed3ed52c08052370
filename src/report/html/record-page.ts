/** A decision on record, with its explanation -> its page, or what can still be read of it. */

import { defectsOf, positionWords, type ShownRecord } from '../record.ts';
import { decisionContent } from './decision-page.ts';
import { type RecordContent, writePage } from './document.ts';
import { unreadableContent } from './log-pages.ts';

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
