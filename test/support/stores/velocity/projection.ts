/** Streams of decisions, repeats, notes, edits, live -> the store made again from the log answers as the live one. */

import fc from 'fast-check';
import { expect } from 'vitest';
import { addNote } from '../../../../src/audit/query/note.ts';
import { countNote } from '../../../../src/audit/query/seen.ts';
import { createDecider, decideNamed } from '../../../../src/decision/decide.ts';
import { createDecisionId } from '../../../../src/decision/request.ts';
import { planCounting } from '../../../../src/decision/velocity.ts';
import type { VelocityStore } from '../../../../src/decision/velocity-store.ts';
import { loadMapping } from '../../../../src/facts/mapping/mapping.ts';
import { readFacts } from '../../../../src/facts/read.ts';
import { velocitiesIn } from '../../../../src/facts/velocity.ts';
import { DISPOSITIONS, type Policy } from '../../../../src/policy/language.ts';
import { loadPolicyText } from '../../../../src/policy/read/parse.ts';
import { Filling } from '../../../../src/stores/velocity/filling.ts';
import { logFolder } from '../../audit/decisions.ts';
import { HEAD } from '../../policy/policy.ts';

const FACTS = `facts:
  context.device: { type: string }
  context.amount: { type: number }
  context.want: { type: enum, values: [accept, review, reject] }
`;
const RULES = `rules:
  - { id: no, when: { context.want: reject }, then: reject }
  - { id: maybe, when: { context.want: review }, then: review }
`;
const SHARED = `velocity:
  sameIp: { count: applications, by: ip, within: 1 day }
  emails: { count: distinct email, by: ip, within: 7 days }
  rejected: { count: applications, by: phoneNo, where: { outcome: reject }, within: 30 days }
  fraud: { count: applications, by: email, where: { disposition: fraud }, within: 30 days }
`;
const policyOf = (name: string, velocities: string) =>
  loadPolicyText(`${HEAD.replace(/policy: \w+/, `policy: ${name}`)}${FACTS}${velocities}${RULES}`);

const MORE = `  approved: { count: distinct email, by: context.device, where: { disposition: approve }, within: 30 days }
  pair: { count: applications, by: [ip, context.device], within: 2 days }
  limit: { count: sum context.amount, by: email, within: 7 days }
  first: { count: first, by: phoneNo, within: 30 days }
  mine: { count: last, by: email, where: { context.device: d1 }, within: 7 days }
`;
const SIGNUP = policyOf('signup', SHARED + MORE);
const LOGIN = policyOf('login', SHARED);
/** With a wider window, and a count that is new. */
const EDITED = policyOf(
  'login',
  `${SHARED.replace('by: ip, within: 1 day', 'by: ip, within: 3 days')}  devices: { count: distinct context.device, by: phoneNo, within: 7 days }\n`,
);

const mapping = loadMapping();
const [HOUR, DAY] = [3_600_000, 86_400_000];
const maybe = (...values: readonly string[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 4 });

const DECISION = fc.record({
  ...{ do: fc.constant('decide' as const), policy: fc.constantFrom('signup', 'login') },
  ...{ caller: fc.constantFrom('shop', 'app'), reference: fc.constantFrom('R-1', 'R-2', 'R-3', 'R-4') },
  passes: fc.constantFrom(0, 1, 60_000, HOUR, 5 * HOUR, 12 * HOUR, -HOUR, -5 * HOUR),
  phoneNo: maybe('12025550102', '12025550103'),
  email: maybe('a@one.example', 'b@one.example', 'c@two.example'),
  ip: maybe('203.0.113.7', '2a00:1450::1', 'no address'),
  device: maybe('d1', 'd2'),
  amount: fc.option(fc.constantFrom(0.1, 0.2, 1000.1), { nil: undefined }),
  want: fc.constantFrom('accept', 'review', 'reject'),
});
const STEP = fc.oneof(
  { weight: 8, arbitrary: DECISION },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ do: fc.constant('note' as const), disposition: fc.constantFrom(...DISPOSITIONS), of: fc.nat() },
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const) }) },
);

type Decision = typeof DECISION extends fc.Arbitrary<infer Each> ? Each : never;

export const STREAMS = fc.array(STEP, { minLength: 5, maxLength: 40 });

/** Decides a stream with one store, and has another made from the log: both answer alike, whoever asks next. */
export async function expectProjection(
  steps: typeof STREAMS extends fc.Arbitrary<infer Each> ? Each : never,
  { live, rebuilt }: { readonly live: VelocityStore; readonly rebuilt: VelocityStore },
): Promise<void> {
  const folder = await logFolder();
  const log = await folder.open();
  const inForce = new Map<string, Policy>([
    ['signup', SIGNUP],
    ['login', LOGIN],
  ]);
  const policies = () => inForce;
  const fillingOf = (store: VelocityStore) =>
    new Filling({ store, policies, place: folder.place, log: undefined, recordedWithinMs: 0, report: () => {} });
  await fillingOf(live).start();
  const deciders = new Map(
    [...inForce.keys()].map((name) => {
      const policy = () => inForce.get(name) as Policy;
      const verify = { verify: () => Promise.reject(new Error('the service was asked')) };
      return [name, createDecider({ policy, mapping, verify, velocity: live, audit: log, rememberMs: 0 })] as const;
    }),
  );
  const ids: string[] = [];
  let clock = Date.now() - 20 * DAY;
  for (const step of steps) {
    if (step.do === 'decide') {
      const { policy, caller, reference, passes, phoneNo, email, ip, device, amount, want } = step;
      clock += passes;
      const id = createDecisionId(clock);
      const context = { want, ...(device ? { device } : {}), ...(amount === undefined ? {} : { amount }) };
      const name = { id, decidedAtMs: clock, caller };
      const decider = deciders.get(policy);
      if (!decider) throw new Error(policy);
      await decideNamed(decider, name, { phoneNo, email, ip }, { clientReference: reference, context });
      ids.push(id);
    } else if (step.do === 'note') {
      const decision = ids[step.of % Math.max(1, ids.length)];
      if (decision === undefined) continue;
      await addNote({ log, decision, disposition: step.disposition, by: 'somebody', why: `${ids.length}` });
      await countNote({ place: folder.place, decision, velocity: live });
    } else {
      await fillingOf(live).fill('login', EDITED, false);
      inForce.set('login', EDITED);
      await fillingOf(live).fill('login', EDITED, true);
    }
  }
  await log.close();
  await fillingOf(rebuilt).start();
  // In place, it changes nothing.
  for (const store of [live, rebuilt]) {
    const filling = fillingOf(store);
    await filling.start();
    // Once all before it is filled.
    await filling.heal();
  }
  const people = steps.filter((step) => step.do === 'decide').slice(-12);
  for (const [i, person] of people.entries()) {
    for (const policy of inForce.values()) {
      const at = clock + ([-HOUR, 0, HOUR, 20 * HOUR, 3 * DAY][i % 5] ?? 0);
      const decision = createDecisionId(at);
      const answers = [];
      for (const store of [live, rebuilt]) answers.push(await askFor(store, policy, person, decision));
      expect(answers[1]).toEqual(answers[0]);
    }
  }
}

async function askFor(store: VelocityStore, policy: Policy, person: Decision, decision: string) {
  const { caller, reference, phoneNo, email, ip, device, amount } = person;
  const given = Object.entries({
    ...{ 'applicant.phoneNo': phoneNo, 'applicant.email': email, 'applicant.ip': ip },
    ...{ 'context.device': device, 'context.amount': amount },
  }).flatMap(([path, value]) => (value === undefined ? [] : [[path, { value }] as const]));
  const facts = readFacts(new Map(given), policy.facts, '2026-01-01');
  const seen = { decision, caller, reference, facts };
  const { counting, paths } = planCounting(policy.name, velocitiesIn(policy.facts), seen, store);
  const { application, counts } = await store.count({ ...counting, hasPast: true });
  return {
    application: application === decision ? 'new' : application,
    counts: paths.map((path, i) => [path, counts[i]]),
  };
}
