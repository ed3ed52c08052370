/** Shadow rules, the days on which a rule is active, and the fields of its reason. */

import { describe, expect, it } from 'vitest';
import { DAY, decide, type Given } from '../support/policy/decide.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';

const rules = (...each: readonly string[]) => `rules:\n${each.map((keys) => `  - { ${keys} }\n`).join('')}`;
const BAD = 'when: { phone.valid: false }';
const RISKY = 'when: { phone.score: { above: 50 } }';

/** A policy whose verdict fills every field. */
const BUSY = `${HEAD}score: { review: 40, reject: 80 }\n`;
const LIVE = [
  `id: one, ${BAD}, then: review, points: 20`,
  `id: two, ${RISKY}, then: reject, points: 10`,
  'id: three, when: { phone.type: voip }, points: 5',
];

const GIVEN: readonly [what: string, given: Given][] = [
  ['that fire', { 'phone.valid': false, 'phone.score': 80, 'phone.type': 'voip' }],
  ['that do not', { 'phone.valid': true, 'phone.score': 10, 'phone.type': 'mobile' }],
  ['that cannot be decided', {}],
];

describe('a shadow rule', () => {
  const SHADOWS = [
    `id: s1, ${BAD}, then: reject, final: true, points: 500, mode: shadow`,
    `id: s2, ${RISKY}, points: -500, mode: shadow`,
    'id: s3, when: { phone.valid: true }, then: accept, final: true, mode: shadow',
    'id: s4, when: { phone.riskLevel: high }, then: reject, points: 90, mode: shadow',
  ];

  it.each(GIVEN)('changes nothing in the verdict but its own list, among rules %s', async (_what, given) => {
    const { shadow: none, ...without } = await decide(policyOf(BUSY + rules(...LIVE)), given);
    const [first, second, ...others] = LIVE;
    const mixed = rules(SHADOWS[0] ?? '', first ?? '', SHADOWS[1] ?? '', second ?? '', ...others, ...SHADOWS.slice(2));
    const { shadow, ...beside } = await decide(policyOf(BUSY + mixed), given);
    expect(none).toEqual([]);
    expect(shadow.length).toBeGreaterThan(0);
    expect(beside).toEqual(without);
  });

  it('is listed if it fires or is undetermined, in the policy’s order, with the outcome it would ask for', async () => {
    const policy = policyOf(BUSY + rules(...SHADOWS));
    const { shadow } = await decide(policy, { 'phone.valid': false, 'phone.score': 80 });
    expect(shadow).toEqual([
      { rule: 's1', result: 'fires', outcome: 'reject' },
      { rule: 's2', result: 'fires', outcome: null },
      { rule: 's4', result: 'undetermined', outcome: 'reject' },
    ]);
  });

  it('that is final and undetermined does not stop a final accept', async () => {
    const text = (mode: string) =>
      HEAD +
      rules(
        `id: block, ${RISKY}, then: reject, final: true${mode}`,
        `id: allow, ${BAD}, then: accept, final: true`,
        'id: voip, when: { phone.type: voip }, then: reject',
      );
    const given = { 'phone.valid': false, 'phone.type': 'voip' };
    expect((await decide(policyOf(text(', mode: shadow')), given)).outcome).toBe('accept');
    expect((await decide(policyOf(text('')), given)).outcome).toBe('review');
  });

  it('whose whenUnknown is ignore is listed too', async () => {
    const policy = policyOf(HEAD + rules(`id: s, ${BAD}, then: reject, mode: shadow, whenUnknown: ignore`));
    expect((await decide(policy)).shadow).toEqual([{ rule: 's', result: 'undetermined', outcome: 'reject' }]);
  });

  it('does not keep the default from being asked for', async () => {
    const policy = policyOf(
      `policy: a\nversion: "1"\ndefault: review\n${rules(`id: s, ${BAD}, then: accept, mode: shadow`)}`,
    );
    const { outcome, reasons } = await decide(policy, { 'phone.valid': false });
    expect(outcome).toBe('review');
    expect(reasons).toEqual([{ because: 'default', code: 'DEFAULT', outcome: 'review', decisive: true }]);
  });

  it('in a rule set is listed in the policy’s order too', async () => {
    const policy = policyOf(`${HEAD}ruleSets: [a.yaml]\n${rules(`id: s1, ${BAD}, then: review, mode: shadow`)}`, {
      'a.yaml': `${rules(`id: s2, ${BAD}, then: review, mode: shadow`)}tables:
  - { id: t, mode: shadow, columns: [phone.valid, then], rows: [[false, reject], [true, reject], [any, accept]] }\n`,
    });
    const { shadow } = await decide(policy, { 'phone.valid': false });
    expect(shadow.map(({ rule }) => rule)).toEqual(['s1', 's2', 't/1', 't/3']);
  });
});

describe('a rule', () => {
  const ACTIVE: [days: string, active: boolean][] = [
    ['', true],
    ['from: 2026-11-20', true],
    ['from: 2026-11-21', false],
    ['from: 2026-11-19', true],
    ['until: 2026-11-20', true],
    ['until: 2026-11-19', false],
    ['until: 2026-11-21', true],
    ['from: 2026-11-20, until: 2026-11-20', true],
    ['from: 2026-11-01, until: 2026-11-30', true],
    ['from: 2027-01-01, until: 2027-12-31', false],
    ['from: 2025-01-01, until: 2025-12-31', false],
  ];
  it.each(ACTIVE)(`with %j is active on ${DAY}: %j`, async (days, active) => {
    const policy = policyOf(HEAD + rules(`id: one, ${BAD}, then: reject, points: 3${days && `, ${days}`}`));
    const { outcome, score } = await decide(policy, { 'phone.valid': false });
    expect({ outcome, points: score.least }).toEqual(
      active ? { outcome: 'reject', points: 3 } : { outcome: 'accept', points: 0 },
    );
  });

  it('is active on each of its days and on no other', async () => {
    const policy = policyOf(HEAD + rules(`id: one, ${BAD}, then: review, from: 2024-02-28, until: 2024-03-01`));
    const days = ['2024-02-27', '2024-02-28', '2024-02-29', '2024-03-01', '2024-03-02'];
    const outcomes = await Promise.all(
      days.map(async (day) => (await decide(policy, { 'phone.valid': false }, day)).outcome),
    );
    expect(outcomes).toEqual(['accept', 'review', 'review', 'review', 'accept']);
  });

  it('that is not active has no part in the verdict, not even as a shadow or a final rule', async () => {
    const over = 'until: 2026-11-19';
    const policy = policyOf(
      HEAD +
        rules(
          `id: one, ${BAD}, then: reject, final: true, ${over}`,
          `id: two, ${RISKY}, then: reject, points: 90, ${over}`,
          `id: three, ${BAD}, then: reject, mode: shadow, ${over}`,
          'id: four, when: { phone.type: voip }, then: accept, final: true',
        ),
    );
    const verdict = await decide(policy, { 'phone.type': 'voip' });
    expect(verdict).toMatchObject({ outcome: 'accept', undetermined: [], shadow: [], score: { least: 0, most: 0 } });
    expect(verdict.reasons.map((reason) => ('rule' in reason ? reason.rule : reason.code))).toEqual(['four']);
  });
});

describe('the reason of a rule', () => {
  const reasonOf = async (more: string) =>
    (await decide(policyOf(HEAD + rules(`id: one, ${BAD}, then: review${more}`)), { 'phone.valid': false })).reasons[0];

  it('has the notice as written, braces included', async () => {
    expect(await reasonOf(', notice: "Please call us. {phone.type} {{}}"')).toMatchObject({
      notice: 'Please call us. {phone.type} {{}}',
    });
  });

  it('has no notice if the rule has none', async () => {
    expect(Object.keys((await reasonOf('')) ?? {}).sort()).toEqual(
      ['because', 'rule', 'code', 'outcome', 'decisive', 'evidence'].sort(),
    );
  });

  it('has neither owner, tags nor description', async () => {
    const more = ', owner: risk, tags: [a], description: Text';
    expect(await reasonOf(more)).toEqual(await reasonOf(''));
    expect(policyOf(HEAD + rules(`id: one, ${BAD}, then: review${more}`)).rules).toMatchObject([
      { owner: 'risk', tags: ['a'], description: 'Text' },
    ]);
  });

  it('has no notice if the rule is undetermined', async () => {
    const policy = policyOf(HEAD + rules(`id: one, ${BAD}, then: review, notice: Call us`));
    expect((await decide(policy)).reasons).toEqual([
      { because: 'undetermined', rule: 'one', code: 'ONE', outcome: 'review', decisive: true },
    ]);
  });
});
