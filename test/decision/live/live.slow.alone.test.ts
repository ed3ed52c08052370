/** The live runner: facts that arrive in any order, late, with an error or not at all, and concurrent runs. */

import * as fc from 'fast-check';
import { Engine } from 'json-rules-engine';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type FactSource, runLive } from '../../../src/decision/live/live.ts';
import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import type { Fact, FactValue } from '../../../src/facts/fact.ts';
import { canonicalJson } from '../../../src/platform/digest.ts';
import { factsOf } from '../../../src/policy/language.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { decideLive } from '../../support/runners/case.ts';

const DAY = '2026-11-20';

/** Facts by path, present with these values; all others were not given. */
function factsFrom(values: Readonly<Record<string, FactValue>>): Map<string, Fact> {
  return new Map(Object.entries(values).map(([path, value]) => [path, { value }]));
}

const SIGN_UP = `${HEAD}
conditions:
  recentlyPorted: { phone.porting.portedDate: { withinLast: 30 days } }
rules:
  - id: blocked
    when: { phone.type: voip, email.domain.type: disposable }
    then: reject
  - id: ported
    when: { all: [recentlyPorted, { email.address.riskLevel: { atLeast: high } }] }
    then: review
    message: "Ported {daysSince phone.porting.portedDate} days ago; ISP {ip.isp}."
  - id: signs
    when:
      atLeastOf:
        count: 2
        of:
          - phone.riskLevel: { atLeast: high }
          - email.darkWeb.hitCount: { above: 3 }
          - ip.matchesPhoneCountry: false
          - phone.operator.current: { isNot: { fact: phone.operator.original } }
    then: reject
  - id: not-postpaid
    when: { not: { phone.serviceType: postpaid } }
    points: 5
score: { review: 5 }
`;

test('each of hundreds of concurrent applicants gets the verdict it gets alone, in any order of facts', async () => {
  const policy = policyOf(SIGN_UP);
  const levels = fc.constantFrom('low', 'high');
  const applicant = fc.record(
    {
      'phone.type': fc.constantFrom('voip', 'mobile'),
      'email.domain.type': fc.constantFrom('disposable', 'free'),
      'phone.porting.portedDate': fc.constantFrom('2026-11-10', '2020-01-01', 'never'),
      'email.address.riskLevel': levels,
      'phone.riskLevel': levels,
      'email.darkWeb.hitCount': fc.nat(6),
      'ip.matchesPhoneCountry': fc.boolean(),
      'phone.operator.current': fc.constantFrom('a', 'b'),
      'phone.operator.original': fc.constantFrom('a', 'b'),
      'phone.serviceType': fc.constantFrom('postpaid', 'prepaid'),
      'ip.isp': fc.constantFrom('One', 'Two'),
    },
    { requiredKeys: [] },
  );
  const applicants = fc.array(applicant, { minLength: 300, maxLength: 300, size: 'max' });
  // Runs could disturb each other when one starts just as another ends, so starts are spread too.
  const turns = fc.infiniteStream(fc.nat(60));
  await fc.assert(
    fc.asyncProperty(applicants, turns, async (given, delays) => {
      const later = () => waitTurns(Number(delays.next().value));
      const all = given.map((values) => factsFrom(values));
      const alone: Verdict[] = [];
      for (const facts of all) alone.push(await decideLive(policy, facts, DAY));
      const runs = all.map(async (facts) => {
        await later();
        const source: FactSource = async (path) => {
          await later();
          return facts.get(path) ?? { missing: 'notGiven' };
        };
        const { verdict } = await runLive(policy, source, DAY);
        return verdict;
      });
      const together = await Promise.all(runs);
      expect(together.map(canonicalJson)).toEqual(alone.map(canonicalJson));
      expect(new Set(alone.map(({ outcome }) => outcome))).toEqual(new Set(['accept', 'review', 'reject']));
    }),
    // Shrinking to fewer applicants explains nothing and takes minutes.
    { numRuns: 3, endOnFailure: true },
  );
});

/** A delay without a clock: a number of turns of the microtask queue. */
async function waitTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await null;
}

test('each fact is fetched once in a run, however many tests, combinators and messages read it', async () => {
  const fetched: string[] = [];
  const source: FactSource = async (path) => {
    fetched.push(path);
    return path === 'phone.porting.portedDate' ? { value: DAY } : { missing: 'notReturned' };
  };
  const policy = policyOf(`${HEAD}
rules:
  - id: a
    when: { phone.porting.portedDate: { withinLast: 1 day, before: { fact: email.domain.firstSeen } } }
    then: review
  - id: b
    when:
      any:
        - atLeastOf: { count: 1, of: [{ phone.porting.portedDate: { known: true } }, { ip.isp: x }] }
        - atLeastOf: { count: 1, of: [{ phone.porting.portedDate: { known: true } }, { ip.isp: y }] }
    then: review
    message: "{phone.porting.portedDate} {ip.isp} {phone.status} {phone.status}"
  - { id: c, when: { phone.type: voip }, then: review, message: "{ip.country}" }
`);
  await runLive(policy, source, DAY);
  // A fact that only the message of a rule that did not fire names is not fetched.
  const expected = ['phone.porting.portedDate', 'email.domain.firstSeen', 'ip.isp', 'phone.status', 'phone.type'];
  expect(fetched.sort()).toEqual(expected.sort());
});

test.for([
  ['rejects', () => Promise.reject(new Error('down'))],
  [
    'throws',
    () => {
      throw new Error('down');
    },
  ],
] as const)(
  'a source that %s gives a missing fact with the cause sourceFailed and silences no rule',
  async ([, fail]) => {
    const policy = policyOf(`${HEAD}
rules:
  - { id: broken, when: { ip.isp: x }, then: reject }
  - { id: either, when: { any: [{ ip.isp: x }, { phone.type: voip }] }, then: review, message: "{ip.isp}" }
  - { id: sound, when: { phone.type: voip }, then: reject }
  - { id: unasked, when: { ip.isp: { known: false } }, points: 1 }
`);
    const source: FactSource = (path) => (path === 'ip.isp' ? fail() : { value: 'voip' });
    const { verdict, facts } = await runLive(policy, source, DAY);
    expect(facts.get('ip.isp')).toEqual({ missing: 'sourceFailed' });
    expect(verdict.reasons.map((reason) => [reason.because, 'rule' in reason ? reason.rule : null])).toEqual([
      ['fired', 'sound'],
      ['undetermined', 'broken'],
      ['fired', 'either'],
      ['fired', 'unasked'],
    ]);
    expect(verdict.undetermined).toEqual([
      { rule: 'broken', asks: 'review', missing: [{ fact: 'ip.isp', cause: 'sourceFailed' }] },
    ]);
  },
);

test('facts whose paths have the same hash are distinguished', async () => {
  // These two paths have the same hash in the cache of json-rules-engine.
  const policy = policyOf(`${HEAD}
facts: { context.arca: { type: boolean }, context.a0aa: { type: boolean } }
rules:
  - { id: first, when: { context.arca: true }, then: review }
  - { id: second, when: { context.a0aa: true }, then: reject }
`);
  const one = await decideLive(policy, factsFrom({ 'context.arca': false, 'context.a0aa': true }), DAY);
  const other = await decideLive(policy, factsFrom({ 'context.arca': true, 'context.a0aa': false }), DAY);
  expect([one.outcome, other.outcome]).toEqual(['reject', 'review']);
});

test.for(['type', 'name', 'auth', 'baseURL', 'headers', 'riskLevel', 'final', 'points', 'priority', 'missing'])(
  'a key %s that somebody gave to Object.prototype changes nothing',
  async (key) => {
    const policy = policyOf(SIGN_UP);
    const facts = factsFrom({ 'phone.type': 'voip', 'email.domain.type': 'disposable' });
    const before = await decideLive(policy, facts, DAY);
    Object.defineProperty(Object.prototype, key, { value: 'x', enumerable: true, configurable: true, writable: true });
    onTestFinished(() => {
      Reflect.deleteProperty(Object.prototype, key);
    });
    const after = await decideLive(policy, facts, DAY);
    Reflect.deleteProperty(Object.prototype, key);
    expect(canonicalJson(after)).toBe(canonicalJson(before));
  },
);

test('at least 20 of 40 conditions are counted without expanding every combination', async () => {
  // Expanded, 20 of 40 are 137,846,528,820 conjunctions.
  const limits = Array.from({ length: 40 }, (_, i) => i);
  const conditions = limits.map((limit) => `{ email.darkWeb.hitCount: { above: ${limit} } }`).join(', ');
  const policy = policyOf(`${HEAD}
rules:
  - { id: counted, when: { atLeastOf: { count: 20, of: [${conditions}] } }, then: reject }
  - { id: not-counted, when: { not: { atLeastOf: { count: 20, of: [${conditions}] } } }, then: review }
`);
  const decide = (values: Record<string, FactValue>) => decideLive(policy, factsFrom(values), DAY);
  const twenty = await decide({ 'email.darkWeb.hitCount': 20 });
  expect(twenty.reasons).toMatchObject([
    { rule: 'counted', evidence: limits.slice(0, 20).map((expected) => ({ expected })) },
  ]);
  const nineteen = await decide({ 'email.darkWeb.hitCount': 19 });
  expect(nineteen.reasons).toMatchObject([
    { rule: 'not-counted', evidence: limits.slice(19).map((expected) => ({ expected, negated: true })) },
  ]);
  expect((await decide({})).undetermined.map(({ rule }) => rule)).toEqual(['counted', 'not-counted']);
});

test('a run gives the facts that its rules read', async () => {
  const policy = policyOf(SIGN_UP);
  const read = policy.rules.flatMap(({ when }) => [...factsOf(when)]);
  const { facts } = await runLive(policy, () => ({ missing: 'notGiven' }), DAY);
  expect([...facts.keys()].sort()).toEqual([...new Set(read)].sort());
});

/** How many conditions a run gives to json-rules-engine. */
async function countGiven(text: string): Promise<number> {
  const added = vi.spyOn(Engine.prototype, 'addRule');
  await runLive(policyOf(`${HEAD}${text}`), () => ({ value: 3 }), DAY);
  const rules = added.mock.calls.map(([rule]) => JSON.stringify(rule));
  added.mockRestore();
  return rules.reduce((sum, json) => sum + json.split('"operator"').length - 1, 0);
}

const above = Array.from({ length: 100 }, (_, i) => `{ phone.score: { above: ${i} } }`).join(', ');

test('a named condition is one condition of each rule that names it', async () => {
  const rules = Array.from(
    { length: 50 },
    (_, i) => `  - { id: r${i}, when: { all: [big, { phone.score: { below: ${i} } }] }, then: review }\n`,
  );
  expect(await countGiven(`conditions:\n  big: { any: [${above}] }\nrules:\n${rules.join('')}`)).toBe(2 * 50);
});

test('a policy of very many tests gives one condition a rule', async () => {
  const facts = Array.from({ length: 100 }, (_, i) => `context.a${i}`);
  const declared = facts.map((path) => `  ${path}: { type: number }\n`).join('');
  const rows = `[${'1, '.repeat(facts.length)}1], `.repeat(201);
  const table = `{ id: t, columns: [${facts.join(', ')}, points], rows: [${rows}] }`;
  expect(await countGiven(`facts:\n${declared}tables: [${table}]\n`)).toBe(201);
});
