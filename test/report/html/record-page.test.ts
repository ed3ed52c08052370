/** A decision that cannot be read -> its HTML page. */

import { describe, expect, it } from 'vitest';
import { recordPage } from '../../../src/report/html/record-page.ts';
import type { ShownRecord } from '../../../src/report/record.ts';
import { ERASED } from '../../support/report/example-pages.ts';
import { all, type ReadElement, readPage, textOf } from '../../support/report/read-page.ts';

const rowsOf = (page: ReadElement, table = 0) =>
  all(all(page, 'table')[table] ?? page, 'tr').map((row) =>
    row.children.map((cell) => (typeof cell === 'string' ? cell : textOf(cell))),
  );
const pageOf = (shown: ShownRecord) => readPage(recordPage(shown));
const CLEAR = ERASED.record.record;

/** The names and values in a part of the page, or in its head. */
function pairsOf(page: ReadElement, id?: string): Record<string, string> {
  const part = all(page, id === undefined ? 'header' : 'section').find(({ attributes }) => attributes['id'] === id);
  if (!part) throw new Error('no such part');
  const [names, values] = [all(part, 'dt'), all(part, 'dd')].map((each) => each.map(textOf));
  return Object.fromEntries((names ?? []).map((name, i) => [name, values?.[i] ?? '']));
}

describe('the page of a decision that was erased', () => {
  const page = pageOf(ERASED);

  it('shows that and when its facts were erased, and whether the record is unchanged', () => {
    expect(textOf(all(page, 'h1')[0] ?? page)).toBe('◆ review');
    expect(all(page, 'p', 'lead').map(textOf)).toEqual([ERASED.unreadable?.words]);
    expect(all(page, 'div', 'warning')).toEqual([]);
    expect(pairsOf(page)).toMatchObject({
      Decided: '2026-11-20 12:04:31.518 UTC',
      Policy: 'onboarding 2026.11',
      Erased: '2026-12-01 09:30:00.000 UTC',
      Record: expect.stringMatching(
        /^✓ sound: entry 1842 of chain .*, line 17 of segment 3; the segment is as it was written, /,
      ),
    });
    expect(textOf(all(page, 'title')[0] ?? page)).toMatch(/· review · onboarding 2026.11 · erased$/);
  });

  it('shows all clear fields', () => {
    expect(pairsOf(page, 'clear')).toEqual({
      Outcome: '◆ review',
      Reasons: 'PORTED_AND_RISKY_EMAIL, (EMAIL_RISK_HIGH), DARK_WEB_RECENT?',
      Marks: 'R decided; (R) fired, not decisive; R? undetermined',
      'Rules that fired': 'port-and-email, email-risk-high',
      'Rules undetermined': 'dark-web-recent',
      'Missing facts': 'its source did not answer: email.darkWeb.hitCount; not returned: email.domain.type, phone.type',
    });
    expect(pairsOf(page, 'record')).toMatchObject({
      'Policy digest': CLEAR.policy.digest,
      'Mapping digest': CLEAR.mapping,
      Record: 'number 1842, written 2026-11-20 12:04:31.518 UTC',
    });
  });

  it('shows the readable parts of notes and events', () => {
    expect(rowsOf(page).slice(1)).toEqual([
      ['2026-11-20 15:22:08.000 UTC', 'decline, until it was corrected', 'erased', 'erased'],
      ['2026-12-02 08:00:00.000 UTC', 'approve', 'M. Okafor', 'Came to the branch.'],
    ]);
    expect(rowsOf(page, 1).slice(1)).toEqual([
      ['2026-12-02 08:01:00.000 UTC', 'data.revealed', 'erased', 'erased', 'erased'],
    ]);
  });

  it('shows "none" for empty fields', () => {
    const clear = {
      ...CLEAR,
      reasons: { decisive: [], fired: [], undetermined: [] },
      rules: [],
      undetermined: [],
      missing: {},
    };
    const empty = pageOf({ ...ERASED, record: { ...ERASED.record, record: clear, notes: [], events: [] } });
    expect(Object.values(pairsOf(empty, 'clear')).slice(1)).toEqual(['none', 'none', 'none', 'none']);
    expect(all(empty, 'h2').map(textOf)).toEqual(['What can be read', 'What was erased', 'Record']);
  });
});

it('the page of a decision whose key is missing warns and does not mention an erasure', () => {
  const { erasedAt: _, ...record } = ERASED.record;
  const words = 'Its facts cannot be read: their key is gone.';
  const page = pageOf({ ...ERASED, record, unreadable: { code: 'key-missing', words } });
  expect(all(page, 'div', 'warning').map(textOf)).toEqual([words]);
  expect(textOf(page)).not.toContain('erased');
  expect(rowsOf(page)[1]?.slice(2)).toEqual(['cannot be read', 'cannot be read']);
  expect(all(page, 'h2').map(textOf)).toContain('What cannot be read');
});
