/** What each edit of a policy does to applicants: as two policies that are made by hand decide them. */

import { describe, expect, it } from 'vitest';
import { everyRowOn } from '../../../src/decision/matcher/columns.ts';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { columnsOf } from '../../../src/decision/matcher/row-columns.ts';
import type { GivenFact } from '../../../src/facts/fact.ts';
import { readFacts } from '../../../src/facts/read.ts';
import type { ApplicantRows } from '../../../src/lab/backtest/applicant-rows.ts';
import { BacktestTally, type DecidedRows } from '../../../src/lab/backtest/backtest.ts';
import type { Judged } from '../../../src/lab/backtest/label-counts.ts';
import { countEdits, type EditEffect, type Effect } from '../../../src/lab/impact/edit-effects.ts';
import type { Outcome, Policy } from '../../../src/policy/language.ts';
import { loadPolicyText } from '../../../src/policy/read/parse.ts';
import { addApplicants } from '../../support/lab/add-applicants.ts';
import { EDITED, policyWith } from '../../support/lab/edited-policy.ts';
import { HEAD } from '../../support/policy/policy.ts';

const DAY = '2026-11-20';

type Given = Readonly<Record<string, number | boolean | string>>;

/** Every combination of these values; undefined for a fact that is missing. */
function everyone(values: Readonly<Record<string, readonly (number | boolean | string | undefined)[]>>): Given[] {
  return Object.entries(values).reduce<Given[]>(
    (all, [path, own]) =>
      all.flatMap((each) => own.map((value) => (value === undefined ? each : { ...each, [path]: value }))),
    [{}],
  );
}

const givenFacts = (given: Given) =>
  new Map(Object.entries(given).map(([path, value]): [string, GivenFact] => [path, { value }]));

/** What the edits do to applicants, and the two policies. */
function effectsOf(policies: readonly [old: Policy, now: Policy], people: readonly Given[], time: object = {}) {
  const edits = countEdits(policies);
  if (!edits) throw new Error('no edits');
  const { joint } = edits;
  const tally = new BacktestTally(policies, joint, { by: [], worst: 0, compares: true, onRows: edits.addRows });
  addApplicants(
    tally,
    joint,
    people.map((given, i) => ({
      name: { line: i + 1 },
      day: DAY,
      ...time,
      facts: readFacts(givenFacts(given), joint.facts, DAY),
    })),
  );
  return { ...edits.result(), flows: tally.result().flows ?? [] };
}

const nameOf = ({ kind, name }: EditEffect) => `${kind} ${name}`;

const COUNT = 'velocity.sameIp';
const OLD_COUNT = `${COUNT} (as counted by the old policy)`;

describe('every kind of edit', () => {
  const [old, now] = [policyWith(() => false), policyWith(() => true)];
  const people = everyone({
    'phone.score': [70, 82, 96, undefined],
    'email.address.score': [45, 52, 65],
    'phone.type': ['voip', 'mobile', 'pager'],
    'phone.valid': [true, false],
    'phone.country': ['GB', 'IE', 'FR', 'US'],
    'context.income': [1000],
    'context.debts': [100, 470, 600, undefined],
    [OLD_COUNT]: [2, 4],
    [COUNT]: [4],
  });
  const effects = effectsOf([old, now], people);

  /** Each policy takes its own count under the name that it has. */
  const outcomesBy = (policy: Policy): readonly Outcome[] =>
    people.map(({ [OLD_COUNT]: before = 0, [COUNT]: after = 0, ...given }) => {
      const isOld = policy.facts.get(COUNT)?.velocity?.withinMs === 3_600_000;
      const facts = readFacts(givenFacts({ ...given, [COUNT]: isOld ? before : after }), policy.facts, DAY);
      return matcherOf(policy).outcome(facts, DAY).outcome;
    });
  const before = outcomesBy(old);
  const flowsTo = (after: readonly Outcome[]) => {
    const changes = before.flatMap((from, i) => (from === after[i] ? [] : `${from} ${after[i]}`));
    return new Map([...Map.groupBy(changes, (each) => each)].map(([change, { length }]) => [change, length]));
  };
  const counted = (effect: EditEffect['alone']) =>
    new Map(effect?.flows.map(({ from, to, applicants }) => [`${from} ${to}`, applicants]));

  it.each(EDITED)('%s: has the flows of the policies that are made by hand', (name) => {
    const edit = effects.edits.find((each) => nameOf(each) === name);
    const alone = flowsTo(outcomesBy(policyWith((each) => each === name)));
    expect(counted(edit?.alone)).toEqual(alone);
    expect(counted(edit?.left)).toEqual(flowsTo(outcomesBy(policyWith((each) => each !== name))));
    expect(edit?.alone?.changed).toBe([...alone.values()].reduce((sum, n) => sum + n, 0));
    expect(alone.size).toBeGreaterThan(0);
  });

  it('add up to those who change, each counted once', () => {
    const after = outcomesBy(now);
    const hands = EDITED.map((name) => outcomesBy(policyWith((each) => each === name)));
    const changed = [...before.keys()].filter((i) => before[i] !== after[i]);
    const doing = changed.map((i) => EDITED.filter((_, at) => hands[at]?.[i] === after[i]));
    const [only, several, together] = [
      doing.filter(({ length }) => length === 1).length,
      doing.filter(({ length }) => length > 1).length,
      doing.filter(({ length }) => length === 0).length,
    ];
    expect(effects).toMatchObject({ changed: changed.length, severalAlone: several, togetherOnly: together });
    expect(effects.edits.reduce((sum, each) => sum + each.only, 0)).toBe(only);
    expect(Math.min(only, several, together)).toBeGreaterThan(0);
    for (const [at, name] of EDITED.entries()) {
      const beyond = before.filter((from, i) => from === after[i] && hands[at]?.[i] !== from).length;
      const edit = effects.edits.find((each) => nameOf(each) === name);
      expect([name, edit?.only, edit?.notInWhole]).toEqual([
        name,
        doing.filter((names) => names.length === 1 && names[0] === name).length,
        beyond,
      ]);
    }
  });
});

it('those who change by one edit, by several, by none alone, and not by all, are told apart', () => {
  const policy = (limit: number, points: number, more = '') =>
    loadPolicyText(`${HEAD}facts: { context.staff: { type: boolean } }
score: { review: 60 }
rules:
  - { id: phone, when: { phone.score: { atLeast: ${limit} } }, then: review, whenUnknown: ignore }
  - { id: email, when: { email.address.score: { atLeast: ${limit} } }, then: review, whenUnknown: ignore }
  - { id: voip, when: { phone.type: voip }, points: ${points}, whenUnknown: ignore }
  - { id: free, when: { email.domain.type: free }, points: ${points}, whenUnknown: ignore }
${more}`);
  const staff = '  - { id: staff, when: { context.staff: true }, then: accept, final: true, whenUnknown: ignore }\n';
  const { edits, ...sums } = effectsOf(
    [policy(90, 20), policy(80, 30, staff)],
    [
      { 'phone.score': 85 },
      { 'phone.score': 86 },
      { 'phone.score': 85, 'email.address.score': 85 },
      { 'phone.type': 'voip', 'email.domain.type': 'free' },
      { 'email.address.score': 85, 'context.staff': true },
      { 'phone.score': 70 },
    ],
  );
  expect(sums).toMatchObject({ changed: 4, severalAlone: 1, togetherOnly: 1 });
  const review = (applicants: number) => ({
    changed: applicants,
    flows: [{ from: 'accept', to: 'review', applicants }],
  });
  const nobody = { changed: 0, flows: [] };
  expect(edits.map(({ texts: _, ...each }) => each)).toEqual([
    { kind: 'rule', name: 'phone', alone: review(3), left: review(2), only: 2, notInWhole: 0 },
    { kind: 'rule', name: 'email', alone: review(2), left: review(4), only: 0, notInWhole: 1 },
    { kind: 'rule', name: 'voip', alone: nobody, left: review(3), only: 0, notInWhole: 0 },
    { kind: 'rule', name: 'free', alone: nobody, left: review(3), only: 0, notInWhole: 0 },
    { kind: 'rule', name: 'staff', alone: nobody, left: review(5), only: 0, notInWhole: 0 },
  ]);
});

it('edits that cannot be read alone have no effect of their own, and their applicants change together only', () => {
  const policy = (value: string, test: string) =>
    loadPolicyText(`${HEAD}parameters: { limit: ${value} }
rules:
  - { id: one, when: { phone.${test} }, then: review, whenUnknown: ignore }
  - { id: two, when: { phone.${test}, phone.valid: false }, then: reject, whenUnknown: ignore }
`);
  const { edits, ...sums } = effectsOf(
    [
      policy('3', 'porting.portCount: { atLeast: $limit }'),
      policy('30 days', 'porting.portedDate: { withinLast: $limit }'),
    ],
    [{ 'phone.porting.portedDate': '2026-11-01' }, { 'phone.porting.portedDate': '2026-01-01' }],
  );
  expect(edits.map(({ texts: _, ...each }) => each)).toEqual(
    [
      ['rule', 'one'],
      ['rule', 'two'],
      ['parameter', 'limit'],
    ].map(([kind, name]) => ({ kind, name, only: 0, notInWhole: 0 })),
  );
  expect(sums).toMatchObject({ changed: 1, severalAlone: 0, togetherOnly: 1 });
});

it('labels and costs say what an edit does to frauds, good applicants and money', () => {
  const policy = (score: number, limit: number) =>
    loadPolicyText(`${HEAD}rules:
  - { id: phone, when: { phone.score: { atLeast: ${score} } }, then: reject, whenUnknown: ignore }
  - { id: email, when: { email.address.score: { atLeast: ${limit} } }, then: review, whenUnknown: ignore }
`);
  const costs = { review: 5, acceptedFraud: 900, rejectedGood: 60 };
  const edits = countEdits([policy(90, 90), policy(80, 80)], { costs });
  if (!edits) throw new Error('no edits');
  const people: readonly (readonly [Given, Judged['label']])[] = [
    [{ 'phone.score': 85 }, 'fraud'],
    [{ 'phone.score': 85 }, 'fraud'],
    [{ 'phone.score': 85 }, 'good'],
    [{ 'phone.score': 85 }, 'immature'],
    [{ 'email.address.score': 85 }, 'fraud'],
    [{ 'email.address.score': 85 }, 'good'],
    [{ 'email.address.score': 85 }, 'notLetIn'],
    [{ 'phone.score': 95 }, 'good'],
  ];
  const columns = columnsOf(
    people.map(([given]) => readFacts(givenFacts(given), edits.joint.facts, DAY)),
    edits.joint.read,
    edits.joint.facts,
  );
  const rows = { ...columns, days: everyRowOn(DAY), timeAt: () => undefined };
  const from = people.map(([given]) => (given['phone.score'] === 95 ? 'reject' : 'accept'));
  const to = people.map(([given]) => (given['phone.score'] ? 'reject' : 'review'));
  const judged = (row: number): Judged => ({ label: people[row]?.[1] ?? 'good', weight: 1 });
  edits.addRows(rows as unknown as ApplicantRows, { from, to, judged } as DecidedRows);
  const { edits: found, more } = edits.result();
  const shown = (each: Effect['more']) => [each?.caught.by, each?.goodRejected.by, each?.cost];
  // Of somebody who was not let in, it is not known whether they are a fraud.
  expect(shown(more)).toEqual([3, 1, { least: -1800 + 60 - 895 + 5 - 895, most: -1800 + 60 - 895 + 5 + 5 }]);
  expect(found.map(({ name, alone, left }) => [name, shown(alone?.more), shown(left?.more)])).toEqual([
    ['phone', [2, 1, { least: -1740, most: -1740 }], [1, 0, { least: -1785, most: -885 }]],
    ['email', [1, 0, { least: -1785, most: -885 }], [2, 1, { least: -1740, most: -1740 }]],
  ]);
});

it('a time zone that is edited decides each applicant on the day of the policy', () => {
  const policy = (zone: string, limit: number) =>
    loadPolicyText(`${HEAD}timeZone: ${zone}
rules:
  - { id: late, when: { phone.valid: false }, then: review, from: ${DAY} }
  - { id: high, when: { phone.score: { atLeast: ${limit} } }, then: review, whenUnknown: ignore }
`);
  // In Berlin it is the next day already.
  const time = { timeMs: Date.parse('2026-11-19T23:30:00Z') };
  const policies = [policy('Europe/London', 90), policy('Europe/Berlin', 80)] as const;
  const { edits } = effectsOf(policies, [{ 'phone.valid': false }, { 'phone.valid': true, 'phone.score': 85 }], time);
  const changed = edits.map((edit) => [nameOf(edit), edit.alone?.changed, edit.left?.changed]);
  expect(changed).toEqual([
    ['rule high', 1, 1],
    ['setting timeZone', 1, 1],
  ]);
});

it('there are none where nothing that decides is edited', () => {
  const [old, now] = ['1', '2'].map((version) =>
    loadPolicyText(`policy: test\nversion: "${version}"\ndefault: accept\n`),
  );
  expect(countEdits([old as Policy, now as Policy])).toBeUndefined();
});
