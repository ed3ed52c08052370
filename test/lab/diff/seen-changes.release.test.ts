/** Regions around applicants who were seen to change: those of the commonest kind first, nobody in two of them. */

import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import type { Facts, FactValue } from '../../../src/facts/fact.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { openDiff } from '../../../src/lab/diff/diff.ts';
import { createSearch } from '../../../src/lab/diff/search.ts';
import { SeenChanges } from '../../../src/lab/diff/seen-changes.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { loadPolicyText } from '../../../src/policy/read/parse.ts';
import { HEAD } from '../../support/policy/policy.ts';

const DAY = '2026-11-20';

type Given = Readonly<Record<string, FactValue>>;

/** How the old and the new policy decide somebody, with their facts. */
function decided([old, now]: readonly [Policy, Policy], given: Given) {
  const facts: Facts = readFacts(
    new Map(Object.entries(given).map(([path, value]) => [path, { value }] as const)),
    now.facts,
    DAY,
  );
  const [from, to] = [old, now].map((policy) => matcherOf(policy).outcome(facts, DAY).outcome);
  return { facts, change: from !== to && from && to ? { from, to } : undefined };
}

/** The difference, around some people. */
async function diffAround(policies: readonly [Policy, Policy], seen: readonly Given[], mostRegions: number) {
  const diff = await openDiff(...policies, { at: DAY, mostRegions });
  const changes = diff.see();
  for (const given of seen) {
    const { facts, change } = decided(policies, given);
    if (change) changes.add({ facts, day: DAY }, change);
  }
  return diff.find(changes);
}

const rulesOf = (limits: readonly number[]) =>
  limits
    .map((limit, i) => `  - { id: r${i}, when: { context.n${i}: { atLeast: ${limit} } }, then: review, points: 10 }\n`)
    .join('');

/** A policy with a number and a rule for each limit, and a rule that both have. */
const policyWith = (...limits: readonly number[]) =>
  loadPolicyText(`${HEAD}facts:
${limits.map((_, i) => `  context.n${i}: { type: integer }\n`).join('')}score: { reject: 40 }
whenUnknown: ignore
rules:
${rulesOf(limits)}  - { id: common, when: { phone.type: voip }, points: 25 }
`);

/** People with numbers from 0 to 9, of whom most have low ones. */
function people(numbers: number, count: number): Given[] {
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  return Array.from({ length: count }, () => {
    const own = Array.from({ length: numbers }, (_, i) => [`context.n${i}`, Math.min(next(10), next(10))] as const);
    return Object.fromEntries([...own, ['phone.type', next(3) === 0 ? 'voip' : 'mobile']]);
  });
}

describe.each([
  ['by the rules that differ', 4],
  // More than 24 rules of both.
  ['by what the policies decide', 13],
] as const)('regions %s', (_, size) => {
  const limits = Array.from({ length: size }, (_, i) => 5 + (i % 3));
  const policies = [policyWith(...limits), policyWith(...limits.map((limit) => limit + 1))] as const;
  const all = people(size, 3000);

  it('count each applicant who changes in one region at most, as the region says it', async () => {
    const { regions } = await diffAround(policies, all, 12);
    const counts = new Map(regions.map((region) => [region, 0]));
    let changed = 0;
    for (const given of all) {
      const { facts, change } = decided(policies, given);
      const own = regions.filter((region) => region.contains(facts, DAY));
      expect(own.map(({ from, to }) => ({ from, to })).filter((each) => each)).toEqual(
        own.length === 0 ? [] : [change],
      );
      if (change) changed += 1;
      for (const region of own) counts.set(region, (counts.get(region) ?? 0) + 1);
    }
    expect(regions.map(({ applicants }) => applicants)).toEqual(regions.map((region) => counts.get(region)));
    expect(changed).toBeGreaterThan(500);
  });

  it('are those of most applicants, where not all are sought', async () => {
    const inRegions = async (seen: readonly Given[]) => {
      const { regions } = await diffAround(policies, seen, 6);
      return all.filter((given) => regions.some((region) => region.contains(decided(policies, given).facts, DAY)));
    };
    const [around, without] = [await inRegions(all), await inRegions([])];
    expect(around.length).toBeGreaterThan(2 * without.length);
  });

  it('have no count without applicants', async () => {
    const { regions } = await (await openDiff(...policies, { at: DAY, mostRegions: 2 })).find();
    expect(regions.map((region) => 'applicants' in region)).toEqual(regions.map(() => false));
  });
});

it('regions around some have all others too, and nobody twice', async () => {
  const policies = [policyWith(5, 6), policyWith(6, 5)] as const;
  const everybody = Array.from({ length: 10 * 10 * 2 }, (_, i): Given => {
    return { 'context.n0': i % 10, 'context.n1': Math.floor(i / 10) % 10, 'phone.type': i < 100 ? 'voip' : 'mobile' };
  });
  const seen = everybody.filter((_, i) => i % 7 === 0);
  const { regions, elsewhere } = await diffAround(policies, seen, 100);
  expect(elsewhere).toBe('same');
  let changed = 0;
  for (const given of everybody) {
    const { facts, change } = decided(policies, given);
    const own = regions.filter((region) => region.contains(facts, DAY)).map(({ from, to }) => ({ from, to }));
    expect(own).toEqual(change ? [change] : []);
    if (change) changed += 1;
  }
  expect(changed).toBeGreaterThan(10);
});

it('somebody who changes otherwise than a region says is not in it', async () => {
  const diff = await openDiff(policyWith(5), policyWith(6), { at: DAY });
  const seen = diff.see();
  const { facts, change } = decided([policyWith(5), policyWith(6)], { 'context.n0': 5, 'phone.type': 'mobile' });
  expect(change).toEqual({ from: 'review', to: 'accept' });
  seen.add({ facts, day: DAY }, { from: 'accept', to: 'review' });
  const { regions } = await diff.find(seen);
  expect(regions.length).toBeGreaterThan(0);
  expect(regions.map(({ applicants }) => applicants)).toEqual(regions.map(() => 0));
});

it('those beyond the most states are counted apart, and the others as before', async () => {
  const policies = [policyWith(5, 5), policyWith(6, 6)] as const;
  const search = await createSearch(...policies, [DAY]);
  const seen = new SeenChanges(search, undefined, 2);
  for (const [n0, n1] of [
    [5, 0],
    [5, 0],
    [0, 5],
    [5, 5],
    [5, 5],
    [5, 0],
  ] as const) {
    const { facts } = decided(policies, { 'context.n0': n0, 'context.n1': n1 });
    seen.add({ facts, day: DAY }, { from: 'review', to: 'accept' });
  }
  expect([seen.all.map(({ applicants }) => applicants), seen.beyond]).toEqual([[3, 1], 2]);
});

it('somebody who changes on another day alone is in no region', async () => {
  const policy = (until: string) =>
    loadPolicyText(`${HEAD}rules:\n  - { id: past, when: { phone.valid: false }, then: review, until: ${until} }\n`);
  const diff = await openDiff(policy('2026-01-31'), policy('2026-02-28'), { at: DAY });
  const seen = diff.see();
  const { facts } = policy('2026-01-31');
  const day = '2026-02-15';
  const given = readFacts(new Map([['phone.valid', { value: false }]]), facts, day);
  seen.add({ facts: given, day }, { from: 'accept', to: 'review' });
  expect(await diff.find(seen)).toMatchObject({ regions: [], elsewhere: 'same' });
});
