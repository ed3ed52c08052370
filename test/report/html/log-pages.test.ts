/** The results of a search or a replay, and a decision that cannot be read -> their HTML pages. */

import { describe, expect, it } from 'vitest';
import { replayPage, searchPage, type UnreadablePage, unreadablePage } from '../../../src/report/html/log-pages.ts';
import { ERASED, REPLAY, REPLAYED_WITH, SEARCH } from '../../support/report/example-pages.ts';
import { all, type ReadElement, readPage, textOf } from '../../support/report/read-page.ts';

const rowsOf = (page: ReadElement, table = 0) =>
  all(all(page, 'table')[table] ?? page, 'tr').map((row) =>
    row.children.map((cell) => (typeof cell === 'string' ? cell : textOf(cell))),
  );
const headOf = (page: ReadElement) => textOf(all(page, 'header')[0] ?? page);
const lead = (page: ReadElement) => [...all(page, 'h1'), ...all(page, 'p', 'lead')].map(textOf);

describe('the page of a search', () => {
  const page = readPage(searchPage(SEARCH));

  it('shows the filters, the numbers of results found and shown, and whether the log verifies', () => {
    expect(lead(page)).toEqual(['3,120 decisions found', 'The newest 12 are shown.']);
    expect(headOf(page)).toContain('outcome review or reject; from 2026-11-01');
    expect(headOf(page)).toContain('8 ◆ review, 4 ■ reject');
    expect(headOf(page)).toContain('agrees with the checkpoint of 2026-11-20');
  });

  it('has a row per decision: what decided, and all else behind a fold', () => {
    const rows = rowsOf(page);
    expect(rows).toHaveLength(13);
    expect(rows[0]).toEqual(['Decision', 'Outcome', 'Decided by', 'Also', 'Policy', 'After review']);
    expect(rows[2]).toEqual([
      '2026-11-02 12:04:31.518 UTC 019a9f3c-7e40-7c11-9d2e-5b8a4f60c001',
      '◆ review',
      'PORTED',
      '2 rules fired, 2 undeterminedOther reasons(EMAIL_RISK_HIGH), DARK_WEB?' +
        'Rules that firedport-and-email, email-risk-high' +
        'Rules undetermineddark-web-recent, dark-web-serious' +
        'Factsmissing facts: its source did not answer: email.darkWeb.hitCount, email.darkWeb.lastHit',
      'onboarding 2026.11',
      'approve',
    ]);
    expect(rows[8]?.[0]).toMatch(/erased$/);
    expect(rows[9]?.[2]).toBe('EMAIL_RISK_HIGH~, PORTED_AND_RISKY_EMAIL~');
    expect(rows[9]?.slice(4)).toEqual(['onboarding 2026.11', '–']);
    expect(textOf(all(page, 'caption')[0] ?? page)).toContain(
      'R decided; (R) fired, not decisive; R? undetermined; R~ an earlier record, which does not say',
    );
  });

  it('folds all that did not decide', () => {
    const folds = all(page, 'details').map(textOf);
    expect(folds).toHaveLength(12);
    expect(folds[1]).toContain('(EMAIL_RISK_HIGH), DARK_WEB?');
    expect(folds.join()).not.toContain('reasonsPORTED');
  });

  it('says so if nothing was found', () => {
    const empty = readPage(searchPage({ filters: [], rows: [], total: 0, verification: 'not checked' }));
    expect(lead(empty)).toEqual(['0 decisions found', 'No decision fits the filters.']);
    expect(headOf(empty)).toContain('all decisions');
    expect(all(empty, 'table')).toEqual([]);
  });

  it('says so if all results are shown', () => {
    const one = readPage(searchPage({ ...SEARCH, rows: SEARCH.rows.slice(0, 1), total: 1 }));
    expect(lead(one)).toEqual(['1 decision found', 'All are shown.']);
  });
});

describe('the page of a replay', () => {
  const page = readPage(replayPage(REPLAY, REPLAYED_WITH));
  const { other: _, ...ownPolicies } = REPLAY;

  it('shows the numbers of compared, equal, different and erased decisions, and the policies', () => {
    expect(lead(page)).toEqual([
      '17 of 30,000 outcomes differ',
      'Each record was decided again from its stored facts, on its own day, with another policy, ' +
        'and the outcomes compared. verdict audit show LOG ID explains a decision on record.',
    ]);
    const said = all(page, 'dd').map(textOf);
    expect(said.slice(0, 5)).toEqual(['30,000', '29,983', '17', '12', '1']);
    expect(said[5]).toBe('30,000');
    expect(said[6]).toMatch(/^onboarding 2026.11 sha256:ab12/);
    expect(said[7]).toMatch(/^onboarding 2026.12 sha256:cd34/);
  });

  it('lists changes by frequency with examples, and unchanged outcomes last', () => {
    expect(rowsOf(page).map((row) => row.slice(0, 3))).toEqual([
      ['From', 'To', 'Decisions'],
      ['● accept', '◆ review', '12'],
      ['◆ review', '■ reject', '5'],
      ['● accept', 'the same', '29,983'],
    ]);
    expect(all(page, 'li').map(textOf)).toEqual(
      expect.arrayContaining([
        'LUM-1003 019a9f3c-7e40-7c11-9d2e-5b8a4f60c003',
        // A decision without a reference of the caller.
        '019a9f3c-7e40-7c11-9d2e-5b8a4f60c004',
      ]),
    );
  });

  it('says what decided and what decides now, and names no examples of unchanged decisions', () => {
    expect(rowsOf(page).map((row) => row.slice(3, 5))).toEqual([
      ['Reasons on record', 'Reasons now'],
      ['DEFAULT 12', 'EMAIL_RISK_HIGH 9PORTED_RECENTLY 4'],
      ['PORTED_AND_RISKY_EMAIL 4SCORE 3', 'SCORE 5'],
      ['–', '–'],
    ]);
    expect(textOf(page)).not.toContain('019a9f3c-7e40-7c11-9d2e-5b8a4f60c001');
  });

  it('names facts that are not on record, and why records could not be decided again', () => {
    expect(rowsOf(page, 1)[1]).toEqual(['context.channel', '30,000']);
    expect(all(page, 'li').map(textOf)).toEqual(
      expect.arrayContaining([expect.stringMatching(/c005: its policy or mapping is missing/), 'and 2 more']),
    );
  });

  it('says so if all decisions are the same with their own policies', () => {
    const same = readPage(replayPage({ ...ownPolicies, same: 30_000, problemCount: 0, problems: [] }));
    expect(lead(same)).toEqual([
      'All 30,000 decisions are the same',
      'Each record was decided again from its stored facts, on its own day, and compared byte for byte.',
    ]);
    expect(headOf(same)).toContain('the policy of each record');
    expect(all(same, 'h2').map(textOf)).toEqual(['Changes']);
  });

  it('names decisions that differ with their own policy, without the words "No decision changed"', () => {
    const page = readPage(replayPage({ ...ownPolicies, compared: 2, same: 1 }));
    expect(lead(page)[0]).toBe('1 of 2 decisions differs');
    expect(all(page, 'h2').map(textOf)).toEqual(['Decisions that differ, or could not be decided again']);
    expect(textOf(page)).not.toContain('No decision changed');
  });

  it('says so if nothing was compared', () => {
    expect(lead(readPage(replayPage({ ...ownPolicies, compared: 0, same: 0 })))[0]).toBe('Nothing was compared');
  });
});

const pageOf = (data: UnreadablePage) => readPage(unreadablePage(data));

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
    expect(all(page, 'p', 'lead').map(textOf)).toEqual([ERASED.why]);
    expect(all(page, 'p', 'warning')).toEqual([]);
    expect(pairsOf(page)).toMatchObject({
      Decided: '2026-11-20 12:04:31.518 UTC',
      Policy: 'onboarding 2026.11',
      Erased: '2026-12-01 09:30:00.000 UTC',
      Record: '✓ sound: number 1842 of its chain; that segment is as it was written.',
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
      'Policy digest': ERASED.clear.policy.digest,
      'Mapping digest': ERASED.clear.mapping,
      Record: 'number 1842, written 2026-11-20 12:04:31.518 UTC',
    });
  });

  it('shows the readable parts of notes and events', () => {
    expect(rowsOf(page).slice(1)).toEqual([
      ['2026-11-20 15:22:08.000 UTC', 'decline', 'erased', 'erased'],
      ['2026-12-02 08:00:00.000 UTC', 'approve', 'M. Okafor', 'Came to the branch.'],
    ]);
    expect(rowsOf(page, 1).slice(1)).toEqual([
      ['2026-12-02 08:01:00.000 UTC', 'data.revealed', 'erased', 'erased', 'erased'],
    ]);
  });

  it('shows "none" for empty fields', () => {
    const clear = {
      ...ERASED.clear,
      reasons: { decisive: [], fired: [], undetermined: [] },
      rules: [],
      undetermined: [],
      missing: {},
    };
    const empty = pageOf({ ...ERASED, clear, notes: [], events: [] });
    expect(Object.values(pairsOf(empty, 'clear')).slice(1)).toEqual(['none', 'none', 'none', 'none']);
    expect(all(empty, 'h2').map(textOf)).toEqual(['What can be read', 'What was erased', 'Record']);
  });
});

it('the page of a decision whose key is missing warns and does not mention an erasure', () => {
  const { erasedAt: _, ...rest } = ERASED;
  const page = pageOf({ ...rest, isErased: false, why: 'Its facts cannot be read: their key is gone.' });
  expect(all(page, 'p', 'warning').map(textOf)).toEqual(['Its facts cannot be read: their key is gone.']);
  expect(textOf(page)).not.toContain('erased');
  expect(rowsOf(page)[1]?.slice(2)).toEqual(['cannot be read', 'cannot be read']);
  expect(all(page, 'h2').map(textOf)).toContain('What cannot be read');
});
