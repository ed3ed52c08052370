/** Derived facts beside their inputs: what is said to contradict itself is true of no applicant. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, TRUE } from '../../../src/decision/meaning/truth.ts';
import { CATALOG_TABLE } from '../../../src/facts/catalog.ts';
import { readFacts } from '../../../src/facts/read.ts';
import type { Geodata } from '../../../src/platform/formats/geo/geodata.ts';
import { WORLD } from '../../../src/platform/formats/geo/world.ts';
import { Cells } from '../../../src/policy/cells/cells.ts';
import { Conjunctions } from '../../../src/policy/cells/conjunctions.ts';
import { contradictionIn } from '../../../src/policy/cells/ties.ts';
import { type Condition, testsOf } from '../../../src/policy/language.ts';
import { conditionsOf, DERIVING, TESTS_OF_DERIVED } from '../../support/policy/derived.ts';
import { sampled } from '../../support/sampled.ts';

const DAY = '2026-11-20';

/** Why no applicant passes all of some conditions, as the ties tell; undefined where they do not tell. */
function contradictionOf(conditions: readonly Condition[], geodata: Geodata | null = WORLD) {
  const all: Condition = { kind: 'all', of: conditions };
  const conjunctions = new Conjunctions(new Cells(testsOf(all), CATALOG_TABLE));
  const region = conjunctions.of(all)?.[0]?.certain;
  return region && contradictionIn(region, geodata ?? undefined);
}

describe('facts that contradict how one of them is derived', () => {
  it('are those of no applicant', () => {
    const applicants = DERIVING.map((given) => readFacts(given, CATALOG_TABLE, DAY));
    const conditions = conditionsOf(TESTS_OF_DERIVED).map((condition, i) => ({
      condition,
      text: TESTS_OF_DERIVED[i],
      passing: new Set(applicants.filter((facts) => evaluate(condition, facts, DAY) === TRUE)),
    }));
    let found = 0;
    const expectNone = (chosen: typeof conditions) => {
      if (contradictionOf(chosen.map(({ condition }) => condition)) === undefined) return;
      const isPassed = applicants.some((facts) => chosen.every((each) => each.passing.has(facts)));
      expect([isPassed, chosen.map(({ text }) => text)]).toEqual([false, expect.anything()]);
      found++;
    };
    for (const [i, one] of conditions.entries()) for (const other of conditions.slice(i + 1)) expectNone([one, other]);
    const three = fc.uniqueArray(fc.constantFrom(...conditions), { minLength: 3, maxLength: 3 });
    fc.assert(fc.property(three, expectNone), { numRuns: sampled(50, 20_000) });
    expect(found).toBeGreaterThan(40);
  });

  it.each([
    [
      'an email beside another domain',
      ['{ applicant.email: { endsWith: "@yahoo.com" } }', '{ applicant.emailDomain: gmail.com }'],
      /emailDomain/,
    ],
    [
      'an email beside a list without its domain',
      ['{ applicant.email: jo@z.example }', '{ applicant.emailDomain: { inDomainList: some } }'],
      /emailDomain/,
    ],
    [
      'a domain beside an email that does not end so',
      ['{ applicant.emailDomain: a.ru }', '{ not: { applicant.email: { endsWith: .ru } } }'],
      /emailDomain/,
    ],
    [
      'a number of one country beside another',
      ['{ applicant.phoneNo: { startsWith: "44" } }', '{ phone.country: FR }'],
      /phone\.country/,
    ],
    [
      'a number that no plan has beside a country',
      ['{ applicant.phoneNo: "9991234567" }', '{ phone.country: { isNot: FR } }'],
      /phone\.country/,
    ],
    [
      'a number that no plan has beside its validity',
      ['{ applicant.phoneNo: "9991234567" }', '{ phone.valid: true }'],
      /phone\.valid/,
    ],
    [
      'a country beside a number that is not valid',
      ['{ phone.valid: false }', '{ phone.country: GB }'],
      /only a valid number has a country/,
    ],
    [
      'no change beside two operators',
      ['{ phone.operator.changed: false }', '{ phone.operator.current: a }', '{ phone.operator.original: b }'],
      /changed/,
    ],
    [
      'a change beside one operator',
      ['{ phone.operator.changed: true }', '{ phone.operator.current: a }', '{ phone.operator.original: a }'],
      /changed/,
    ],
    [
      'a change beside operators that are the same',
      ['{ phone.operator.changed: true }', '{ phone.operator.current: { fact: phone.operator.original } }'],
      /changed/,
    ],
    [
      'two operators that are the same beside two names',
      [
        '{ phone.operator.current: { is: { fact: phone.operator.original } } }',
        '{ phone.operator.current: a }',
        '{ phone.operator.original: b }',
      ],
      /changed/,
    ],
    [
      'a country that matches beside another one',
      ['{ ip.matchesPhoneCountry: true }', '{ ip.country: GB }', '{ phone.country: FR }'],
      /matches/,
    ],
    [
      'a country that differs beside the same one',
      ['{ ip.matchesPhoneCountry: false }', '{ ip.country: GB }', '{ phone.country: GB }'],
      /matches/,
    ],
    [
      'a country that matches beside a number of another',
      ['{ ip.matchesPhoneCountry: true }', '{ ip.country: GB }', '{ applicant.phoneNo: { startsWith: "33" } }'],
      /matches/,
    ],
  ])('are found: %s', (_, tests, why) => {
    expect(contradictionOf(conditionsOf(tests as string[]))).toMatch(why as RegExp);
  });

  it('are not told without geodata where they need them', () => {
    const needs = [
      ['{ applicant.phoneNo: "447400123456" }', '{ phone.country: FR }'],
      ['{ applicant.phoneNo: "447400123456" }', '{ phone.valid: false }'],
      ['{ applicant.phoneNo: { startsWith: "44" } }', '{ phone.country: FR }'],
    ];
    for (const conditions of needs.map(conditionsOf)) {
      expect(contradictionOf(conditions)).toBeDefined();
      expect(contradictionOf(conditions, null)).toBeUndefined();
    }
  });

  it('are not signals of the service, which may contradict each other', () => {
    const tests = ['{ phone.porting.portCount: 0 }', '{ phone.porting.portedDate: { withinLast: 7 days } }'];
    expect(contradictionOf(conditionsOf(tests))).toBeUndefined();
  });
});
