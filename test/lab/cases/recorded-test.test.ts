/** Decisions and the tests made of them: nothing of the person, and everything that a rule can tell apart. */

import { expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { recordedTest } from '../../../src/lab/cases/recorded-test.ts';
import { readRelativeDay } from '../../../src/lab/test/mistakes.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const DAY = '2026-11-20';
const FACTS = `facts:
  context.born: { type: date, past: true, personal: true }
  context.income: { type: number, personal: true }
  context.wish: { type: number }
  context.pep: { type: boolean, personal: true }
  context.kind: { type: enum, values: [staff, other], personal: true }
  context.share: { type: number, compute: { ratio: [context.wish, context.income] } }
lists: { people: [ann@mail.example, bob@mail.example], domains: [mail.example, post.example] }
`;
const AGE = '{ context.born: { yearsSince: { below: 18 } } }';
const POOR = '{ context.income: { below: 1000 } }';

/** Makes a test of a decision by one rule, and another in shadow mode. */
function testOf(when: string, given: Readonly<Record<string, unknown>>, trial = '{ phone.type: voip }') {
  const rules = `rules: [{ id: one, when: ${when}, then: review }, { id: trial, when: ${trial}, then: reject, mode: shadow }]`;
  const policy = policyOf(`${HEAD}${FACTS}${rules}\n`);
  const decide = (values: Readonly<Record<string, unknown>>) => {
    const onDay = (value: unknown) => readRelativeDay(String(value))?.(DAY) ?? value;
    const all = new Map(Object.entries(values).map(([path, value]) => [path, { value: onDay(value) }]));
    const facts = readFacts(all, policy.facts, DAY);
    return { facts, verdict: matcherOf(policy).verdict(facts, DAY) };
  };
  const { facts, verdict } = decide(given);
  const found = recordedTest({ facts, day: DAY, policy });
  if ('problem' in found) return found.problem;
  const again = decide(found.facts ?? {}).verdict;
  const [before, after] = [verdict, again].map(({ outcome, reasons, undetermined, shadow }) => {
    return {
      outcome,
      codes: reasons.map(({ code }) => code),
      undetermined: undetermined.length,
      shadow: shadow.length,
    };
  });
  expect(after).toEqual(before);
  return found.facts;
}

it.each<[what: string, when: string, given: Readonly<Record<string, unknown>>, invented: unknown]>([
  ['the age of the border', AGE, { 'context.born': '2008-11-20' }, { 'context.born': '1981-07-05' }],
  ['a birth on the day', AGE, { 'context.born': DAY }, { 'context.born': '2024-02-24' }],
  ['another age', AGE, { 'context.born': '1990-01-01' }, { 'context.born': '18 years ago' }],
  ['no income', POOR, { 'context.income': 0 }, { 'context.income': 100 }],
  ['the income of the border', POOR, { 'context.income': 1000 }, { 'context.income': 11_000 }],
  [
    'an email like the invented one',
    '{ applicant.email: { inList: people } }',
    { 'applicant.email': 'other@mail.example' },
    { 'applicant.email': 'other1@mail.example' },
  ],
  [
    'the domain of an email',
    '{ applicant.emailDomain: { inDomainList: domains } }',
    { 'applicant.email': 'eve@mail.example' },
    { 'applicant.emailDomain': 'mail.example' },
  ],
  [
    'the country of a number',
    '{ phone.country: GB }',
    { 'applicant.phoneNo': '+447400123456' },
    { 'phone.country': 'gb' },
  ],
  [
    'what many people share',
    '{ context.pep: true, context.kind: staff }',
    { 'context.pep': true, 'context.kind': 'staff' },
    { 'context.pep': true, 'context.kind': 'staff' },
  ],
])('%s is invented', (_, when, given, invented) => {
  expect(testOf(when, given)).toEqual(invented);
});

it.each([
  ['applicant.email', '{ applicant.email: { inList: people } }', 'ann@mail.example'],
  ['applicant.emailDomain', '{ applicant.emailDomain: eve.example }', 'eve.example'],
  ['context.born', '{ context.born: 1990-03-05 }', '1990-03-05'],
  ['context.born', '{ context.born: { after: 1990-03-04, before: 1990-03-06 } }', '1990-03-05'],
])('no %s is invented for %s', (path, when, value) => {
  const problem = `a rule asks for the very value of ${path}, so that none can be invented`;
  expect(testOf(when, { [path]: value })).toBe(problem);
});

it('invents the parts of what a policy computes', () => {
  const share = testOf('{ context.share: { above: 0.5 } }', { 'context.wish': 700, 'context.income': 1000 });
  expect(JSON.stringify(share)).not.toMatch(/700|1000/);
});

it('keeps what a rule in shadow mode can tell apart', () => {
  const given = { 'phone.type': 'voip', 'phone.score': 91 };
  expect(testOf('{ phone.type: voip }', given, '{ phone.score: { above: 50 } }')).toEqual({
    'phone.type': 'voip',
    'phone.score': 51,
  });
});

it('the operand is said to be missing, and not the fact that is computed from it', () => {
  const policy = policyOf(`${HEAD}${FACTS}rules: [{ id: one, when: { context.share: { above: 2 } }, then: review }]\n`);
  const facts = readFacts(new Map([['context.income', { missing: 'sourceFailed' }]]), policy.facts, DAY);
  expect(recordedTest({ facts, day: DAY, policy })).toMatchObject({ missing: { 'context.income': 'sourceFailed' } });
});
