/** Ties between variables: what no applicant has is no difference, and no applicant is excluded. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATALOG_TABLE } from '../../../../src/facts/catalog.ts';
import type { GivenFact } from '../../../../src/facts/fact.ts';
import { readFacts } from '../../../../src/facts/read.ts';
import { diffPolicies } from '../../../../src/lab/diff/diff.ts';
import { createSpace, type Space } from '../../../../src/lab/space/space.ts';
import type { Condition } from '../../../../src/policy/language.ts';
import { conditionsOf, DERIVING, TESTS_OF_DERIVED } from '../../../support/policy/derived.ts';
import { HEAD, policyOf } from '../../../support/policy/policy.ts';
import { sampled } from '../../../support/sampled.ts';

const DAY = '2026-11-20';
const OTHER_OPERATOR = 'phone.operator.current: { isNot: { fact: phone.operator.original } }';
const BOTH_KNOWN = '{ phone.operator.current: { known: true } }, { phone.operator.original: { known: true } }';
/** Each about another part of the text. */
const PARTS = ['contains: telecom', 'startsWith: the', "matches: '^[a-m]+$'", "matches: '[0-9]{3}$'"];

const rule = (id: string, conditions: string, whenUnknown = 'ignore') =>
  `  - { id: ${id}, when: { all: [${conditions}] }, then: review, whenUnknown: ${whenUnknown} }\n`;

const FIRST = rule('first', '{ phone.status: active }');

const diffOf = (one: string, other: string) => {
  const [old, now] = [one, other].map((rules) => policyOf(`${HEAD}rules:\n${FIRST}${rules}`));
  return diffPolicies(old as ReturnType<typeof policyOf>, now as ReturnType<typeof policyOf>, { at: DAY });
};

/** What no applicant has, since one fact is derived from others. */
const CONTRADICTIONS: Readonly<Record<string, string>> = {
  'a fact is not itself': '{ phone.country: { isNot: { fact: phone.country } } }',
  'a country has letters that none has': "{ phone.country: { matches: '^$' } }",
  'a text is one of two that a pattern names, and has another part':
    "{ phone.operator.current: { matches: '^(orange|o2)$' } }, { phone.operator.current: { matches: tel } }",
  'a domain is not that of the email':
    '{ applicant.email: { endsWith: "@x.example" } }, { applicant.emailDomain: y.example }',
  'an email has no domain': '{ applicant.email: { known: true } }, { applicant.emailDomain: { known: false } }',
  'a number is of another country': '{ applicant.phoneNo: { startsWith: "44" } }, { phone.country: { in: [FR, DE] } }',
  'an invalid number has a country': '{ phone.valid: false }, { phone.country: GB }',
  'an invalid number is compared by its country': '{ phone.valid: false }, { ip.matchesPhoneCountry: false }',
  'an invalid number is valid': '{ applicant.phoneNo: "9991234567" }, { phone.valid: true }',
  'a number of no country is compared by it': '{ applicant.phoneNo: "80012345678" }, { ip.matchesPhoneCountry: true }',
  'one operator is two': `{ phone.operator.changed: true }, { phone.operator.current: { fact: phone.operator.original } }`,
  'two operators are one':
    '{ phone.operator.changed: false }, { phone.operator.current: a }, { phone.operator.original: b }',
  'texts that differ are the same':
    '{ phone.operator.current: { fact: phone.operator.original } }, { phone.operator.current: a }, { phone.operator.original: b }',
  'one country is two': '{ ip.matchesPhoneCountry: false }, { ip.country: GB }, { phone.country: GB }',
  'a country is not that of the number':
    '{ ip.matchesPhoneCountry: true }, { ip.country: GB }, { applicant.phoneNo: { startsWith: "33" } }',
  'a location is elsewhere':
    '{ ip.location.latitude: { between: [50, 55] } }, { ip.location.longitude: { above: 20 } }, { ip.country: GB }',
  'countries are the same one way round':
    '{ ip.country: { fact: phone.country } }, { phone.country: { isNot: { fact: ip.country } } }',
};

describe('policies are proved the same if they would differ only where', () => {
  it.each([
    [
      'one of two facts is missing and the pair is not',
      [rule('pair', `{ ${OTHER_OPERATOR} }, { phone.operator.current: { known: false } }`), ''],
    ],
    [
      'two facts are known and the pair is not',
      ['ignore', 'review'].map((whenUnknown) => rule('pair', `{ ${OTHER_OPERATOR} }, ${BOTH_KNOWN}`, whenUnknown)),
    ],
    [
      'two operators are known and it is not known whether they differ',
      ['ignore', 'review'].map((each) => rule('changed', `{ phone.operator.changed: true }, ${BOTH_KNOWN}`, each)),
    ],
    [
      'a text is missing and one of its parts is not',
      [PARTS.map((test, i) => rule(`part${i}`, `{ ip.isp: { known: false } }, { ip.isp: { ${test} } }`)).join(''), ''],
    ],
    [
      'a text starts with one text and is another, beside patterns that both policies have',
      [
        rule('both', '{ ip.isp: other telecom }, { ip.isp: { startsWith: the } }') +
          rule('more', `{ ip.isp: { ${PARTS[2]} } }, { ip.isp: { ${PARTS[3]} } }, { phone.valid: false }`),
        rule('more', `{ ip.isp: { ${PARTS[2]} } }, { ip.isp: { ${PARTS[3]} } }, { phone.valid: false }`),
      ],
    ],
  ])('%s', async (_, [one = '', other = '']) => {
    expect(await diffOf(one, other)).toMatchObject({ regions: [], elsewhere: 'same' });
  });

  // Few rules at once: rules that may be undetermined together are many cases.
  it.each([
    ['emails', /email/],
    ['numbers', /number/],
    ['operators', /operator|texts/],
    ['countries', /countr|itself/],
    ['locations', /location/],
  ])('facts are derived from %s', async (_, which) => {
    const chosen = Object.entries(CONTRADICTIONS).filter(([what]) => which.test(what));
    const rules = chosen.map(([what, conditions]) => rule(what.replaceAll(' ', '-'), conditions));
    expect(await diffOf(rules.join(''), '')).toMatchObject({ regions: [], elsewhere: 'same' });
  });
});

describe('applicants of whom', () => {
  it.each(
    Object.entries({
      'a derived fact alone is given': '{ phone.country: GB }, { applicant.phoneNo: { known: false } }',
      'a comparison alone is given': '{ phone.operator.changed: true }, { phone.operator.current: { known: false } }',
      'no country is known without geodata':
        '{ applicant.phoneNo: "447400123456" }, { phone.country: { known: false } }',
      'one fact is not another': '{ phone.country: { isNot: { fact: ip.isp } } }, { ip.isp: { fact: ip.isp } }',
      'the service contradicts itself':
        '{ phone.porting.portCount: 0 }, { phone.porting.portedDate: { withinLast: 7 days } }',
    }),
  )('%s are a difference', async (_, conditions) => {
    const { regions } = await diffOf(rule('some', conditions), '');
    expect(regions).toMatchObject([{ from: 'review', to: 'accept', example: {} }]);
  });

  it.each(
    Object.entries({
      '{ applicant.phoneNo: { startsWith: "4420" } }, { phone.country: GB }': [/^4420\d{8}$/],
      '{ applicant.phoneNo: { endsWith: "77" } }, { phone.country: FR }, { phone.valid: true }': [/^33\d{7}77$/],
      '{ applicant.phoneNo: { known: true } }, { phone.country: { known: false } }, { phone.valid: true }': [
        /^800\d+$/,
      ],
      '{ applicant.phoneNo: { known: true } }, { phone.valid: false }': [/^\d+$/],
      '{ applicant.email: { startsWith: jo } }, { applicant.emailDomain: x.example }': [/^jo.*@x\.example$/],
      '{ phone.operator.changed: true }, { phone.operator.current: { startsWith: t } }, { phone.operator.original: { contains: e } }':
        [/^t/, /e/],
      '{ ip.matchesPhoneCountry: true }, { ip.country: { in: [GB, FR] } }, { phone.country: { in: [FR, DE] } }': [
        /^fr$/,
        /^fr$/,
      ],
      '{ ip.matchesPhoneCountry: false }, { ip.country: { startsWith: y } }, { phone.country: { endsWith: t } }': [
        /^y/,
        /t$/,
      ],
      '{ ip.location.latitude: { between: [50, 55] } }, { ip.location.longitude: { between: [-5, 0] } }, { ip.country: GB }':
        [expect.any(Number), expect.any(Number)],
      '{ ip.location.latitude: { known: true } }, { ip.location.longitude: { above: 0 } }, { ip.country: LI }': [
        47.2, 9.5,
      ],
    }),
  )('%s are found by what their facts are derived from', async (conditions, values) => {
    const { regions } = await diffOf(rule('some', conditions), '');
    expect(regions).toHaveLength(1);
    const given = Object.values(regions[0]?.example?.facts ?? {});
    expect(given).toEqual(values.map((each) => (each instanceof RegExp ? expect.stringMatching(each) : each)));
    expect(regions[0]?.example?.missing).toBeUndefined();
  });

  const tieBroken = ({ ties, variables }: Space, facts: ReturnType<typeof readFacts>) =>
    ties.find((tie) => tie.every(([at, states]) => states[variables[at]?.find(facts) ?? 0]));

  it('some facts are not known, such as those of a person in a log, break no tie', () => {
    const conditions = conditionsOf(TESTS_OF_DERIVED);
    const everything = readFacts(new Map(), CATALOG_TABLE, DAY);
    const inputs = ['applicant.email', 'applicant.phoneNo', 'ip.location.latitude', 'phone.operator.original'];
    const applicant = fc
      .tuple(fc.constantFrom(...DERIVING), fc.subarray(inputs), fc.subarray(inputs))
      .map(([given, before, after]): ReadonlyMap<string, GivenFact> => {
        // Facts that are missing from the start leave others without a value; those that are forgotten do not.
        const read = readFacts(new Map([...given].filter(([path]) => !before.includes(path))), CATALOG_TABLE, DAY);
        for (const path of after) read.set(path, { missing: 'notGiven' });
        return read;
      });
    const some = fc.uniqueArray(fc.constantFrom<Condition>(...conditions), { minLength: 2, maxLength: 12 });
    const asked = fc.sample(fc.tuple(some, fc.array(applicant, { minLength: 60, maxLength: 60 })), sampled(20, 5000));
    const policy = policyOf(`${HEAD}rules:\n${FIRST}`);
    for (const [chosen, applicants] of asked) {
      const space = createSpace([policy], DAY, chosen);
      for (const facts of applicants) expect(tieBroken(space, new Map(facts) as typeof everything)).toBeUndefined();
    }
  });
});
