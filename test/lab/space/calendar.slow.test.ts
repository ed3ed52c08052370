/** What is compared and proved on all days on which something begins or ends, against each of these days alone. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completedYears, dayNumber, dayOfNumber } from '../../../src/facts/day.ts';
import { diffPolicies } from '../../../src/lab/diff/diff.ts';
import { proveProperties } from '../../../src/lab/prove/prove.ts';
import { daysFrom } from '../../../src/lab/space/calendar.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { EDITS } from '../../support/lab/edits.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPolicyAsIs } from '../../support/runners/case.ts';
import type { PlainPolicy } from '../../support/runners/plain.ts';
import { sampled } from '../../support/sampled.ts';

const DAY = '2026-11-20';
const VOIP = 'id: voip, when: { phone.type: voip }, then: reject';
const GUARANTEE = 'guarantees: [{ id: no-voip, never: accept, when: { phone.type: voip } }]\n';

const withRules = (...rules: readonly string[]) =>
  policyOf(`${HEAD}${GUARANTEE}rules:\n${rules.map((rule) => `  - { ${rule} }\n`).join('')}`);

async function regionsOf(old: Policy, now: Policy, onDay = false) {
  const { regions, elsewhere } = await diffPolicies(old, now, { at: DAY, onDay });
  const shown = regions.map(({ from, to, firstDay, lastDay }) => `${from} ${to} ${firstDay} ${lastDay ?? ''}`.trim());
  return [...shown.sort(), elsewhere];
}

async function resultOf(policy: Policy, property: string, onDay = false) {
  const [proof] = await proveProperties(policy, { at: DAY, onDay, properties: [property] });
  return proof && `${proof.result} ${proof.firstDay}`;
}

describe('a change that begins later', () => {
  it.each([
    ['a rule that ends', `${VOIP}, until: 2026-11-30`, ['reject accept 2026-12-01', 'review accept 2026-12-01']],
    ['a rule that ends today', `${VOIP}, until: ${DAY}`, ['reject accept 2026-11-21', 'review accept 2026-11-21']],
    [
      'a rule that begins',
      `${VOIP}, from: 2026-11-25`,
      ['reject accept 2026-11-20 2026-11-24', 'review accept 2026-11-20 2026-11-24'],
    ],
  ])('is a region from that day: %s', async (_, rule, expected) => {
    expect(await regionsOf(withRules(VOIP), withRules(rule))).toEqual([...expected, 'same']);
  });

  it('is no region of the day alone', async () => {
    expect(await regionsOf(withRules(VOIP), withRules(`${VOIP}, until: 2026-11-30`), true)).toEqual(['same']);
  });

  it('is one of those whom a common rule stops until then', async () => {
    const stop = 'id: stop, when: { phone.type: voip }, then: reject, final: true, until: 2026-12-31';
    const later = [2, 3, 4, 5, 6, 7, 8].map(
      (month) => `id: r${month}, when: { phone.score: ${month} }, then: review, from: 2027-0${month}-01`,
    );
    expect(await regionsOf(withRules(stop, VOIP, ...later), withRules(stop, ...later))).toContain(
      'reject accept 2027-01-01',
    );
  });

  it('breaks a guarantee from that day', async () => {
    const ending = withRules(`${VOIP}, until: 2026-11-30`);
    expect(await resultOf(withRules(VOIP), 'guarantee')).toBe(`proved ${DAY}`);
    expect(await resultOf(ending, 'guarantee')).toBe('refuted 2026-12-01');
    expect(await resultOf(ending, 'guarantee', true)).toBe(`proved ${DAY}`);
  });

  it('takes an outcome away, or the effect of a rule, on a later day alone', async () => {
    const ending = withRules(`${VOIP}, until: 2026-11-30`);
    expect(await resultOf(ending, 'reachable:reject')).toBe('refuted 2026-12-01');
    expect(await resultOf(ending, 'reachable:accept')).toBe(`proved ${DAY}`);
    const twice = withRules(`${VOIP}, until: 2026-11-30`, `${VOIP.replace('voip', 'again')}, reason: VOIP`);
    expect(await resultOf(twice, 'every-rule-matters')).toMatch(/^refuted/);
  });

  it('may come from an entry of a list, an age and a date', async () => {
    const listed = (until: string) =>
      policyOf(
        `${HEAD}lists: { bad: [a, { value: b, until: ${until} }] }\n` +
          'guarantees: [{ id: g, never: accept, when: { ip.isp: { in: [a, b] } } }]\n' +
          'rules: [{ id: r, when: { not: { ip.isp: { notInList: bad } } }, then: review }]\n',
      );
    expect(await resultOf(listed('2026-12-24'), 'guarantee')).toBe('refuted 2026-12-25');
    expect(await regionsOf(listed('2026-12-24'), listed('2026-12-31'))).toEqual([
      'accept review 2026-12-25 2026-12-31',
      'same',
    ]);
    const aged = policyOf(
      `${HEAD}guarantees: [{ id: g, never: accept, when: { context.since: 2026-11-01 } }]\n` +
        'facts: { context.since: { type: date } }\n' +
        'rules: [{ id: r, when: { context.since: { withinLast: 30 days } }, then: review }]\n',
    );
    expect(await resultOf(aged, 'guarantee')).toBe('refuted 2026-12-02');
  });
});

/** A policy that accepts everybody, although a guarantee says that these are not. */
const accepting = (when: string) =>
  policyOf(
    `${HEAD}facts: { context.a: { type: date }, context.b: { type: date } }\n` +
      `guarantees: [{ id: g, never: accept, when: { all: [${when}] } }]\n` +
      'rules: [{ id: r, when: { phone.type: voip }, then: review }]\n',
  );

describe('dates that meet on a later day alone', () => {
  it('are those of several facts that are compared', async () => {
    const named = '{ context.a: { after: 2026-12-15 } }, { context.b: { olderThan: 10 days } }';
    const after = '{ context.b: { after: { fact: context.a } } }';
    expect(await resultOf(accepting(`${named}, ${after}`), 'guarantee')).toBe('refuted 2026-12-28');
    const within = '{ context.a: { withinLast: 1096 days } }, { context.b: { yearsSince: { atLeast: 3 } } }';
    expect(await resultOf(accepting(`${within}, ${after}`), 'guarantee')).toBe('refuted 2027-03-01');
  });

  it.each(['2026-11-20', '2027-03-01', '2096-02-29'])('are those of years with a leap day: from %s', async (at) => {
    const seen = { now: 0, later: 0, never: 0 };
    for (const years of [1, 3, 18, 2, 4, 5, 8, 21, 65].slice(0, sampled(3, 9))) {
      const mean = Math.round(years * 365.2425);
      for (const days of [-3, -2, -1, 0, 1, 2].map((more) => mean + more)) {
        for (const isWithin of [true, false]) {
          const tests = isWithin
            ? `{ context.a: { withinLast: ${days} days } }, { context.a: { yearsSince: { atLeast: ${years} } } }`
            : `{ context.a: { olderThan: ${days} days } }, { context.a: { yearsSince: { below: ${years} } } }`;
          // The date at the border of one test is the best for the other.
          const date = (day: number) => (isWithin ? day - days : day - days - 1);
          const isMet = (day: number) => completedYears(date(day), day) >= years === isWithin;
          const first = dayNumber(at);
          const later = Array.from({ length: 20 * 366 }, (_, i) => first + i);
          const met = later.find(isMet);
          const [proof] = await proveProperties(accepting(tests), { at, properties: ['guarantee'] });
          const expected = met === undefined ? 'proved' : `refuted ${dayOfNumber(met)}`;
          const result = proof?.result === 'refuted' ? `refuted ${proof.firstDay}` : proof?.result;
          if (met !== undefined || result === 'proved') expect(result, `${days} days, ${years} years`).toBe(expected);
          seen[met === undefined ? 'never' : met === first ? 'now' : 'later'] += 1;
        }
      }
    }
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(0);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'verdict-calendar-'));
const PROPERTIES = ['guarantee', 'missing-never-helps', 'outage:phone', 'reachable:accept', 'reachable:reject'];

/** Random policies of which something begins or ends later. */
function* drawn(count: number, seed: number) {
  for (let i = 0, made = 0; made < count && i < 40 * count; i++) {
    const [given] = fc.sample(aCase({ applicants: 1 }), { numRuns: 1, seed: seed + i });
    if (!given) continue;
    const { policy: plain, day } = given;
    const policy = loadPolicyAsIs(withGuarantee(plain), folder);
    const days = daysFrom(day, [policy]);
    if (days.length < 2 || days.length > 8) continue;
    made += 1;
    yield { plain, policy, day, days, seed: seed + i };
  }
}

/** With a guarantee about the condition of the first rule with an outcome. */
function withGuarantee(plain: PlainPolicy): PlainPolicy {
  const asking = plain.rules?.find(({ then }) => then !== undefined && then !== 'accept');
  return { ...plain, guarantees: asking ? [{ id: 'g', never: 'accept', when: asking.when }] : [] } as PlainPolicy;
}

const { seed: SEED = 1 } = fc.readConfigureGlobal();

describe('on all days at once', () => {
  it('a property is proved if it is on each, and refuted from the first day on which it is not', async () => {
    const seen = { proved: 0, refuted: 0, later: 0 };
    for (const { policy, day, days, seed } of drawn(sampled(3, 300), SEED + 200)) {
      const options = { at: day, steps: 2_500_000, properties: PROPERTIES };
      const all = await proveProperties(policy, options);
      const alone = [];
      for (const at of days) alone.push(await proveProperties(policy, { ...options, at, onDay: true }));
      for (const [i, { property, result, firstDay }] of all.entries()) {
        const results = alone.map((proofs) => proofs[i]?.result);
        if (result === 'undecided' || results.includes('undecided')) continue;
        const first = results.indexOf('refuted');
        const expected = first < 0 ? `proved ${day}` : `refuted ${days[first]}`;
        expect(`${result} ${firstDay}`, `seed ${seed}, ${property.name}`).toBe(expected);
        if (first > 0) seen.later += 1;
        else seen[result] += 1;
      }
    }
    expect(
      Object.values(seen).every((number) => number > 0),
      JSON.stringify(seen),
    ).toBe(true);
  });

  it('two policies decide the same if they do so on each day, and a change begins on the first that has it', async () => {
    const seen = { same: 0, changed: 0, later: 0 };
    const edits = Object.values(EDITS);
    for (const { plain, day, seed } of drawn(sampled(4, 300), SEED)) {
      const edited = edits[seed % edits.length]?.(plain, seed);
      const [old, now] = [plain, edited].map((each) => each && load(each));
      if (!old || !now) continue;
      const all = await diffPolicies(old, now, { at: day, steps: 2_500_000 });
      if (all.days.length > 8 || all.elsewhere !== 'same' || all.regions.some(({ example }) => !example)) continue;
      const changesOf = async (at: string) => {
        const { regions, elsewhere } = await diffPolicies(old, now, { at, onDay: true, steps: 2_500_000 });
        return elsewhere === 'same' ? regions.map(({ from, to }) => `${from} ${to}`) : undefined;
      };
      const first = new Map<string, string>();
      let isKnown = true;
      for (const at of all.days) {
        const changes = await changesOf(at);
        isKnown &&= changes !== undefined;
        for (const change of changes ?? []) if (!first.has(change)) first.set(change, at);
      }
      if (!isKnown) continue;
      const found = new Map<string, string>();
      for (const { from, to, firstDay } of all.regions) {
        const known = found.get(`${from} ${to}`) ?? firstDay;
        found.set(`${from} ${to}`, known < firstDay ? known : firstDay);
      }
      expect([...found].sort(), `seed ${seed}`).toEqual([...first].sort());
      if (found.size === 0) seen.same += 1;
      else if ([...found.values()].some((at) => at > day)) seen.later += 1;
      else seen.changed += 1;
    }
    expect(seen.changed + seen.later, JSON.stringify(seen)).toBeGreaterThan(0);
  });
});

function load(plain: PlainPolicy): Policy | undefined {
  try {
    return loadPolicyAsIs(plain, folder);
  } catch {
    return undefined;
  }
}
