/** The terms of an index: an index that exists has these, so they change only with its format. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openIndex } from '../../../src/audit/index/index-database.ts';
import { countedOfDecision, keyOf, termsOfDecision } from '../../../src/audit/index/terms.ts';
import { TERMS } from '../../../src/audit/read/criteria.ts';
import type { ClearFields } from '../../../src/audit/read/search-entry.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

const DECISION: ClearFields = {
  ...{ at: '2026-11-20T12:00:00.000Z', id: '01a1f8d4-81e7-705b-88ef-3e60cf1f3b54', outcome: 'review' },
  reasons: { decisive: ['PORTED'], fired: ['EMAIL'], undetermined: ['PHONE'] },
  ...{ rules: ['ported', 'email', 'email'], undetermined: ['phone', 'ip'], missing: { notReturned: ['phone.type'] } },
  policy: { name: 'onboarding', version: '7', digest: 'sha256:1' },
  ...{ subjects: { email: '1:a', ip: '1:b' }, reference: '1:c', links: { 'ip/24': '1:d', mailbox: '1:e' } },
};

const shown = (terms: ReturnType<typeof termsOfDecision>) => terms.map(({ kind, text }) => [kind, text]).sort();

it('has the terms of the fifth format, which every index of it was made of', () => {
  expect(shown(termsOfDecision(DECISION))).toEqual([
    ['decisive', 'PORTED'],
    ['fired', 'EMAIL'],
    ['link', 'ip/24\x001:d'],
    ['link', 'mailbox\x001:e'],
    ['open', null],
    ['openRule', 'ip'],
    ['openRule', 'phone'],
    ['outcome', 'review'],
    ['policy', 'onboarding'],
    ['policy', 'sha256:1'],
    ['policyVersion', 'onboarding@7'],
    ['reference', '1:c'],
    ['rule', 'email'],
    ['rule', 'ported'],
    ['subject', 'email\x001:a'],
    ['subject', 'ip\x001:b'],
    ['undetermined', 'PHONE'],
  ]);
  const { reasons: _, ...earlier } = { ...DECISION, codes: ['PORTED', 'EMAIL'], undetermined: [], rules: [] };
  const ofReasons = shown(termsOfDecision(earlier)).filter(([, text]) => earlier.codes.some((code) => code === text));
  expect(ofReasons).toEqual([
    ['earlier', 'EMAIL'],
    ['earlier', 'PORTED'],
  ]);
  expect(shown(countedOfDecision(earlier))).toEqual([
    ['missing', 'notReturned phone'],
    ['openRule', null],
    ['outcome', 'review'],
    ['policyVersion', 'onboarding@7'],
    ['rule', null],
  ]);
  expect([keyOf({ kind: 'open', text: null }), keyOf({ kind: 'rule', text: 'ported' })]).toEqual([
    1271278211415738667n,
    8122470502070525919n,
  ]);
});

it('is of another format with a further kind of terms: decisions of before would be missed', () => {
  const path = join(temporaryFolder(), 'index.sqlite');
  openIndex(path).database.close();
  const database = new DatabaseSync(path);
  const { user_version: format } = { ...database.prepare('pragma user_version').get() };
  database.close();
  expect({ format, kinds: Object.keys(TERMS).length }).toEqual({ format: 5, kinds: 14 });
});
