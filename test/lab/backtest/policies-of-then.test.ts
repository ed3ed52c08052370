/** An applicant of the past is decided by the policy of then, and a record whose policy is gone by none. */

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { TRUE } from '../../../src/decision/meaning/truth.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { type Backtest, BacktestTally } from '../../../src/lab/backtest/backtest.ts';
import { asOfDays, asOfLog } from '../../../src/lab/backtest/policies-of-then.ts';
import { addLog } from '../../../src/lab/impact/add-log.ts';
import { joinAll, joinFacts } from '../../../src/lab/impact/impact.ts';
import { OUTCOMES, type Policy } from '../../../src/policy/language.ts';
import { type LogFolder, localVerifier, logFolder, personOf } from '../../support/audit/decisions.ts';
import { aSmallPolicy, EVERYONE, loadSmall } from '../../support/lab/small-policies.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const OPTIONS = { by: [], worst: 100, compares: true } as const;

const aPolicy = aSmallPolicy.map(({ fallback, score, rules }) => loadSmall(fallback, score, rules));
const aDay = fc.integer({ min: 10, max: 29 }).map((day) => `2026-11-${day}`);

/** The counts of then and now, without those that did not change. */
const flowsIn = ({ flows = [] }: Backtest) =>
  Object.fromEntries(
    flows.filter((each) => each.applicants > 0).map((each) => [`${each.from} ${each.to}`, each.applicants]),
  );

const flowsOf = (outcomes: readonly (readonly [from: string, to: string])[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(outcomes, (each) => each.join(' '))).map(([flow, all]) => [flow, all?.length]),
  );

const outcomeBy = (policy: Policy, facts: Facts, day: string) => matcherOf(policy).outcome(facts, day).outcome;

describe('policies by their first days', () => {
  it('decide as each does alone on the applicants of its days, and none does before the first', () => {
    const dated = fc.uniqueArray(fc.tuple(aDay, aPolicy), { selector: ([day]) => day, minLength: 1, maxLength: 4 });
    const people = fc.array(fc.tuple(aDay, fc.constantFrom(...EVERYONE)), { maxLength: 60 });
    fc.assert(
      fc.property(dated, aPolicy, people, (unsorted, now, applicants) => {
        const policies = unsorted.map(([from, policy]) => ({ from, policy }));
        policies.sort((one, other) => (one.from < other.from ? -1 : 1));
        const joined = joinAll([...policies.map(({ policy }) => policy), now]);
        const itself = [now, now] as const;
        const tally = new BacktestTally(itself, { ...joined, policies: itself }, OPTIONS);
        const asOf = asOfDays(tally, policies, now, joined);
        for (const [i, [day, facts]] of applicants.entries()) asOf.add({ name: { line: i }, day, facts });
        const decided = applicants.flatMap(([day, facts]) => {
          const begun = policies.filter(({ from }) => from <= day);
          const then = begun[begun.length - 1]?.policy;
          return then ? [[outcomeBy(then, facts, day), outcomeBy(now, facts, day), then, facts, day] as const] : [];
        });
        const result = tally.result();
        expect(flowsIn(result)).toEqual(flowsOf(decided.map(([from, to]) => [from, to])));
        expect(result.undecided.policyMissing).toBe(applicants.length - decided.length);
        expect([result.rows, result.decided]).toEqual([applicants.length, decided.length]);
        expect(result.worst).toHaveLength(decided.filter(([from, to]) => from !== to).length);
        for (const { rule, firedBefore } of result.rules) {
          const fired = decided.filter(([, , then, facts, day]) =>
            matcherOf(then)
              .truths(facts, day)
              .some((each) => each.rule.id === rule && each.truth === TRUE),
          );
          const isKnown = decided.some(([, , then]) => then.rules.some(({ id }) => id === rule));
          if (decided.length > 0) expect(firedBefore).toBe(isKnown ? fired.length : undefined);
        }
      }),
      { numRuns: sampled(30, 5000) },
    );
  });
});

async function asOf(folder: LogFolder, now: Policy): Promise<Backtest> {
  const tally = new BacktestTally([now, now], joinFacts(now, now), OPTIONS);
  expect(await addLog(tally, asOfLog(tally, now, folder.place), folder.place, () => {})).toEqual([]);
  return tally.result();
}

/** Decides people by several policies in turns; gives the outcomes. */
async function decideBy(folder: LogFolder, policies: readonly Policy[], people: readonly [number, Facts][]) {
  const log = await folder.open({});
  const outcomes: string[] = [];
  for (const [which, facts] of people) {
    const policy = policies[which % policies.length];
    if (!policy) throw new Error('no policy');
    const decider = createDecider({ policy, verify: localVerifier, audit: log });
    const given = [...facts].flatMap(([path, fact]) => ('value' in fact ? [[path.split('.')[1], fact.value]] : []));
    outcomes.push((await decider.decide({}, { context: Object.fromEntries(given) })).outcome);
  }
  await log.close();
  return outcomes;
}

const LISTED = (entries: string) =>
  policyOf(`${HEAD}lists: { blocked: [${entries}] }
rules: [{ id: blocked, when: { applicant.email: { inList: blocked } }, then: reject }]
`);

describe('the policies that records name', () => {
  it('give the outcomes on record', async () => {
    const policies = fc.array(aPolicy, { minLength: 1, maxLength: 3 });
    const people = fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...EVERYONE)), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(policies, aPolicy, people, async (versions, now, applicants) => {
        const folder = await logFolder();
        const recorded = await decideBy(folder, versions, applicants);
        const { before, decided } = await asOf(folder, now);
        expect(decided).toBe(applicants.length);
        for (const outcome of OUTCOMES)
          expect(before?.[outcome]).toBe(recorded.filter((each) => each === outcome).length);
      }),
      { numRuns: sampled(3, 300) },
    );
  });

  it('have the lists of then: an entry of today is not one of last year', async () => {
    const folder = await logFolder();
    const [then, now] = [LISTED('somebody@example.com'), LISTED(personOf(0).email)];
    const log = await folder.open({});
    await createDecider({ policy: then, verify: localVerifier, audit: log }).decide(personOf(0));
    await log.close();
    expect(flowsIn(await asOf(folder, now))).toEqual({ 'accept reject': 1 });
    expect(flowsIn(await asOf(folder, then))).toEqual({ 'accept accept': 1 });
  });

  it('are not made up where the log has lost one, or what it said of an applicant was erased', async () => {
    const folder = await logFolder();
    const policy = LISTED(personOf(0).email);
    const other = policyOf(`${HEAD}rules: [{ id: all, when: { phone.valid: { known: true } }, then: review }]\n`);
    const log = await folder.open({});
    const decider = createDecider({ policy, verify: localVerifier, audit: log });
    const lost = createDecider({ policy: other, verify: localVerifier, audit: log });
    for (const n of [0, 1]) await decider.decide(personOf(n));
    await eraseSubject({ log, subject: personOf(0).email });
    await decider.decide(personOf(0));
    const kept = readdirSync(join(folder.dir, 'policies'));
    for (let i = 0; i < 2; i++) await lost.decide(personOf(i + 2));
    await log.close();
    for (const file of readdirSync(join(folder.dir, 'policies')))
      if (!kept.includes(file)) rmSync(join(folder.dir, 'policies', file));
    const { undecided, rows, decided } = await asOf(folder, other);
    expect([rows, decided]).toEqual([5, 1]);
    expect(undecided).toMatchObject({ erased: 2, policyMissing: 2, open: 0, unreadable: 0 });
  });
});
