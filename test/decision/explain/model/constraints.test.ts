/** Facts derived from other facts: the facts of a counterfactual are possible together. */

import { describe, expect, test } from 'vitest';
import { constraintsOf } from '../../../../src/decision/explain/model/constraints.ts';
import { CATALOG_TABLE } from '../../../../src/facts/catalog.ts';
import { DERIVATIONS } from '../../../../src/facts/compute.ts';
import { type Facts, isMissing } from '../../../../src/facts/fact.ts';
import { readFacts } from '../../../../src/facts/read.ts';
import { WORLD } from '../../../../src/platform/formats/geo/world.ts';
import { explainNow } from '../../../support/decision/explained.ts';
import { HEAD, policyOf } from '../../../support/policy/policy.ts';

const CONSTRAINTS = constraintsOf(WORLD);

const DAY = '2026-11-20';
const PHONE_US = '12025550102';
const PHONE_GB = '447400123456';
const WASHINGTON = { 'ip.location.latitude': 38.9, 'ip.location.longitude': -77.03 };
const LONDON = { 'ip.location.latitude': 51.5, 'ip.location.longitude': -0.12 };

function read(given: Readonly<Record<string, unknown>>): Facts {
  return readFacts(new Map(Object.entries(given).map(([path, value]) => [path, { value }])), CATALOG_TABLE, DAY);
}

/** The sets that lead to accept: by fact, its example. */
function setsOf(rules: string, given: Readonly<Record<string, unknown>>) {
  const { changes } = explainNow(policyOf(`${HEAD}rules:\n${rules}`), read(given), DAY);
  const sets = changes.sets.map((set) => Object.fromEntries(set.map(({ fact, example }) => [fact, example])));
  return { ...changes, sets };
}

function rule(id: string, when: string): string {
  return `  - { id: ${id}, when: ${when}, then: review }\n`;
}

describe('the constraints between facts', () => {
  test('allow what is derived from real inputs', () => {
    const applicants = [
      { 'applicant.phoneNo': PHONE_US, ...WASHINGTON, 'phone.operator.current': 'A', 'phone.operator.original': 'A' },
      { 'applicant.phoneNo': PHONE_US, ...LONDON, 'phone.operator.current': 'A', 'phone.operator.original': 'B' },
      { 'applicant.phoneNo': PHONE_GB, ...LONDON, 'phone.operator.current': 'A' },
      { 'applicant.phoneNo': '19999999999', ...LONDON },
      { 'applicant.phoneNo': '80012345678', 'ip.location.latitude': 0, 'ip.location.longitude': -30 },
      {},
    ];
    for (const facts of applicants.map(read)) {
      for (const constraint of CONSTRAINTS) {
        // Whichever of its facts no rule reads.
        for (let unread = 0; unread < 2 ** constraint.facts.length; unread++) {
          const isRead = (path: string) => ((unread >> constraint.facts.indexOf(path)) & 1) === 0;
          const factOf = (path: string) => (isRead(path) ? facts.get(path) : undefined);
          expect([constraint.facts, unread, constraint.allows(factOf)]).toEqual([constraint.facts, unread, true]);
        }
      }
    }
  });

  test('do not allow a derived fact that contradicts its inputs', () => {
    const facts = read({
      'applicant.phoneNo': PHONE_US,
      ...WASHINGTON,
      'phone.operator.current': 'A',
      'phone.operator.original': 'A',
    });
    const broken = [
      ['phone.valid', { value: false }],
      ['phone.operator.changed', { value: true }],
      ['phone.operator.changed', { missing: 'notGiven' }],
      ['ip.country', { value: 'gb' }],
      ['ip.matchesPhoneCountry', { value: false }],
    ] as const;
    for (const [path, fact] of broken) {
      const factOf = (wanted: string) => (wanted === path ? fact : facts.get(wanted));
      expect(CONSTRAINTS.some(({ allows }) => !allows(factOf))).toBe(true);
    }
  });

  test('name every derived fact except the domain and the mailbox of the email, which may be any', () => {
    const named = new Set(CONSTRAINTS.flatMap(({ facts }) => facts));
    expect([...DERIVATIONS.keys()].filter((path) => !named.has(path))).toEqual([
      'applicant.emailDomain',
      'applicant.mailbox',
    ]);
  });
});

describe('what would change a decision', () => {
  test('a comparison changes together with a fact that it compares', () => {
    const rules = rule('changed', '{ phone.operator.changed: true }') + rule('known', '{ phone.operator.current: zz }');
    const given = { 'phone.operator.current': 'A', 'phone.operator.original': 'B' };
    // No rule reads the original operator, so that it may be any.
    expect(setsOf(rules, given).sets).toEqual([{ 'phone.operator.changed': false }]);
    const both = rules + rule('original', '{ phone.operator.original: yy }');
    const { sets, isExact } = setsOf(both, given);
    expect(isExact).toBe(true);
    expect(sets).toEqual([
      { 'phone.operator.current': 'b', 'phone.operator.changed': false },
      { 'phone.operator.original': 'a', 'phone.operator.changed': false },
    ]);
  });

  test('an invalid phone number gets no country', () => {
    const rules = rule('country', '{ not: { phone.country: gb } }') + rule('valid', '{ phone.valid: false }');
    const { sets } = setsOf(rules, { 'applicant.phoneNo': '19999999999' });
    expect(sets).toEqual([{ 'phone.country': 'gb', 'phone.valid': true }]);
    const { sets: alone } = setsOf(
      rule('country', '{ not: { phone.country: gb } }') +
        rule('any', '{ all: [{ phone.valid: false }, { phone.country: ie }] }'),
      { 'applicant.phoneNo': '19999999999' },
    );
    expect(alone).toEqual([{ 'phone.country': 'gb', 'phone.valid': true }]);
  });

  test('the countries match where a set says that they do', () => {
    const rules =
      rule('abroad', '{ ip.matchesPhoneCountry: false }') +
      rule('ip', '{ ip.country: kp }') +
      rule('phone', '{ phone.country: kp }');
    const { sets } = setsOf(rules, { 'applicant.phoneNo': PHONE_US, ...LONDON });
    expect(sets).toEqual([
      { 'phone.country': 'gb', 'ip.matchesPhoneCountry': true },
      { 'ip.country': 'us', 'ip.matchesPhoneCountry': true },
    ]);
  });

  test('examples of countries exist', () => {
    const { sets } = setsOf(rule('abroad', '{ phone.country: { in: [us, gb] } }'), { 'applicant.phoneNo': PHONE_US });
    expect(sets).toEqual([{ 'phone.country': 'in' }]);
  });

  test('the result is inexact where no example of a location was found', () => {
    const rules =
      rule('country', '{ not: { ip.country: nz } }') +
      rule('north', '{ ip.location.latitude: { above: 80 } }') +
      rule('east', '{ ip.location.longitude: { above: 179 } }');
    const { isExact, sets } = setsOf(rules, LONDON);
    expect(isExact).toBe(false);
    expect(sets).toEqual([]);
  });

  test('supplied derived facts that contradict their inputs are taken as they are', () => {
    const rules =
      rule('same', '{ phone.operator.changed: false }') +
      rule('current', '{ phone.operator.current: zz }') +
      rule('original', '{ phone.operator.original: zz }') +
      rule('voip', '{ phone.type: voip }');
    const operators = { 'phone.operator.current': 'A', 'phone.operator.original': 'A', 'phone.operator.changed': true };
    expect(setsOf(rules, { ...operators, 'phone.type': 'voip' }).sets).toEqual([{ 'phone.type': 'mobile' }]);
  });

  test('the phone number, the email and the IP never change', () => {
    const rules = '  - { id: friends, when: { not: { applicant.phoneNo: "447400123456" } }, then: review }\n';
    const { result, sets } = setsOf(rules, { 'applicant.phoneNo': PHONE_US });
    expect({ result, sets }).toEqual({ result: 'never', sets: [] });
  });

  test('no set needs a fact to be missing', () => {
    const rules = rule('known', '{ phone.score: { known: true } }');
    const { result } = setsOf(rules, { 'phone.score': 4 });
    expect(result).toBe('never');
    const facts = read({ 'phone.score': 4 });
    expect(isMissing(facts.get('phone.score') ?? { missing: 'notGiven' })).toBe(false);
  });
});
