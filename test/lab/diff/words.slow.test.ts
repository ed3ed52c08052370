/** What holds of the applicants of a region, in words. */

import { describe, expect, it } from 'vitest';
import { diffPolicies } from '../../../src/lab/diff/diff.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const QUIET = '  - { id: quiet, when: { phone.valid: false }, then: review, whenUnknown: ignore }\n';

/** The conditions of the one region that this rule makes, which is ignored where it is unknown. */
async function conditionsOf(when: string, declarations = ''): Promise<readonly string[]> {
  const rule = `  - { id: new, when: ${when}, then: reject, whenUnknown: ignore }\n`;
  const policies = [QUIET, QUIET + rule].map((rules) => policyOf(`${HEAD}${declarations}rules:\n${rules}`));
  const [old, now] = policies as [(typeof policies)[0], (typeof policies)[0]];
  const { regions } = await diffPolicies(old, now, { at: '2026-11-20', mostRegions: 1 });
  const [first] = regions;
  return first?.conditions ?? [];
}

describe('a region says', () => {
  it.each([
    [
      'a range of days',
      '{ phone.porting.portedDate: { withinLast: 30 days, olderThan: 20 days } }',
      'phone.porting.portedDate is 21 to 30 days old',
    ],
    [
      'a range of years',
      '{ phone.porting.portedDate: { yearsSince: { between: [2, 4] } } }',
      'phone.porting.portedDate is 2 to 4 years ago',
    ],
    ['levels from one on', '{ phone.riskLevel: { atLeast: high } }', 'phone.riskLevel is high or more'],
    ['levels up to one', '{ phone.riskLevel: { atMost: low } }', 'phone.riskLevel is low or less'],
    ['a range of levels', '{ phone.riskLevel: { between: [low, high] } }', 'phone.riskLevel is low to high'],
    ['all numbers but the least there is', '{ phone.score: { above: 0 } }', 'phone.score is above 0'],
    ['all numbers but the greatest', '{ phone.score: { below: 100 } }', 'phone.score is below 100'],
    ['one of several kinds', '{ phone.type: [voip, pager, tollFree] }', 'phone.type is voip, tollFree or pager'],
    ['all kinds but one', '{ phone.type: { isNot: voip } }', 'phone.type is anything but voip'],
    ['a text that the policy names', '{ phone.country: GB }', 'phone.country is GB'],
    ['a text that it does not', '{ phone.country: { notIn: [GB, IE] } }', 'phone.country is none of GB, IE'],
    [
      'a fact against another',
      '{ phone.score: { above: { fact: email.address.score } } }',
      'phone.score is above email.address.score',
    ],
    ['a personal text without it', '{ applicant.email: ada@one.example }', 'applicant.email is the listed value'],
  ])('%s', async (_, when, words) => {
    const [first] = await conditionsOf(when);
    expect(first).toBe(words);
  });

  it.each([
    ['{ below: 0 }', 'is in the future'],
    ['{ below: -10 }', 'is more than 10 years ahead'],
    ['{ is: -11 }', 'is more than 10 years ahead and at most 11 years ahead'],
    ['{ between: [-11, -1] }', 'is in the future and at most 11 years ahead'],
    ['{ between: [-11, 4] }', 'is 11 years ahead to 4 years ago'],
    ['{ atLeast: -11 }', 'is at most 11 years ahead'],
    ['{ atLeast: 0 }', 'is today or earlier'],
    ['{ below: 18 }', 'is at most 17 years ago'],
  ])('a number of years of a date that may be in the future: %s', async (years, words) => {
    const [first] = await conditionsOf(
      `{ context.due: { yearsSince: ${years} } }`,
      'facts: { context.due: { type: date } }\n',
    );
    expect(first).toBe(`context.due ${words}`);
  });

  it('points of the other rules that are a single number', async () => {
    const scored = (points: number) =>
      policyOf(`${HEAD}score: { review: 30, reject: 31 }
rules:
  - { id: one, when: { phone.valid: false }, points: 30 }
  - { id: two, when: { phone.type: voip }, points: 30 }
  - { id: three, when: { phone.riskLevel: high }, points: ${points} }
`);
    const { regions } = await diffPolicies(scored(0), scored(1), { at: '2026-11-20' });
    const toReject = regions.find(({ from, to }) => from === 'review' && to === 'reject');
    expect(toReject?.conditions.at(-1)).toMatch(/the other rules that fire give 30 points/);
  });

  it('once that no other rule, fired or undetermined, asks for anything strict', async () => {
    const rules = `${HEAD}score: { review: 40 }
rules:
  - { id: risky, when: { phone.riskLevel: high }, points: 35 }
  - { id: staff, when: { ip.matchesPhoneCountry: true }, then: accept }
  - { id: odd, when: { phone.valid: false }, then: review }
`;
    const more = '  - { id: voip, when: { phone.type: voip }, points: 10 }\n';
    const { regions } = await diffPolicies(policyOf(rules), policyOf(rules + more), { at: '2026-11-20' });
    const words = regions.flatMap(({ from, conditions }) => (from === 'accept' ? conditions.slice(1) : [])).join('; ');
    expect(words).toMatch(/^no other rule asks for review or reject, /);
  });

  it('the ends of a score that an undetermined rule may lower', async () => {
    const scored = (points: number) =>
      policyOf(`${HEAD}score: { reject: 25 }
rules:
  - { id: one, when: { phone.valid: false }, points: 30 }
  - { id: less, when: { phone.riskLevel: low }, points: -10 }
  - { id: voip, when: { phone.type: voip }, points: ${points} }
`);
    const { regions } = await diffPolicies(scored(5), scored(4), { at: '2026-11-20' });
    const toReview = regions.find(({ from, to }) => from === 'reject' && to === 'review');
    // Somebody whose risk is not known has 20 to 30 points, of a rule that gives 30.
    expect(toReview?.conditions.slice(1)).toEqual([
      'the lowest score of the other rules is 20, and the highest score of the other rules is at least 21',
    ]);
  });

  it('that two compared facts are known, or that one of them is missing', async () => {
    const policyWith = (operators: readonly string[], more = '') => {
      const tests = operators.map((each) => `{ phone.score: { ${each}: { fact: email.address.score } } }`);
      const rule = `  - { id: new, when: { any: [${tests}] }, then: review${more} }\n`;
      return policyOf(`${HEAD}rules:\n${QUIET}${operators.length > 0 ? rule : ''}`);
    };
    const ignore = ', whenUnknown: ignore';
    const firstOf = async (...[old, now]: readonly [Policy, Policy]) =>
      (await diffPolicies(old, now, { at: '2026-11-20' })).regions[0]?.conditions[0];
    expect(await firstOf(policyWith([]), policyWith(['above', 'atMost'], ignore))).toBe(
      'phone.score and email.address.score are known',
    );
    expect(await firstOf(policyWith(['above'], ignore), policyWith(['above']))).toBe(
      'phone.score or email.address.score is missing',
    );
    expect(await firstOf(policyWith([]), policyWith(['above']))).toBe(
      'phone.score is above email.address.score, or one of them is missing',
    );
  });

  it.each([
    ['{ context.number: [4711234, 4711235] }', 'context.number is one of 2 listed'],
    ['{ context.number: { notIn: [4711234, 4711235] } }', 'context.number is none of 2 listed'],
    ['{ context.born: 1971-02-03 }', 'context.born is the listed value'],
    ['{ context.number: { atLeast: 80 } }', 'context.number is at least 80'],
    ['{ context.number: { atLeast: 80, isNot: 4711234 } }', 'context.number has one of several values (not shown)'],
  ])('personal numbers and days without them, but for limits: %s', async (when, words) => {
    const facts = 'context.number: { type: integer, personal: true }, context.born: { type: date, personal: true }';
    expect((await conditionsOf(when, `facts: { ${facts} }\n`))[0]).toBe(words);
  });

  it('which of several personal values without it is meant', async () => {
    const naming = (name: string, rule = 'a') =>
      `  - { id: ${rule}, when: { applicant.email: ${name}@one.example }, then: reject, whenUnknown: ignore }\n`;
    const conditionsBetween = async (old: string, now: string) => {
      const policies = [old, now].map((rules) => policyOf(`${HEAD}rules:\n${QUIET}${rules}`)) as [Policy, Policy];
      const { regions } = await diffPolicies(...policies, { at: '2026-11-20' });
      return [...new Set(regions.map(({ conditions: [first] }) => first))];
    };
    expect(await conditionsBetween(naming('ada'), naming('bob'))).toEqual([
      'applicant.email is the listed value in rule a of the old policy',
      'applicant.email is the listed value in rule a of the new policy',
    ]);
    expect(await conditionsBetween(naming('ada'), naming('ada') + naming('bob', 'b'))).toEqual([
      'applicant.email is the listed value in rule b of the new policy',
    ]);
  });

  it('an open range, with a short example, of a fact that only the old policy has', async () => {
    const old = policyOf(`${HEAD}facts: { context.amount: { type: number } }
rules:
  - { id: low, when: { context.amount: { atMost: 100.5 } }, then: review, whenUnknown: ignore }
  - { id: high, when: { context.amount: { above: 900 } }, then: reject, whenUnknown: ignore }
`);
    const { regions } = await diffPolicies(old, policyOf(`${HEAD}rules: []\n`), { at: '2026-11-20' });
    const shown = regions.map(({ conditions: [first], example, oldExample }) => [first, example, oldExample]);
    // The new policy would refuse a line with the fact.
    expect(shown).toEqual([
      ['context.amount is at most 100.5', { facts: {} }, { facts: { 'context.amount': 0 } }],
      ['context.amount is above 900', { facts: {} }, { facts: { 'context.amount': 901 } }],
    ]);
  });

  it('the name of a condition that is true of just these applicants', async () => {
    const leaked =
      'conditions: { leaked: { email.darkWeb.hitCount: { atLeast: 3 }, phone.riskLevel: { atLeast: high } } }\n';
    expect((await conditionsOf('{ all: [leaked, { phone.score: { atLeast: 60 } }] }', leaked)).slice(0, 2)).toEqual([
      'leaked (email.darkWeb.hitCount is at least 3, phone.riskLevel is high or more)',
      'phone.score is at least 60',
    ]);
  });

  it('the list of a personal fact that has further entries, instead of these', async () => {
    const rule = '  - { id: listed, when: { applicant.email: { inList: bad } }, then: reject, whenUnknown: ignore }\n';
    const withList = (entries: string) => policyOf(`${HEAD}lists: { bad: [${entries}] }\nrules:\n${QUIET}${rule}`);
    const { regions } = await diffPolicies(withList('a@one.example'), withList('a@one.example, b@one.example'), {
      at: '2026-11-20',
    });
    expect([...new Set(regions.map(({ conditions: [first] }) => first))]).toEqual([
      'applicant.email is now in the list bad',
    ]);
  });

  it('that a domain was taken off a list, which is about those below it too', async () => {
    const rule =
      '  - { id: listed, when: { applicant.emailDomain: { inDomainList: bad } }, then: reject, whenUnknown: ignore }\n';
    const withList = (entries: string) => policyOf(`${HEAD}lists: { bad: [${entries}] }\nrules:\n${QUIET}${rule}`);
    const { regions } = await diffPolicies(withList('one.example, two.example'), withList('one.example'), {
      at: '2026-11-20',
    });
    expect(regions.map(({ conditions: [first] }) => first)).toContain(
      'applicant.emailDomain is no longer in the domain list bad',
    );
  });

  it('an example with the facts that it names first', async () => {
    const rules = (days: number) => `rules:
  - { id: ported, when: { phone.porting.portedDate: { withinLast: ${days} days } }, then: review, whenUnknown: ignore }
  - { id: typed, when: { phone.type: { isNot: mobile } }, then: review }
  - { id: mailed, when: { email.address.score: { atLeast: 80 } }, then: review }
`;
    const [old, now] = [policyOf(HEAD + rules(3)), policyOf(HEAD + rules(9))];
    const { regions } = await diffPolicies(old, now, { at: '2026-11-20' });
    const [first] = regions;
    expect(Object.keys(first?.example?.facts ?? {})).toEqual([
      'phone.porting.portedDate',
      'phone.type',
      'email.address.score',
    ]);
  });
});
