/** The impact of an edit on decisions on record: counted on their own days, and never guessed. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { addLog } from '../../../src/lab/backtest/add-log.ts';
import { type Backtest, BacktestTally } from '../../../src/lab/backtest/backtest.ts';
import { joinFacts } from '../../../src/lab/backtest/joint-facts.ts';
import type { GroupCount } from '../../../src/lab/backtest/outcome-counts.ts';
import { openDiff } from '../../../src/lab/diff/diff.ts';
import { placedIn } from '../../../src/lab/impact/impact.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { type LogFolder, localVerifier, logFolder, personOf } from '../../support/audit/decisions.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { memoryStore } from '../../support/stores/velocity/memory-store.ts';

const AT = '2026-11-20';

const FACTS = `facts:
  context.debt: { type: integer, personal: true }
  context.since: { type: date }
  context.channel: { type: enum, values: [web, shop] }
`;

const rulesOf = (review: number, reject: number, days: number) => `${HEAD}${FACTS}rules:
  - { id: some, when: { context.debt: { atLeast: ${review} } }, then: review, whenUnknown: ignore }
  - { id: much, when: { context.debt: { atLeast: ${reject} } }, then: reject, whenUnknown: ignore }
  - { id: new, when: { context.since: { withinLast: ${days} days } }, then: review, whenUnknown: ignore }
`;

const OLD = rulesOf(50, 80, 30);
const NEW = rulesOf(40, 90, 10);

interface Decided {
  readonly day: string;
  readonly context?: Readonly<Record<string, string | number>>;
  readonly person?: object;
}

/** Decides on applicants, each on a day of their own; gives the ids. */
async function decideOn(folder: LogFolder, policy: Policy, people: readonly Decided[]): Promise<string[]> {
  const audit = await folder.open();
  const velocity = memoryStore();
  const ids: string[] = [];
  for (const { day, context = {}, person = {} } of people) {
    const now = () => Date.parse(`${day}T12:00:00Z`);
    const decider = createDecider({ policy, verify: localVerifier, audit, now, velocity });
    ids.push((await decider.decide(person, { context })).id);
  }
  await audit.close();
  return ids;
}

/** `hasRegions`: with those of the difference, which takes a solver. */
async function impactOf(
  folder: LogFolder,
  policies: readonly [Policy, Policy],
  { worst = 5, hasRegions = false, by = undefined as string | undefined } = {},
) {
  const joint = joinFacts(...policies);
  const diff = hasRegions ? await openDiff(...policies, { at: AT }) : undefined;
  const seen = diff?.see();
  const onChanged = seen && ((...changed: Parameters<typeof seen.add>) => seen.add(...changed));
  const options = { by: by === undefined ? [] : [by], worst, compares: true, onChanged };
  const tally = new BacktestTally(policies, joint, options);
  const unreadable = await addLog(tally, joint, { dir: folder.dir, keys: folder.keys }, () => {});
  const regions = (await diff?.find(seen))?.regions ?? [];
  const backtest = tally.result();
  return { ...backtest, ...placedIn(regions, backtest, { at: AT, seen }), unreadable, regions };
}

/** The changes by the values of a fact, of these decisions. */
async function groupsBy(by: string, people: readonly Decided[]) {
  const folder = await logFolder();
  const policies = [policyOf(OLD), policyOf(NEW)] as const;
  await decideOn(folder, policies[0], people);
  const [group] = (await impactOf(folder, policies, { by })).groups;
  const changesOf = ({ applicants, changed, changes }: GroupCount) => ({ applicants, changed, changes });
  const { others } = group ?? {};
  return {
    values: (group?.values ?? []).map(({ value, ...each }) => ({ value, ...changesOf(each) })),
    ...(others ? { others: { values: others.values, ...changesOf(others) } } : {}),
  };
}

/** The flows that have applicants, as `review to accept 3`. */
const flowsOf = ({ flows = [] }: Backtest) =>
  flows.flatMap(({ from, to, applicants }) => (applicants > 0 ? [`${from} to ${to} ${applicants}`] : []));

describe('the impact by the values of a fact', () => {
  it('has the commonest values first, changes the worst first, and those without a value as one', async () => {
    const of = (debt: number, channel?: string): Decided => {
      return { day: AT, context: { debt, ...(channel === undefined ? {} : { channel }) } };
    };
    const people = [of(45, 'shop'), of(85, 'shop'), of(10, 'web'), of(45, 'web'), of(45, 'web'), of(85)];
    expect(await groupsBy('context.channel', people)).toEqual({
      values: [
        { value: 'web', applicants: 3, changed: 2, changes: [{ from: 'accept', to: 'review', applicants: 2 }] },
        {
          ...{ value: 'shop', applicants: 2, changed: 2 },
          changes: [
            { from: 'reject', to: 'review', applicants: 1 },
            { from: 'accept', to: 'review', applicants: 1 },
          ],
        },
        { value: null, applicants: 1, changed: 1, changes: [{ from: 'reject', to: 'review', applicants: 1 }] },
      ],
    });
  });

  it('sums the values beyond the commonest, and has months in their order', async () => {
    const people = Array.from({ length: 23 }, (_, debt) => ({ day: AT, context: { debt } }));
    const { values, others } = await groupsBy('context.debt', people);
    expect(values).toHaveLength(20);
    expect(others).toEqual({ values: 3, applicants: 3, changed: 0, changes: [] });
    const months = ['2026-09-30', '2026-10-01', '2026-11-02', '2026-11-03'].map((day) => ({ day }));
    expect((await groupsBy('month', months)).values.map(({ value }) => value)).toEqual([
      '2026-09',
      '2026-10',
      '2026-11',
    ]);
  });
});

describe('the impact on decisions on record', () => {
  it('has their flows, reviews a day, regions and the worst with the reasons of both policies', async () => {
    const folder = await logFolder();
    const policies = [policyOf(OLD), policyOf(NEW)] as const;
    const debts = [10, 45, 45, 60, 85, 95];
    const days = ['2026-11-01', '2026-11-02', '2026-11-04'];
    const ids = await decideOn(
      folder,
      policies[0],
      days.flatMap((day) => debts.map((debt) => ({ day, context: { debt } }))),
    );
    const impact = await impactOf(folder, policies, { worst: 4, hasRegions: true });
    expect(flowsOf(impact)).toEqual([
      'accept to accept 3',
      'accept to review 6',
      'review to review 3',
      'reject to review 3',
      'reject to reject 3',
    ]);
    expect(impact).toMatchObject({ decided: 18, changed: 9, outsideRegions: 0, unreadable: [] });
    expect(impact.flows?.[1]?.share).toBeCloseTo(6 / 18);
    // Three days of decisions, over four days of the calendar.
    expect(impact).toMatchObject({ period: { days: 4 }, before: { review: 3 }, outcomes: { review: 12 } });
    const inRegions = impact.regions.map(({ from, to, applicants }) => `${from} ${to} ${applicants}`).sort();
    expect(inRegions).toEqual(['accept review 6', 'reject review 3', 'review accept 0']);
    const worst = (impact.worst ?? []).map(({ name, day, from, to, reasons }) => [name, day, from, to, reasons]);
    const loosened = { old: ['MUCH'], new: ['SOME'] };
    expect(worst.slice(0, 3)).toEqual(
      days.map((day, i) => [{ decision: ids[6 * i + 4] }, day, 'reject', 'review', loosened]),
    );
    expect(worst[3]?.slice(2)).toEqual(['accept', 'review', { old: ['DEFAULT'], new: ['SOME'] }]);
    expect(worst).toHaveLength(4);
  });

  it('takes ages on the day of each decision', async () => {
    const folder = await logFolder();
    const policies = [policyOf(OLD), policyOf(NEW)] as const;
    await decideOn(folder, policies[0], [
      // 20 days old on its own day, 320 on the day of the diff.
      { day: '2026-01-24', context: { since: '2026-01-04' } },
      // 5 days old on its own day, and 35: no change on either.
      { day: '2026-10-21', context: { since: '2026-10-16' } },
      { day: '2026-10-21', context: { since: '2026-09-16' } },
    ]);
    const impact = await impactOf(folder, policies, { hasRegions: true });
    expect(flowsOf(impact)).toEqual(['accept to accept 1', 'review to accept 1', 'review to review 1']);
    expect(impact.regions.reduce((sum, { applicants = 0 }) => sum + applicants, 0)).toBe(1);
    expect(impact.outsideRegions).toBe(0);
  });

  it('counts erased, aborted and malformed decisions apart', async () => {
    const folder = await logFolder();
    const policies = [policyOf(OLD), policyOf(NEW)] as const;
    const people = [0, 1, 2].map((n) => ({ day: AT, context: { debt: 85 }, person: personOf(n) }));
    await decideOn(folder, policies[0], people);
    const audit = await folder.open();
    await eraseSubject({ log: audit, subject: personOf(1).email });
    const controller = new AbortController();
    const aborting: typeof localVerifier = {
      verify: (request) => localVerifier.verify(request).finally(() => controller.abort()),
    };
    const asking = policyOf(`${OLD}  - { id: phone, when: { phone.riskLevel: veryHigh }, then: review }\n`);
    const decider = createDecider({ policy: asking, verify: aborting, audit });
    await expect(decider.decide(personOf(3), { signal: controller.signal })).rejects.toThrow();
    await audit.close();
    const impact = await impactOf(folder, policies);
    expect(flowsOf(impact)).toEqual(['reject to review 2']);
    expect(impact.undecided).toMatchObject({ unreadable: 0, erased: 1, aborted: 1, open: 0, openFacts: {} });
  });

  it('does not guess facts that are not on record', async () => {
    const folder = await logFolder();
    const more = '  - { id: more, when: { context.loans: { atLeast: 3 } }, then: review }\n';
    const loans = '  context.loans: { type: integer }\n';
    const policies = [policyOf(OLD), policyOf(OLD.replace(FACTS, FACTS + loans) + more)] as const;
    await decideOn(folder, policies[0], [
      { day: AT, context: { debt: 85 } },
      { day: AT, context: { debt: 60 } },
      // What the new rule says of this one, nobody knows.
      { day: AT, context: { debt: 10 } },
    ]);
    const impact = await impactOf(folder, policies);
    expect(flowsOf(impact)).toEqual(['review to review 1', 'reject to reject 1']);
    expect(impact.undecided).toMatchObject({ open: 1, openFacts: { 'context.loans': 1 } });
  });

  it('computes facts as each policy does, and does not guess what either computes them from', async () => {
    const folder = await logFolder();
    const computing = (operand: string, factor: number) =>
      policyOf(`${HEAD}facts:
  context.${operand}: { type: integer }
  context.burden: { type: integer, compute: { product: [context.${operand}, ${factor}] } }
rules: [{ id: much, when: { context.burden: { atLeast: 100 } }, then: review, whenUnknown: ignore }]
`);
    const old = computing('debt', 2);
    await decideOn(folder, old, [
      { day: AT, context: { debt: 40 } },
      { day: AT, context: { debt: 30 } },
    ]);
    const policies = [old, computing('debt', 3)] as const;
    const impact = await impactOf(folder, policies, { hasRegions: true });
    expect(flowsOf(impact)).toEqual(['accept to accept 1', 'accept to review 1']);
    expect(impact).toMatchObject({ outsideRegions: 0, worst: [{ reasons: { old: ['DEFAULT'], new: ['MUCH'] } }] });
    const other = computing('loans', 2);
    for (const pair of [[old, other] as const, [other, old] as const]) {
      expect((await impactOf(folder, pair)).undecided).toMatchObject({ open: 2, openFacts: { 'context.loans': 2 } });
    }
  });

  it('does not guess the facts of calls that were spared', async () => {
    const folder = await logFolder();
    const staged = (email: string) => `${HEAD}stages: [[phoneNo], [phoneNo, email, ip]]\n${FACTS}rules:
  - { id: debt, when: { context.debt: { atLeast: 80 } }, then: reject, final: true }
  - { id: phone, when: { phone.score: { atLeast: 0 } }, then: review }
  - { id: email, when: { email.address.riskLevel: { atLeast: high } }, then: ${email} }
`;
    const policies = [policyOf(staged('review')), policyOf(staged('reject'))] as const;
    const [spared, final] = await decideOn(folder, policies[0], [
      { day: AT, context: { debt: 10 }, person: personOf(0) },
      { day: AT, context: { debt: 90 }, person: personOf(0) },
      // The phone number alone is known: the email is missing, not spared.
      { day: AT, context: { debt: 10 }, person: { phoneNo: personOf(0).phoneNo } },
    ]);
    expect([spared, final]).not.toContain(undefined);
    const impact = await impactOf(folder, policies);
    expect(flowsOf(impact)).toEqual(['review to review 1', 'reject to reject 1']);
    expect(impact.undecided).toMatchObject({ open: 1, openFacts: { 'email.address.riskLevel': 1 } });
  });

  it('reads a value that only one policy has as unknown to the other', async () => {
    const folder = await logFolder();
    const rule = '  - { id: phone, when: { not: { context.channel: shop } }, then: reject, whenUnknown: ignore }\n';
    const wider = FACTS.replace('[web, shop]', '[web, shop, phone]');
    const policies = [policyOf(OLD + rule), policyOf(OLD.replace(FACTS, wider) + rule)] as const;
    await decideOn(folder, policies[1], [
      { day: AT, context: { channel: 'phone' } },
      { day: AT, context: { channel: 'web' } },
    ]);
    expect(flowsOf(await impactOf(folder, policies))).toEqual(['accept to reject 1', 'reject to reject 1']);
    // Without the channel, the old policy depends on a fact that is not on record.
    const more = `${rule}  - { id: more, when: { context.loans: { atLeast: 3 } }, then: review }\n`;
    const lending = [FACTS, wider].map((facts) => `${facts}  context.loans: { type: integer }\n`);
    const [old = '', now = ''] = lending.map((facts) => OLD.replace(FACTS, facts) + more);
    const impact = await impactOf(folder, [policyOf(old), policyOf(now)]);
    expect(flowsOf(impact)).toEqual(['reject to reject 1']);
    expect(impact.undecided.open).toBe(1);
  });

  describe('whose policies count earlier applications otherwise', () => {
    const counting = (within: string, rest = '') =>
      policyOf(`${HEAD}facts:
  context.most: { type: number, compute: { product: [velocity.seen, 2] } }
velocity:
  seen: { count: applications, by: email, within: ${within} }
rules:
  - { id: seen, when: { velocity.seen: { atLeast: 2 } }, then: review }
  - { id: most, when: { context.most: { atLeast: 6 } }, then: reject }
${rest}`);
    const everybody = '  - { id: all, when: { applicant.email: { known: true } }, then: reject }\n';
    const byWindow = (within: string) => [counting(within), counting(within, everybody)] as const;

    const recordedBy = async (policy: Policy) => {
      const folder = await logFolder();
      await decideOn(
        folder,
        policy,
        [0, 1, 2, 3].map(() => ({ day: AT, person: personOf(0) })),
      );
      return folder;
    };

    it('has the count on record for the policy that counts as that of the record, and none for the other', async () => {
      const [[then, certain], [edited, editedCertain]] = [byWindow('1 hour'), byWindow('1 day')];
      const folder = await recordedBy(then);
      const open = { open: 4, openFacts: { 'velocity.seen': 4, 'context.most': 4 } };
      expect((await impactOf(folder, [then, edited])).undecided).toMatchObject(open);
      const own = {
        'velocity.seen (as counted by the old policy)': 4,
        'context.most (as computed by the old policy)': 4,
      };
      expect((await impactOf(folder, [edited, then])).undecided).toMatchObject({ open: 4, openFacts: own });
      const expected = ['accept to reject 2', 'review to reject 1', 'reject to reject 1'];
      expect(flowsOf(await impactOf(folder, [then, editedCertain]))).toEqual(expected);
      const back = ['reject to accept 2', 'reject to review 1', 'reject to reject 1'];
      expect(flowsOf(await impactOf(folder, [editedCertain, then]))).toEqual(back);
      expect(flowsOf(await impactOf(folder, [certain, then]))).toEqual(back);
    });

    it('has none where the record is by a third, or by a policy that the log has lost', async () => {
      const [[then], [edited, editedCertain]] = [byWindow('1 hour'), byWindow('1 day')];
      const folder = await recordedBy(counting('7 days'));
      expect((await impactOf(folder, [then, edited])).undecided).toMatchObject({
        open: 4,
        openFacts: expect.objectContaining({ 'velocity.seen': 4, 'velocity.seen (as counted by the old policy)': 4 }),
      });
      expect((await impactOf(folder, [counting('7 days'), editedCertain])).undecided.open).toBe(0);
      rmSync(join(folder.dir, 'policies'), { recursive: true });
      for (const now of [counting('7 days'), editedCertain])
        expect((await impactOf(folder, [counting('7 days'), now])).undecided.open).toBe(4);
      expect((await impactOf(folder, [editedCertain, editedCertain])).undecided.open).toBe(0);
    });
  });
});
