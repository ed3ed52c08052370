/** What changed between the applicants of then and of now -> one self-contained page. */

import type { Drift } from '../../lab/backtest/drift.ts';
import { driftHeadline, driftSections } from '../applicants/drift.ts';
import { writePage } from './document.ts';
import { htmlOf } from './html.ts';
import { h1, p } from './markup.ts';

/** The page. `policy` is its name and version. */
export function driftPage(drift: Drift, policy: string): string {
  const sections = Object.entries(driftSections(drift, 'page'));
  return writePage({
    title: `Drift · ${policy}`,
    head: [p({ class: 'kind' }, 'Drift'), h1(driftHeadline(drift)), p({ class: 'lead' }, `${policy}.`)],
    parts: sections.map(([title, blocks], i) => ({ id: `part-${i}`, title, content: htmlOf(blocks) })),
  });
}
