/** Facts that no reader made, or that were changed since: every public way to a runner reads them first. */

import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import * as core from '../../src/core.ts';
import { encodeFacts } from '../../src/decision/matcher/encoded-facts.ts';
import { compile } from '../../src/decision/matcher/matcher.ts';
import type { Fact, Facts } from '../../src/facts/fact.ts';
import * as api from '../../src/index.ts';
import { canonicalJson } from '../../src/platform/digest.ts';
import { temporaryFolder } from '../support/policy/policy.ts';
import { aCase } from '../support/runners/arbitrary.ts';
import { decideLive, loadPlainPolicy } from '../support/runners/case.ts';
import { sampled } from '../support/sampled.ts';

const VALUES: readonly unknown[] = [
  '11/20/2026',
  '2026-11-31',
  '2026-11-20T10:00Z',
  '',
  'never',
  'High',
  'high',
  '80',
  80,
  80.5,
  1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  'true',
  new Date(0),
  ['voip'],
  { value: 1 },
  null,
  undefined,
  10n,
];

test('the runners agree on values that facts cannot have', async () => {
  const folder = temporaryFolder();
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(aCase({ applicants: 2 }), fc.infiniteStream(fc.constantFrom(...VALUES)), async (given, values) => {
      const policy = loadPlainPolicy(given.policy, folder);
      const matcher = compile(policy);
      for (const applicant of given.applicants) {
        const facts = new Map(
          Object.keys(applicant).map((path): [string, Fact] => [path, { value: values.next().value } as Fact]),
        );
        const live = await decideLive(policy, facts, given.day);
        const encoded = encodeFacts(facts, policy.facts);
        expect(canonicalJson(matcher.verdict(facts, given.day))).toBe(canonicalJson(live));
        expect(canonicalJson(matcher.verdict(encoded, given.day))).toBe(canonicalJson(live));
        expect(matcher.outcome(facts, given.day)).toEqual({ outcome: live.outcome, score: live.score });
        decided++;
      }
    }),
    { numRuns: sampled(1, 2000) },
  );
  expect(decided).toBe(2 * sampled(1, 2000));
});

const DAY = '2026-11-20';

const POLICY = core.loadPolicyText(
  `policy: gate
version: "1"
default: accept
facts:
  context.loans: { type: number }
  context.born: { type: date, past: true }
  context.known: { type: boolean }
lists:
  domains: [spam.example]
  numbers: ["+44 7400 123456"]
rules:
  - { id: domain, when: { applicant.emailDomain: { inDomainList: domains } }, then: reject }
  - { id: number, when: { applicant.phoneNo: { inList: numbers } }, then: reject }
  - { id: level, when: { phone.riskLevel: { atLeast: high } }, then: reject }
  - { id: risky, when: { phone.score: { above: 80 } }, then: reject }
  - { id: loans, when: { context.loans: { above: 5000 } }, then: reject }
  - { id: ported, when: { phone.porting.portedDate: { withinLast: 30 days } }, then: reject }
  - { id: minor, when: { context.born: { yearsSince: { below: 18 } } }, then: reject }
  - { id: voip, when: { phone.type: voip }, then: reject }
  - { id: known, when: { context.known: false }, then: reject }
  - { id: isp, when: { ip.isp: { contains: evil } }, then: reject }
  - { id: country, when: { phone.country: { in: [GB] } }, then: reject }
  - { id: address, when: { applicant.ip: { in: [203.0.113.0/24] } }, then: reject }
`,
);

/** An applicant whom the policy accepts. */
const GOOD: Readonly<Record<string, unknown>> = {
  'applicant.emailDomain': 'good.example',
  'applicant.phoneNo': '447400123400',
  'applicant.ip': '192.0.2.1',
  'phone.riskLevel': 'low',
  'phone.score': 3,
  'phone.type': 'mobile',
  'phone.country': 'de',
  'phone.porting.portedDate': 'never',
  'ip.isp': 'x',
  'context.loans': 1,
  'context.born': '1980-02-29',
  'context.known': true,
};

/** What an attacker, or a careless reader of files, hands over. */
const HANDED: readonly (readonly [path: string, value: unknown])[] = [
  ...['SPAM.example', ' spam.example', 'spam.example.', 'spam\u200b.example'].map(
    (value) => ['applicant.emailDomain', value] as const,
  ),
  ...['+447400123456', '44 7400 123456', 447400123456].map((value) => ['applicant.phoneNo', value] as const),
  ...['203.0.113.009', '::ffff:203.0.113.9', '203.0.113.9 ', 3405803785, '0313.0.0161.011'].map(
    (value) => ['applicant.ip', value] as const,
  ),
  ...['HIGH', 4, 'high '].map((value) => ['phone.riskLevel', value] as const),
  ...[101, Number.NaN, '90', '', true, [], 10n].map((value) => ['phone.score', value] as const),
  ...['', '12', '9000', false, [7], new Date(0), 10n].map((value) => ['context.loans', value] as const),
  ...['VOIP', ['voip']].map((value) => ['phone.type', value] as const),
  ...['GB', 'UK', 'gbr'].map((value) => ['phone.country', value] as const),
  ...['2026-11-21', '2027-06-01', '2026-11-19T00:00:00Z', '19/11/2026', 'Never', 20412, new Date()].map(
    (value) => ['phone.porting.portedDate', value] as const,
  ),
  ...['2026-11-21', '2027-06-01', '0000-01-01'].map((value) => ['context.born', value] as const),
  ...['EVIL corp', 'ev\u00adil', 'e\u0301vil'].map((value) => ['ip.isp', value] as const),
  ...['false', 0, ''].map((value) => ['context.known', value] as const),
];

/** Every public function that takes facts, as a way from facts to an outcome. */
const WAYS: Readonly<Record<string, (facts: Facts) => unknown>> = {
  'compile, outcome': (facts) => api.compile(POLICY).outcome(facts, DAY).outcome,
  'compile, verdict': (facts) => api.compile(POLICY).verdict(facts, DAY).outcome,
  encodeFacts: (facts) => api.compile(POLICY).outcome(api.encodeFacts(facts, POLICY.facts), DAY).outcome,
  'encodeFacts by another table': (facts) =>
    api.compile(POLICY).verdict(api.encodeFacts(facts, new Map([...POLICY.facts].reverse())), DAY).outcome,
  runLive: async (facts) => {
    const source = (path: string) => facts.get(path) ?? { missing: 'notGiven' as const };
    return (await api.runLive(POLICY, source, DAY)).verdict.outcome;
  },
  explain: async (facts) => (await api.explain(POLICY, facts, DAY)).outcome,
  'explain of the core': async (facts) => (await core.explain(POLICY, facts, DAY)).outcome,
};

/** Functions that take no facts, or that read them: `readFacts`, `normalise`. */
const TAKE_NONE =
  'addEvent addNote checkApplicant checkFiles countNote createAuditLog createDecider createVelocityStore ' +
  'createVerifyClient eraseSubject initVelocityStore ' +
  'copyLog firedReasons openLogIndex ' +
  'formatDiagnostic formatRefusal initAuditLog loadMapping loadPolicy loadPolicyText mappingData mappingFromData ' +
  'normalise noticesOf placeOf policyData policyFromData pruneLog readFacts readMapping readPolicy readPolicyText ' +
  'readRecord redact replayLog searchLog takeCheckpoint toSql verifyLog watchPolicy';

const byHand = (values: Readonly<Record<string, unknown>>): Map<string, Fact> =>
  new Map(Object.entries(values).map(([path, value]) => [path, { value } as Fact]));

const read = (values: Readonly<Record<string, unknown>>) =>
  api.readFacts(new Map(Object.entries(values).map(([path, value]) => [path, { value }])), POLICY.facts, DAY);

describe('every public way to a runner', () => {
  it('is known', () => {
    const functions = Object.entries({ ...core, ...api }).filter(
      ([, value]) => typeof value === 'function' && !(value.prototype instanceof Error),
    );
    const known = [...TAKE_NONE.split(' '), ...Object.keys(WAYS).map((way) => way.replace(/[, ].*/, ''))];
    expect(new Set(known)).toEqual(new Set(functions.map(([name]) => name)));
  });

  it.each(Object.entries(WAYS))(
    'reads facts made by hand, and facts changed after reading: %s',
    async (_, outcomeOf) => {
      expect(await outcomeOf(byHand(GOOD))).toBe('accept');
      expect(await outcomeOf(read(GOOD))).toBe('accept');
      const matcher = compile(POLICY);
      for (const [path, value] of HANDED) {
        const what = `${path}: ${typeof value === 'bigint' ? `${value}n` : JSON.stringify(value)}`;
        const expected = matcher.outcome(read({ ...GOOD, [path]: value }), DAY).outcome;
        expect(await outcomeOf(byHand({ ...GOOD, [path]: value })), what).toBe(expected);
        const changed = read(GOOD).set(path, { value } as Fact);
        expect(await outcomeOf(changed), `changed to ${what}`).toBe(expected);
      }
      for (const path of new Set(HANDED.map(([handed]) => handed))) {
        const deleted = read(GOOD);
        deleted.delete(path);
        expect(await outcomeOf(deleted), `deleted ${path}`).toBe('review');
        const emptied = read(GOOD);
        emptied.clear();
        expect(await outcomeOf(emptied), 'emptied').toBe('review');
      }
    },
  );

  it.each(Object.entries(WAYS))(
    'decides on a day before the one on which facts were read: %s',
    async (_, outcomeOf) => {
      const later = api.readFacts(
        new Map(Object.entries({ ...GOOD, 'context.born': '2026-12-01' }).map(([path, value]) => [path, { value }])),
        POLICY.facts,
        '2026-12-24',
      );
      expect(await outcomeOf(later)).toBe('review');
    },
  );
});

describe('columns of a batch', () => {
  const POLICY_OF_COLUMNS = core.loadPolicyText(`policy: columns
version: "1"
default: accept
facts:
  context.loans: { type: number }
  context.channel: { type: enum, values: [web, post] }
rules:
  - { id: risky, when: { phone.score: { above: 80 } }, then: reject }
  - { id: loans, when: { context.loans: { above: 5000 } }, then: reject }
  - { id: level, when: { phone.riskLevel: { atLeast: high } }, then: reject }
  - { id: channel, when: { context.channel: post }, then: reject }
  - { id: ported, when: { phone.porting.portedDate: { withinLast: 30 days } }, then: reject }
`);
  const matcher = compile(POLICY_OF_COLUMNS);
  const good = {
    'phone.score': { numbers: [3] },
    'context.loans': { numbers: [1] },
    'phone.riskLevel': { numbers: [1] },
    'context.channel': { codes: [0], texts: ['web'] },
    'phone.porting.portedDate': { numbers: [Number.NaN], never: [1] },
  };
  const outcomeOf = (changed: Readonly<Record<string, unknown>>) => {
    const columns = new Map(Object.entries({ ...good, ...changed }));
    return matcher.batch({ rows: 1, columns } as Parameters<typeof matcher.batch>[0], DAY).outcomes[0];
  };

  it('take numbers alone for numbers', () => {
    expect(outcomeOf({})).toBe(0);
    for (const path of ['phone.score', 'context.loans', 'phone.riskLevel']) {
      for (const value of ['', ' ', '1', ' 1 ', true, false, [], [1], new Date(0), 1n, null, undefined, {}]) {
        expect(outcomeOf({ [path]: { numbers: [value] } }), `${path}: ${typeof value}`).toBe(1);
      }
    }
    for (const code of ['0', 'length', true, null, undefined, 0n, [], 0.5, 7]) {
      expect(outcomeOf({ 'context.channel': { codes: [code], texts: ['web'] } }), `code ${typeof code}`).toBe(1);
    }
  });

  it('have no date where they say both a day and never, or where never is not a flag', () => {
    const ported = 'phone.porting.portedDate';
    for (const number of [20412, 0, -1, 1e12, Number.POSITIVE_INFINITY]) {
      expect(outcomeOf({ [ported]: { numbers: [number], never: [1] } }), String(number)).toBe(1);
    }
    for (const flag of ['false', 'true', '', {}, [], Number.NaN, null, undefined, 0, false]) {
      expect(outcomeOf({ [ported]: { numbers: [Number.NaN], never: [flag] } }), String(flag)).toBe(1);
    }
  });
});
