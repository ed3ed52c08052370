/** What a proof says of a change: whether it is to stricter outcomes alone, and what a checker doubts first. */

import { describe, expect, it } from 'vitest';
import { doubtsOf, isStricter } from '../../../src/release/evidence/judge-proof.ts';
import { edited, proofOf, RULES, type RuleFiles } from '../../support/release/rule-folders.ts';

const VELOCITY = 'velocity:\n  burst: { count: applications, by: phoneNo, within: 1 hour }\nrules:';
const BURST = '- { id: burst, when: { velocity.burst: { atLeast: 5 } }, then: review, whenUnknown: ignore }';
const COUNTING = edited({ 'rules:': `${VELOCITY}\n  ${BURST}` });
const OTHER = (RULES['signup.yaml'] ?? '').replace('policy: signup', 'policy: other');
const LISTED = edited({}, { 'lists/people.txt': 'ann.example@mail.example\n' });
const untilDay = (day: string) =>
  edited({
    'shops: [Corner Shop, { value: Night Market, until: 2027-03-31 }]': `shops: [{ value: A, until: ${day} }]`,
  });

describe('a change is to stricter outcomes alone', () => {
  it.each<[string, RuleFiles, RuleFiles | undefined, boolean | 'undecided']>([
    ['with a lower limit', edited({ 'atLeast: 80': 'atLeast: 60' }), RULES, true],
    ['with nothing that decides', edited({ '"1"': '"2"' }), RULES, true],
    ['with an entry more', RULES, LISTED, true],
    ['with an entry that ends later', untilDay('2027-05-01'), untilDay('2027-03-01'), true],
    ['not with an entry that ends sooner', untilDay('2027-01-01'), untilDay('2027-03-01'), false],
    ['not with an entry less', LISTED, RULES, false],
    ['not with a higher limit', edited({ 'atLeast: 80': 'atLeast: 90' }), RULES, false],
    ['not if another policy is gone', RULES, { ...RULES, 'other.yaml': OTHER }, false],
    [
      'not if another policy is milder',
      { ...RULES, 'other.yaml': OTHER.replace('80', '90') },
      { ...RULES, 'other.yaml': OTHER },
      false,
    ],
    [
      'perhaps with another mapping',
      edited({}, { 'signals.yaml': 'signals: { phone.type: { at: phone.kind } }\n' }),
      RULES,
      'undecided',
    ],
    ['perhaps with a policy more', { ...RULES, 'other.yaml': OTHER }, RULES, 'undecided'],
    [
      'perhaps with a velocity that counts otherwise',
      edited({ '1 hour': '2 hours' }, {}, COUNTING),
      COUNTING,
      'undecided',
    ],
    [
      'perhaps with other stages',
      edited({ 'rules:': 'stages: [[phoneNo], [phoneNo, email]]\nrules:' }),
      RULES,
      'undecided',
    ],
    [
      'perhaps in another time zone',
      edited({ 'default: accept': 'default: accept\ntimeZone: Europe/London' }),
      RULES,
      'undecided',
    ],
    ['perhaps without a base', RULES, undefined, 'undecided'],
  ])('%s', async (_, files, base, expected) => {
    expect(isStricter(await proofOf(files, base))).toBe(expected);
  });

  it('with more regions than are sought, since milder outcomes are proved to happen to nobody', async () => {
    const numbers = Array.from({ length: 16 }, (_, i) => i);
    const many = (limit: number) => {
      const facts = numbers.map((i) => `\n  context.n${i}: { type: integer }`).join('');
      const rules = numbers.map((i) => {
        return `\n  - { id: n${i}, when: { context.n${i}: { atLeast: ${limit} } }, then: review, whenUnknown: ignore }`;
      });
      return edited({ 'facts:': `facts:${facts}`, 'rules:': `rules:${rules.join('')}` });
    };
    const proof = await proofOf(many(40), many(50));
    expect(proof.policies[0]?.elsewhere).toBe('notSought');
    expect(isStricter(proof)).toBe(true);
    expect(isStricter(await proofOf(many(50), many(40)))).toBe(false);
  });

  it('perhaps in too few steps, and with more later days than are looked at', async () => {
    const stricter = edited({ 'atLeast: 80': 'atLeast: 60' });
    expect(isStricter(await proofOf(stricter, RULES, { steps: 1 }))).toBe('undecided');
    const days = Array.from({ length: 450 }, (_, i) => new Date(Date.UTC(2027, 0, 1 + i)).toISOString().slice(0, 10));
    const entries = days.map((day, i) => `{ value: shop ${i}, until: ${day} }`).join(', ');
    const manyEnds = (files: RuleFiles) => edited({ 'shops: [': `shops: [${entries}, ` }, {}, files);
    expect(isStricter(await proofOf(manyEnds(stricter), manyEnds(RULES)))).toBe('undecided');
  });
});

describe('the doubts of a proof', () => {
  it('are none of a change that is proved, tested and stricter', async () => {
    const tests = `${RULES['signup.test.yaml']}  - { name: at 60, facts: { context.debt: 60 }, expect: { outcome: review } }
  - { name: at 59, facts: { context.debt: 59 }, expect: { outcome: accept } }
  - { name: unknown, expect: { outcome: accept } }
`;
    const doubts = doubtsOf(
      await proofOf(edited({ 'atLeast: 80': 'atLeast: 60' }, { 'signup.test.yaml': tests }), RULES),
    );
    expect(Object.entries(doubts).filter(([, found]) => (Array.isArray(found) ? found.length > 0 : found))).toEqual([]);
  });

  it('are milder outcomes, changed expectations, what is undecided, not run, silenced, shorter or not tested', async () => {
    const base = edited({ 'id: no-voip': 'id: no-voips', 'atLeast: 80': 'atLeast: 70' });
    const tests = (RULES['signup.test.yaml'] ?? '')
      .replace('90 }, expect: { outcome: review }', '90 }, expect: { reasons: [DEBT] }')
      .replace('little debt,', 'little debt, skip: later,');
    const allow =
      'rules:\n  # verdict: allow covered (kept)\n  - { id: more, when: { context.debt: { atLeast: 95 } }, then: review, whenUnknown: ignore }';
    const now = edited({ 'rules:': allow }, { 'lists/people.txt': 'cid@mail.example\n', 'signup.test.yaml': tests });
    const doubts = doubtsOf(await proofOf(now, base, { steps: 400 }));
    const file = 'signup.test.yaml';
    expect(doubts.changedTests).toEqual([{ file, name: 'much debt', line: 5 }]);
    expect(doubts.testsNotRun).toEqual([{ file, name: 'little debt', line: 6 }]);
    expect(doubts.brokenGuarantees).toEqual([{ policy: 'signup', id: 'no-voips', result: 'removed' }]);
    expect(doubts.shrunkLists).toMatchObject([{ list: 'people', removed: 2, added: 1 }]);
    expect(doubts.silenced).toMatchObject([{ code: 'covered', isNew: true }]);
    expect(doubts.undecided.map(({ what }) => what)).toContain('milder');
    expect(doubts.untested).toContainEqual({
      policy: 'signup',
      file: 'signup.yaml',
      line: 14,
      what: 'rule debt: undetermined',
    });
    const milder = doubtsOf(await proofOf(now, base)).milder;
    expect(milder.map(({ from, to }) => `${from} ${to}`)).toContain('review accept');
  });
});
