/** Facts that the engine derives, beside their inputs: applicants of many kinds, and conditions about them. */

import type { GivenFact } from '../../../src/facts/fact.ts';
import type { Condition } from '../../../src/policy/language.ts';
import { HEAD, policyOf } from './policy.ts';

/** Conditions as written -> as read. */
export function conditionsOf(texts: readonly string[]): readonly Condition[] {
  const lists = 'lists: { some: [x.example, b.x.example], emails: [a@x.example, a@y.example] }\n';
  const rules = texts.map((when, i) => `  - { id: r${i}, then: review, when: ${when} }\n`);
  return policyOf(`${HEAD}${lists}rules:\n${rules.join('')}`).rules.map(({ when }) => when);
}

/** Applicants have each combination of these. */
const LOCATIONS = { gb: [51.5, -0.1], us: [40.7, -74], sea: [0, -30] };
const EMAILS = ['a@x.example', 'a@y.example', 'x.example@b.x.example', 'jo@ru'];
const NUMBERS = ['447400123456', '441534456789', '12025550101', '9991234567', '80012345678'];
const OPERATORS = ['one', 'two', undefined];

export const DERIVING = EMAILS.flatMap((email) =>
  NUMBERS.flatMap((phoneNo) =>
    OPERATORS.flatMap((current) =>
      Object.values(LOCATIONS).map(([latitude, longitude]): ReadonlyMap<string, GivenFact> => {
        const given: Record<string, string | number | undefined> = {
          'applicant.email': email,
          'applicant.phoneNo': phoneNo,
          'phone.operator.current': current,
          'phone.operator.original': 'one',
          'ip.location.latitude': latitude,
          'ip.location.longitude': longitude,
        };
        return new Map(
          Object.entries(given).flatMap(([path, value]) => (value === undefined ? [] : [[path, { value }]])),
        );
      }),
    ),
  ),
);

/** Conditions as written, each of one test. */
export const TESTS_OF_DERIVED = [
  ...['x.example', 'ru', '[x.example, y.example]', '{ isNot: x.example }', '{ endsWith: .example }', '{ endsWith: r }'],
  ...['{ startsWith: x }', '{ contains: b }', '{ inDomainList: some }', '{ inList: some }', '{ notInList: some }'],
].map((test) => `{ applicant.emailDomain: ${test} }`);
TESTS_OF_DERIVED.push(
  ...['a@x.example', '[a@x.example, a@y.example]', '{ endsWith: "@x.example" }', '{ endsWith: x.example }'].map(
    (test) => `{ applicant.email: ${test} }`,
  ),
  ...[
    '{ startsWith: "a@" }',
    '{ contains: "@x" }',
    '{ contains: x }',
    '{ inList: emails }',
    '{ startsWith: jo@r }',
  ].map((test) => `{ applicant.email: ${test} }`),
  ...['{ endsWith: "@x.example" }', '{ contains: "@x" }', '{ endsWith: .example }', 'a@x.example'].map(
    (test) => `{ not: { applicant.email: ${test} } }`,
  ),
  ...['"447400123456"', '["447400123456", "12025550101"]', '{ startsWith: "44" }', '{ startsWith: "4" }'].map(
    (test) => `{ applicant.phoneNo: ${test} }`,
  ),
  ...['{ startsWith: "1202" }', '"9991234567"', '{ endsWith: "6" }', '"80012345678"'].map(
    (test) => `{ applicant.phoneNo: ${test} }`,
  ),
  ...['GB', '[US, JE]', '{ notIn: [GB, US] }', '{ known: true }', '{ known: false }', '{ fact: ip.country }'].map(
    (test) => `{ phone.country: ${test} }`,
  ),
  ...['GB', 'US', '{ isNot: GB }', '{ isNot: { fact: phone.country } }'].map((test) => `{ ip.country: ${test} }`),
  ...['{ above: 51.5 }', '{ atMost: 51.5 }', '{ between: [0, 41] }'].map((test) => `{ ip.location.latitude: ${test} }`),
  ...['{ below: -30 }', '{ atLeast: -0.1 }', '{ between: [-80, 10] }'].map(
    (test) => `{ ip.location.longitude: ${test} }`,
  ),
  ...['true', 'false'].flatMap((truth) =>
    ['phone.valid', 'phone.operator.changed', 'ip.matchesPhoneCountry'].map((fact) => `{ ${fact}: ${truth} }`),
  ),
  ...['current', 'original'].flatMap((which) =>
    ['one', 'two', '{ isNot: one }', '{ startsWith: t }'].map((test) => `{ phone.operator.${which}: ${test} }`),
  ),
  '{ phone.operator.original: { fact: phone.operator.current } }',
);
