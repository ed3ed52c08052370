/** Velocities in the lab: another window is another fact, and a longer one counts no less; tests give counts. */

import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { matcherOf } from '../../src/decision/matcher/matcher.ts';
import type { Fact } from '../../src/facts/fact.ts';
import { readFactsLine } from '../../src/facts/facts-line.ts';
import { readFacts } from '../../src/facts/read.ts';
import { velocitiesIn } from '../../src/facts/velocity.ts';
import { countBySql } from '../../src/lab/backtest/count-by-sql.ts';
import { joinFacts } from '../../src/lab/backtest/joint-facts.ts';
import { recordedTest } from '../../src/lab/cases/recorded-test.ts';
import { diffPolicies, findDifference } from '../../src/lab/diff/diff.ts';
import { proveProperties } from '../../src/lab/prove/prove.ts';
import type { ExampleLine } from '../../src/lab/question/find-applicant.ts';
import { OLD_NAME, ownCounts, withOwnComputations } from '../../src/lab/space/own-computations.ts';
import { jointTable } from '../../src/lab/space/space.ts';
import { areCountsPossible } from '../../src/policy/cells/nested-counts.ts';
import type { Policy } from '../../src/policy/language.ts';
import { runCli } from '../support/cli/cli.ts';
import { HEAD, policyOf, temporaryFolder } from '../support/policy/policy.ts';
import { sampled } from '../support/sampled.ts';

const DAY = '2026-11-20';

const TESTS = `policy: policy.yaml
at: 2026-11-20
tests:
  - { name: burst, facts: { velocity.sameIp: 20 }, expect: { outcome: review, reasons: [BURST] } }
  - { name: fewer, facts: { velocity.sameIp: 19 }, expect: { outcome: accept } }
  - { name: no store, missing: { "velocity.*": sourceFailed }, expect: { outcome: review } }
`;

const policyText = (within: string, least = 20) => `${HEAD}velocity:
  sameIp: { count: applications, by: ip, within: ${within} }
rules:
  - { id: burst, when: { velocity.sameIp: { atLeast: ${least} } }, then: review }
`;

const partsOf = async (old: string, now: string) => {
  const { regions } = await diffPolicies(policyOf(old), policyOf(now), { at: DAY });
  return regions.map(({ from, to }) => `${from} to ${to}`);
};

it('a count within a longer window is another fact, and no less', async () => {
  expect(await partsOf(policyText('1 hour'), policyText('60 minutes'))).toEqual([]);
  expect(await partsOf(policyText('1 hour'), policyText('2 hours'))).toEqual(['accept to review']);
  expect(await partsOf(policyText('2 hours'), policyText('1 hour'))).toEqual(['review to accept']);
  expect(await partsOf(policyText('1 hour'), policyText('1 hour', 21))).toEqual(['review to accept']);
});

it('counts by something else may say the opposite', async () => {
  const now = policyText('1 hour').replace('by: ip', 'by: email');
  expect(await partsOf(policyText('1 hour'), now)).toEqual(['review to accept', 'accept to review']);
});

it('a count is a whole number from 0', async () => {
  expect(await partsOf(policyText('1 hour', 19.5), policyText('1 hour', 20))).toEqual([]);
  expect(await partsOf(policyText('1 hour', -1), policyText('1 hour', 0))).toEqual([]);
  expect(await partsOf(policyText('1 hour', 0), policyText('1 hour', 1))).toEqual(['review to accept']);
});

it('the example of another window has the count of each policy, as a line for it', async () => {
  const [old, now] = [policyOf(policyText('1 hour')), policyOf(policyText('7 days'))];
  const lines = {
    // The count of a week may be missing where that of an hour is known.
    example: { facts: {} },
    oldExample: { facts: { 'velocity.sameIp': 0 } },
  };
  const { regions } = await diffPolicies(old, now, { at: DAY });
  expect(regions).toMatchObject([lines]);
  const less = 'velocity.sameIp (as counted by the old policy) is at most 19';
  expect(regions[0]?.conditions).toEqual([less, 'velocity.sameIp is at least 20, or missing']);
  expect(await findDifference(old, now, { at: DAY })).toMatchObject({ from: 'accept', to: 'review', ...lines });
});

it('counts that can both be missing are both said to be', async () => {
  const both = `${HEAD}velocity:
  hour: { count: applications, by: ip, within: 1 hour }
  day: { count: applications, by: ip, within: 1 day }
rules:
  - { id: both, when: { velocity.hour: { atLeast: 5 }, velocity.day: { atLeast: 20 } }, then: accept }
`;
  const { regions } = await diffPolicies(policyOf(both), policyOf(both.replace('then: accept', 'then: review')), {
    at: DAY,
  });
  expect(regions[0]?.conditions).toEqual([
    'velocity.day is at least 20, or missing',
    'velocity.hour is at least 5, or missing',
  ]);
});

it('what holds for every count that verdict can make is proved', async () => {
  const policy = policyOf(`${HEAD}velocity:
  hour: { count: applications, by: ip, within: 1 hour }
  day: { count: applications, by: ip, within: 1 day }
  phones: { count: distinct phoneNo, by: ip, within: 1 day }
rules:
  - { id: day, when: { velocity.day: { atLeast: 20 } }, then: reject }
guarantees:
  - { id: hour, when: { velocity.hour: { atLeast: 20 } }, atLeast: review }
  - { id: incomplete, when: { velocity.hour: { atLeast: 20 } }, always: reject }
  - { id: distinct, when: { velocity.phones: { atLeast: 20 } }, atLeast: review }
  - { id: above, when: { velocity.hour: { above: { fact: velocity.day } } }, never: accept }
  - { id: missing, when: { velocity.hour: { known: false } }, never: accept }
  - { id: phones, when: { velocity.phones: { atLeast: 20 } }, always: reject }
`);
  const proofs = await proveProperties(policy, { at: DAY, properties: ['guarantee'] });
  expect(proofs.map(({ property, result }) => [property.name, result])).toEqual([
    ['guarantee:hour', 'proved'],
    // The count of a day may be missing where that of an hour is known.
    ['guarantee:incomplete', 'refuted'],
    ['guarantee:distinct', 'proved'],
    ['guarantee:above', 'proved'],
    ['guarantee:missing', 'proved'],
    ['guarantee:phones', 'refuted'],
  ]);
});

/** The applications of one address that verdict saw before, by their age: the last hour, the day before, the week. */
type Seen = readonly [hour: number, day: number, week: number] | 'no store';

/** What a policy counts of them under each of its paths, by the hours of the window. */
function countsOf({ facts }: Pick<Policy, 'facts'>, seen: Seen): ReadonlyMap<string, Fact> {
  return new Map(
    [...velocitiesIn(facts)].map(([path, { withinMs }]): [string, Fact] => {
      if (seen === 'no store') return [path, { missing: 'notRequested' }];
      const [hour, day, week] = seen;
      const windows = withinMs / 3_600_000;
      return [path, { value: hour + (windows > 1 ? day : 0) + (windows > 24 ? week : 0) }];
    }),
  );
}

function outcomeOf(policy: Policy, line: ExampleLine) {
  const read = readFactsLine(JSON.stringify(line), policy.facts, DAY);
  if ('problem' in read) throw new Error(read.problem);
  return matcherOf(policy).outcome(read.facts, DAY).outcome;
}

const COMPARED = 'velocity.a: { above: { fact: velocity.b } }';
const aWindow = fc.constantFrom('1 hour', '1 day', '7 days');
const counting = fc.record({
  windows: fc.tuple(aWindow, aWindow),
  limits: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 })),
  compares: fc.constantFrom('', COMPARED, 'context.more: { atLeast: 2 }'),
});
type Counting = typeof counting extends fc.Arbitrary<infer Value> ? Value : never;

const countingText = ({ windows: [a, b], limits: [one, other, both], compares }: Counting) => `${HEAD}facts:
  context.more: { type: integer, compute: { difference: [velocity.a, velocity.b] } }
velocity:
  a: { count: applications, by: ip, within: ${a} }
  b: { count: applications, by: ip, within: ${b} }
rules:
  - { id: a, when: { velocity.a: { atLeast: ${one} } }, then: review }
  - { id: b, when: { velocity.b: { atLeast: ${other} }, velocity.a: { below: ${one + both} } }, then: reject }
${compares && `  - { id: more, when: { ${compares} }, then: reject, whenUnknown: ignore }\n`}`;

/** Edits whose examples need a count that lies between those of the borders, or is the same as another. */
const FOUND: [Counting, Counting][] = [
  [
    { windows: ['1 hour', '1 hour'], limits: [3, 3, 3], compares: '' },
    { windows: ['7 days', '7 days'], limits: [2, 5, 3], compares: '' },
  ],
  [
    { windows: ['1 hour', '1 hour'], limits: [15, 10, 3], compares: '' },
    { windows: ['1 hour', '1 hour'], limits: [15, 10, 2], compares: '' },
  ],
  [
    { windows: ['1 hour', '1 hour'], limits: [1, 1, 1], compares: '' },
    { windows: ['7 days', '1 day'], limits: [4, 1, 1], compares: COMPARED },
  ],
];

it('the regions of edited windows have all that verdict can count, and examples that it can', async () => {
  const buckets = [0, 1, 2, 5];
  const everybody: Seen[] = [
    'no store',
    ...buckets.flatMap((hour) => buckets.flatMap((day) => buckets.map((week) => [hour, day, week] as const))),
  ];
  let [differing, examples] = [0, 0];
  await fc.assert(
    fc.asyncProperty(counting, counting, async (...both) => {
      const policies = both.map((each) => policyOf(countingText(each))) as [Policy, Policy];
      const [old, now] = policies;
      const { regions, elsewhere } = await diffPolicies(old, now, { at: DAY });
      expect(elsewhere).toBe('same');
      const named = withOwnComputations(old, now, OLD_NAME);
      const [table, counts] = [jointTable([named, now]), ownCounts(old, named)];
      const jointFacts = (seen: Seen) => readFacts(countsOf({ facts: table }, seen), table, DAY);
      for (const seen of everybody) {
        const [from, to] = policies.map((policy) => {
          return matcherOf(policy).outcome(readFacts(countsOf(policy, seen), policy.facts, DAY), DAY).outcome;
        });
        const own = regions
          .filter((region) => region.contains(jointFacts(seen)))
          .map((region) => [region.from, region.to]);
        expect(own, JSON.stringify(seen)).toEqual(from === to ? [] : [[from, to]]);
        if (from !== to) differing += 1;
      }
      for (const region of regions) {
        const { from, to, example, oldExample = example } = region;
        if (!example || !oldExample) {
          // Of what is compared or computed, nobody may be in a region: no example proves that.
          expect(both.some(({ compares }) => compares !== '')).toBe(true);
          expect(everybody.some((seen) => region.contains(jointFacts(seen)))).toBe(false);
          continue;
        }
        examples += 1;
        expect([outcomeOf(old, oldExample), outcomeOf(now, example)]).toEqual([from, to]);
        // Both lines are of one applicant.
        const given = [
          ...Object.entries(oldExample.facts).map(([path, value]) => [counts.get(path) ?? path, { value }] as const),
          ...Object.entries(example.facts).map(([path, value]) => [path, { value }] as const),
        ];
        expect(areCountsPossible(new Map(given), table), JSON.stringify(given)).toBe(true);
      }
    }),
    { numRuns: sampled(4, 400), examples: FOUND },
  );
  expect([differing > 0, examples > 0]).toEqual([true, true]);
});

it('a test gives counts by their names: there is no mutant of a window, and no test of another count', async () => {
  const text = policyText('$window').replace('velocity:', 'parameters: { window: 7 days }\nvelocity:');
  const folder = temporaryFolder({ 'policy.yaml': text, 'policy.test.yaml': TESTS });
  const { exitCode, stdout } = await runCli(['test', join(folder, 'policy.test.yaml'), '--mutate', '--json']);
  expect([exitCode, stdout]).toEqual([0, expect.not.stringContaining('window')]);
  const [then, now] = [policyOf(policyText('1 hour')), policyOf(policyText('2 hours'))];
  const facts = readFacts(new Map([['velocity.sameIp', { value: 20 }]]), then.facts, DAY);
  expect(recordedTest({ facts, day: DAY, policy: then }, then)).toMatchObject({ facts: { 'velocity.sameIp': 20 } });
  expect(() => recordedTest({ facts, day: DAY, policy: then }, now)).toThrow(/velocity\.sameIp in ways that cannot/);
});

it('a table of a database has a column for the count of each policy', async () => {
  const [old, now] = [policyOf(policyText('7 days')), policyOf(policyText('1 hour'))];
  const columns = { 'velocity.sameIp': 'in_hour', 'velocity.sameIp (as counted by the old policy)': 'in_week' };
  const options = { table: 'applications', at: DAY, by: [], compares: true, columns };
  let query = '';
  const { gaps } = await countBySql([old, now], joinFacts(old, now), options, async (asked) => {
    if (asked.startsWith('DESCRIBE')) return Object.values(columns).map((column) => [column, 'Int64']);
    query = asked;
    return [];
  });
  const nameOf = (column: string) => new RegExp(`t\\.\`${column}\` AS (\\w+)`).exec(query)?.[1];
  const readFrom = (rows: string) =>
    new RegExp(`(\\w+)\` \\+ 0e0\\)[^()]* END AS fact_\\d+\nFROM \`${rows}\``).exec(query)?.[1];
  expect(gaps).toEqual({ absent: [], unread: [] });
  expect([readFrom('verdict_rows'), readFrom('verdict_before')]).toEqual([nameOf('in_week'), nameOf('in_hour')]);
});

it('tests of a policy give counts, and leave no mutant of a limit alive', async () => {
  const folder = temporaryFolder({ 'policy.yaml': policyText('1 hour'), 'policy.test.yaml': TESTS });
  const { exitCode, stdout } = await runCli(['test', join(folder, 'policy.test.yaml'), '--mutate']);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/3 passed/)]);
  const wrong = temporaryFolder({
    'policy.yaml': policyText('1 hour'),
    'policy.test.yaml': TESTS.replace('sameIp: 19', 'sameIp: -1'),
  });
  expect((await runCli(['test', join(wrong, 'policy.test.yaml')])).exitCode).not.toBe(0);
});
