/** An applicant of the past is decided by the policy of then, and a record whose policy is gone by none. */

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { TRUE } from '../../../src/decision/meaning/truth.ts';
import { dayNumber } from '../../../src/facts/day.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { addLog } from '../../../src/lab/backtest/add-log.ts';
import { ChunkRows } from '../../../src/lab/backtest/applicant-rows.ts';
import { type Backtest, BacktestTally } from '../../../src/lab/backtest/backtest.ts';
import { joinAll, joinFacts } from '../../../src/lab/backtest/joint-facts.ts';
import { asOfDays, asOfLog } from '../../../src/lab/backtest/policies-of-then.ts';
import { OUTCOMES, type Policy } from '../../../src/policy/language.ts';
import { type LogFolder, localVerifier, logFolder, personOf } from '../../support/audit/decisions.ts';
import { addApplicants } from '../../support/lab/add-applicants.ts';
import { aSmallPolicy, EVERYONE, loadSmall } from '../../support/lab/small-policies.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';
import { memoryStore } from '../../support/stores/velocity/memory-store.ts';

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

const counting = (within: string, rest = '') =>
  policyOf(`${HEAD}velocity:
  seen: { count: applications, by: email, within: ${within} }
rules:
  - { id: seen, when: { velocity.seen: { atLeast: 2 } }, then: review }
${rest}`);

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
        const inLines = applicants.map(([day, facts], i) => ({ name: { line: i }, day, facts }));
        addApplicants(asOf, joined, inLines);
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
      { numRuns: sampled(10, 5000) },
    );
  });

  it('read the counts by their own definitions, of applicants and of rows', () => {
    const policies = [counting('7 days'), counting('1 day'), counting('1 hour')] as const;
    const dated = policies.slice(0, 2).map((policy, i) => ({ from: `2026-11-${10 + i}`, policy }));
    const [, , now] = policies;
    const joined = joinAll(policies);
    const names = ['7 days', '1 day'].map((within) => `velocity.seen (applications by email within ${within})`);
    expect([...joined.read]).toEqual([...names, 'velocity.seen']);
    const itself = [now, now] as const;
    const start = () => new BacktestTally(itself, { ...joined, policies: itself }, OPTIONS);
    const paths = [...names, 'velocity.seen'];
    // By 7 days, 1 day, 1 hour; on the first day the count of the week decides, on the second that of the day.
    const people = [[2, 1, 0] as const, [2, 2, 1] as const, [3, 2, 2] as const, [1, 1, 1] as const];
    const days = ['2026-11-10', '2026-11-11'];
    const everybody = days.flatMap((day) => people.map((counts) => ({ day, counts })));
    const [one, other] = [start(), start()];
    const applicants = everybody.map(({ day, counts }, line) => {
      const facts = new Map(paths.map((path, i) => [path, { value: counts[i] ?? 0 }]));
      return { name: { line }, day, facts };
    });
    addApplicants(asOfDays(one, dated, now, joined), joined, applicants);
    const columns = paths.map((path, i) => [path, { numbers: everybody.map(({ counts }) => counts[i] ?? 0) }] as const);
    const chunk = {
      ...{ rows: everybody.length, columns: new Map(columns), numberAt: (row: number) => row },
      ...{ referenceAt: () => undefined, problemAt: () => undefined, timeAt: () => undefined, decidedAt: () => ({}) },
      days: {
        at: (row: number) => everybody[row]?.day ?? '',
        numberAt: (row: number) => dayNumber(everybody[row]?.day ?? ''),
      },
    };
    asOfDays(other, dated, now, joined).addRows(new ChunkRows(chunk, joined), () => true);
    // Without a column of its own, the count of then is missing: it is not that of now.
    const lacking = start();
    const without = new ChunkRows({ ...chunk, columns: new Map(columns.slice(2)) }, joined);
    asOfDays(lacking, dated, now, joined).addRows(without, () => true);
    expect(flowsIn(lacking.result())).toEqual({ 'review review': 2, 'review accept': 6 });
    for (const tally of [one, other]) {
      expect(flowsIn(tally.result())).toEqual({ 'review accept': 3, 'review review': 2, 'accept accept': 3 });
    }
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

  it('counted in their way: the count of now is unknown, and the one on record is that of then', async () => {
    const folder = await logFolder();
    const log = await folder.open({});
    const [then, edited] = [counting('1 hour'), counting('1 day')];
    const decider = createDecider({ policy: then, verify: localVerifier, audit: log, velocity: memoryStore() });
    for (let i = 0; i < 3; i++) await decider.decide(personOf(0));
    await log.close();
    const { undecided } = await asOf(folder, edited);
    expect(undecided).toMatchObject({ open: 3, openFacts: { 'velocity.seen': 3 } });
    const all = '  - { id: all, when: { applicant.email: { known: true } }, then: reject }\n';
    expect(flowsIn(await asOf(folder, counting('1 day', all)))).toEqual({ 'accept reject': 2, 'review reject': 1 });
    expect(flowsIn(await asOf(folder, then))).toEqual({ 'accept accept': 2, 'review review': 1 });
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
