/** Applications through `decide`, with a store of velocity -> what is counted, what is missing, and what is added. */

import * as fc from 'fast-check';
import { describe, expect, it, test, vi } from 'vitest';
import { replayLog } from '../../src/audit/query/replay/replay.ts';
import { knownOf } from '../../src/audit/query/seen.ts';
import { APPLICATION_MS, beganAt } from '../../src/decision/application.ts';
import { createDecider } from '../../src/decision/decide.ts';
import type { AuditEntry, AuditLog, Decision } from '../../src/decision/decision.ts';
import type { DeciderEvent } from '../../src/decision/events.ts';
import type { Verifier } from '../../src/decision/fetch/service-call.ts';
import { planErasure } from '../../src/decision/velocity.ts';
import type { Counted, VelocityStore } from '../../src/decision/velocity-store.ts';
import { CodedCause } from '../../src/errors.ts';
import { type Fact, isMissing } from '../../src/facts/fact.ts';
import { loadMapping } from '../../src/facts/mapping/mapping.ts';
import { velocitiesIn } from '../../src/facts/velocity.ts';
import { networkOf, readIpv6 } from '../../src/platform/formats/ip.ts';
import type { Disposition, Outcome, Policy } from '../../src/policy/language.ts';
import { loadPolicyText } from '../../src/policy/read/parse.ts';
import type { IdentityVariable } from '../../src/signals/variables.ts';
import { rebuildStore } from '../../src/stores/velocity/rebuild.ts';
import { logFolder } from '../support/audit/decisions.ts';
import { HEAD } from '../support/policy/policy.ts';
import { sampled } from '../support/sampled.ts';
import { memoryStore } from '../support/stores/velocity/memory-store.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const NOON = Date.UTC(2026, 10, 20, 12);

const POLICY = `${HEAD}facts:
  context.device: { type: string }
  context.want: { type: enum, values: [accept, review, reject] }
velocity:
  sameIp: { count: applications, by: ip, within: 1 hour }
  phones: { count: distinct phoneNo, by: ip, within: 7 days }
  subnet: { count: applications, by: ip/24, within: 1 hour }
  customer: { count: applications, by: ip/64, within: 1 day }
  domain: { count: applications, by: emailDomain, within: 30 minutes }
  device: { count: distinct email, by: context.device, within: 7 days }
  rejected: { count: applications, by: phoneNo, where: { outcome: reject }, within: 30 days }
  fraud: { count: applications, by: email, where: { disposition: fraud }, within: 30 days }
rules:
  - { id: no, when: { context.want: reject }, then: reject }
  - { id: maybe, when: { context.want: review }, then: review }
  - id: all
    when:
      any:
        - velocity.sameIp: { above: 10 }
        - velocity.phones: { above: 10 }
        - velocity.subnet: { above: 10 }
        - velocity.customer: { above: 10 }
        - velocity.domain: { above: 10 }
        - velocity.device: { above: 10 }
        - velocity.rejected: { above: 10 }
        - velocity.fraud: { above: 10 }
    then: review
    mode: shadow
`;
const policy = loadPolicyText(POLICY);
/** Read once: each decider would read it. */
const mapping = loadMapping();

/** No rule of these policies reads what the service knows. */
const verify: Verifier = { verify: () => Promise.reject(new Error('the service was asked')) };

/** A log that keeps what it records. */
function keepingLog() {
  const entries: AuditEntry[] = [];
  const log: AuditLog = {
    ...{ mode: 'required', check: async () => {}, record: async (entry) => void entries.push(entry) },
    hasDecisions: async () => false,
  };
  return { log, entries };
}

interface Application {
  readonly reference: string;
  readonly at: number;
  readonly phoneNo: string;
  readonly email: string;
  readonly ip: string;
  readonly device: string;
  readonly want: Outcome;
}

const SOMEBODY: Application = {
  ...{ reference: 'A-1', at: NOON, phoneNo: '+1 202 555 0102', email: 'Jo@Mail.Example', ip: '203.0.113.7' },
  ...{ device: 'd1', want: 'accept' },
};

/** Decides an application. Gives the decision, and the facts of its record by the names of the velocities. */
async function decideOn(
  store: VelocityStore | undefined,
  application: Application,
  by: Policy = policy,
  more = {},
  deadlineMs?: number,
) {
  const { reference, at, phoneNo, email, ip, device, want } = application;
  const { log, entries } = keepingLog();
  const events: DeciderEvent[] = [];
  const decider = createDecider({
    ...{ policy: by, mapping, verify, audit: log, rememberMs: 0, now: () => at },
    onEvent: (event) => events.push(event),
    ...(store ? { velocity: store } : {}),
    ...more,
  });
  const context = by.facts.has('context.want') ? { context: { device, want } } : {};
  const options = { ...context, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
  const decision = await decider.decide({ phoneNo, email, ip }, { clientReference: reference, ...options });
  const facts = entries[0]?.facts ?? new Map<string, Fact>();
  return { decision, events, counts: countsIn(facts), application: entries[0]?.application ?? decision.id };
}

function countsIn(facts: ReadonlyMap<string, Fact>): Record<string, number | string> {
  const counts = [...facts].filter(([path]) => path.startsWith('velocity.'));
  return Object.fromEntries(
    counts.map(([path, fact]) => [
      path.slice('velocity.'.length),
      isMissing(fact) ? fact.missing : (fact.value as number),
    ]),
  );
}

const allOf = (value: number | string) =>
  Object.fromEntries([...velocitiesIn(policy.facts).keys()].map((path) => [path.slice('velocity.'.length), value]));

/** The counts as they are said: by walking through everything that was seen. */
function plainReference() {
  const applications = new Map<string, Application>();
  const counted = new Map<string, Record<string, number>>();
  const rejected = new Set<string>();
  const frauds = new Map<string, Application>();
  const within = ({ at }: Application, now: Application, ms: number) => at > now.at - ms;
  const distinct = (found: Application[], value: (each: Application) => string) => new Set(found.map(value)).size;
  return {
    see(now: Application): Record<string, number> {
      const earlier = counted.get(now.reference);
      const past = (same: (each: Application) => string, ms: number, of = [...applications.values()]) =>
        of.filter((each) => same(each) === same(now) && within(each, now, ms));
      const first24 = ({ ip }: Application) => ip.split('.').slice(0, 3).join();
      const counts = earlier ?? {
        sameIp: past(({ ip }) => ip, HOUR).length,
        phones: distinct(
          past(({ ip }) => ip, 7 * DAY),
          ({ phoneNo }) => phoneNo,
        ),
        subnet: past(first24, HOUR).length,
        customer: past(({ ip }) => ip, DAY).length,
        domain: past(({ email }) => email.split('@')[1] ?? '', 30 * MINUTE).length,
        device: distinct(
          past(({ device }) => device, 7 * DAY),
          ({ email }) => email,
        ),
        rejected: past(({ phoneNo }) => phoneNo, 30 * DAY).filter(({ reference }) => rejected.has(reference)).length,
        fraud: past(({ email }) => email, 30 * DAY, [...frauds.values()]).length,
      };
      if (!earlier) applications.set(now.reference, now);
      counted.set(now.reference, counts);
      if (now.want === 'reject') rejected.add(now.reference);
      return counts;
    },
    note(reference: string, disposition: Disposition): void {
      const noted = applications.get(reference);
      if (noted && disposition === 'fraud') frauds.set(reference, noted);
      if (disposition === 'genuine') frauds.delete(reference);
    },
  };
}

const pick = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);

/** An application, or a note about one of those before; the clock may stand still, jump or be set back. */
const STEPS = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        again: fc.nat({ max: 8 }),
        passes: pick(0, 1, MINUTE, 31 * MINUTE, HOUR, DAY, 8 * DAY, 31 * DAY, -MINUTE, -DAY),
        phoneNo: pick('12025550102', '12025550103', '12025550104'),
        email: pick('a@one.example', 'b@one.example', 'a@two.example'),
        ip: pick('203.0.113.7', '203.0.113.8', '198.51.100.7'),
        device: pick('d1', 'd2'),
        want: pick<Outcome>('accept', 'review', 'reject'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ note: pick<Disposition>('fraud', 'genuine', 'approve'), of: fc.nat() }) },
  ),
  { maxLength: 25 },
);

test('random streams of applications, repeats and notes are counted as the plain reference counts', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const [store, reference] = [memoryStore(), plainReference()];
      const applications: (Application & { readonly id: string })[] = [];
      let [clock, notes] = [NOON, 0];
      for (const step of steps) {
        if ('note' in step) {
          const noted = applications[step.of % Math.max(1, applications.length)];
          if (!noted) continue;
          const known = knownOf([{ disposition: step.note, at: new Date(++notes).toISOString() }]);
          const asking = { decision: noted.id, application: noted.id, reference: store.hash(''), applicant: {} };
          await store.know({ ...asking, known });
          reference.note(noted.reference, step.note);
          continue;
        }
        const { again, passes, ...values } = step;
        clock += passes;
        const last = again === 0 ? applications.at(-1) : undefined;
        const earlier = last && Math.abs(clock - beganAt(last.id)) < APPLICATION_MS ? last : undefined;
        const name = earlier?.reference ?? `R-${applications.length}`;
        const seen = earlier ? { ...earlier, at: clock } : { reference: name, at: clock, ...values };
        const { decision, counts, application } = await decideOn(store, seen);
        applications.push({ ...seen, id: application });
        expect(counts).toEqual(reference.see(seen));
        expect(decision.outcome).toBe(seen.want);
      }
    }),
    { numRuns: sampled(7, 2_000) },
  );
});

test('200 applications at once from one IP address see 0 to 199, each number once', async () => {
  const store = memoryStore();
  const all = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      decideOn(store, { ...SOMEBODY, reference: `R-${i}`, phoneNo: `+1202555${1000 + i}` }),
    ),
  );
  const seen = all.map(({ counts }) => counts['sameIp'] as number).sort((a, b) => a - b);
  expect(seen).toEqual(Array.from({ length: 200 }, (_, i) => i));
});

describe('an application', () => {
  it('without a reference is counted by the id of its decision', async () => {
    const store = memoryStore();
    const decider = createDecider({ policy, mapping, verify, velocity: store, now: () => NOON });
    const { phoneNo, email, ip } = SOMEBODY;
    for (let i = 0; i < 3; i++) await decider.decide({ phoneNo, email, ip }, { context: { want: 'accept' } });
    expect((await decideOn(store, SOMEBODY)).counts).toMatchObject({ sameIp: 3, phones: 1 });
  });

  it('is the same in another spelling', async () => {
    const store = memoryStore();
    await decideOn(store, { ...SOMEBODY, want: 'reject' });
    const other = { reference: 'A-2', phoneNo: '0012025550102', email: 'JO@mail.example.', ip: '::ffff:203.0.113.7' };
    const { counts } = await decideOn(store, { ...SOMEBODY, ...other });
    expect(counts).toMatchObject({ sameIp: 1, phones: 1, domain: 1, device: 1, rejected: 1 });
  });

  it('with an IPv6 address is counted by it and by its network, though the service takes none', async () => {
    const store = memoryStore();
    await decideOn(store, { ...SOMEBODY, ip: '2001:db8:0:1::1' });
    const { counts } = await decideOn(store, { ...SOMEBODY, reference: 'A-2', ip: '2001:DB8:0:1::2' });
    expect(counts).toMatchObject({ sameIp: 0, subnet: 1, customer: 1 });
    const again = await decideOn(store, { ...SOMEBODY, reference: 'A-3', ip: '2001:0db8::1:0:0:0:2' });
    expect(again.counts).toMatchObject({ sameIp: 1, subnet: 2, customer: 2 });
  });

  it('without a value has no counts by it, and all others', async () => {
    const store = memoryStore();
    const { decision, counts } = await decideOn(store, { ...SOMEBODY, ip: 'fe80::1', email: 'no address' });
    const none = { sameIp: 'notGiven', phones: 'notGiven', subnet: 'notGiven', customer: 'notGiven' };
    expect(counts).toEqual({ ...none, domain: 'notGiven', device: 0, rejected: 0, fraud: 'notGiven' });
    expect(decision.shadow).toMatchObject([{ rule: 'all', result: 'undetermined' }]);
  });

  it('is counted by the edited policy, and a new count is incomplete', async () => {
    const store = memoryStore();
    await decideOn(store, { ...SOMEBODY, reference: 'A-0' });
    await decideOn(store, SOMEBODY);
    const edited = loadPolicyText(
      POLICY.replace(
        'sameIp: { count: applications, by: ip, within: 1 hour }\n',
        'sameIp: { count: distinct email, by: ip, within: 1 hour }\n',
      ),
    );
    expect((await decideOn(store, SOMEBODY, edited)).counts).toMatchObject({ sameIp: 'incomplete', phones: 1 });
  });

  it('is found by later ones while it is decided: it is counted before the service answers', async () => {
    const store = memoryStore();
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<never>();
    const slow: Verifier = {
      verify: () => {
        asked.resolve();
        return answer.promise;
      },
    };
    // Though no rule reads a count on this day.
    const later = POLICY.replace('mode: shadow', 'from: 2027-01-01');
    const reading = loadPolicyText(`${later}  - { id: voip, when: { phone.type: voip }, then: review }\n`);
    const first = decideOn(store, SOMEBODY, reading, { verify: slow });
    await asked.promise;
    const { counts } = await decideOn(store, { ...SOMEBODY, reference: 'A-2' });
    expect(counts).toMatchObject({ sameIp: 1 });
    answer.reject(new Error('no answer'));
    expect((await first).counts).toEqual(allOf(0));
  });
});

const BURST =
  loadPolicyText(`${HEAD}velocity: { sameIp: { count: applications, by: ip, within: 1 hour }, no: { count: applications, by: ip, where: { outcome: reject }, within: 1 hour } }
rules:
  - { id: burst, when: { velocity.sameIp: { atLeast: 1 } }, then: reject }
  - { id: before, when: { velocity.no: { atLeast: 1 } }, then: review }
`);

const failing = (how: Partial<VelocityStore>): VelocityStore => ({ ...memoryStore(), ...how });
const never = () => new Promise<never>(() => {});
const ID = '019a0000-0000-7000-8000-000000000000';

const isReviewed = ({ outcome, undetermined, signals }: Decision, cause: string) => {
  expect(outcome).toBe('review');
  expect(undetermined.map(({ rule, missing }) => [rule, missing])).toEqual([
    ['burst', [{ fact: 'velocity.sameIp', cause }]],
    ['before', [{ fact: 'velocity.no', cause }]],
  ]);
  expect(signals.missing).toEqual({ 'velocity.sameIp': cause, 'velocity.no': cause });
};

describe.each(['matcher', 'live'] as const)('by the %s runner', (runner) => {
  it('a decision rests on the counts', async () => {
    const store = memoryStore();
    const first = await decideOn(store, SOMEBODY, BURST, { runner });
    const second = await decideOn(store, { ...SOMEBODY, reference: 'A-2' }, BURST, { runner });
    const third = await decideOn(store, { ...SOMEBODY, reference: 'A-3' }, BURST, { runner });
    expect([first, second, third].map(({ decision }) => decision.outcome)).toEqual(['accept', 'reject', 'reject']);
    expect([first, second, third].map(({ counts }) => counts)).toEqual([
      { sameIp: 0, no: 0 },
      { sameIp: 1, no: 0 },
      { sameIp: 2, no: 1 },
    ]);
  });

  const FAILURES: [what: string, store: VelocityStore][] = [
    ['rejects', failing({ count: () => Promise.reject(new Error('down')) })],
    [
      'throws',
      failing({
        count: () => {
          throw new Error('down');
        },
      }),
    ],
    ['hangs', failing({ count: never })],
    [
      'has no hash',
      failing({
        hash: () => {
          throw new Error('no key');
        },
      }),
    ],
    ['gives too few numbers', failing({ count: async () => ({ application: ID, counts: [0] }) })],
    ['gives what is no number', failing({ count: async () => ({ application: ID, counts: [0, Number.NaN] }) })],
    ['gives holes', failing({ count: async () => ({ application: ID, counts: new Array(2) }) })],
    ['gives no application', failing({ count: async () => ({ counts: [0, 0] }) as unknown as Counted })],
    ['gives nothing', failing({ count: async () => undefined as unknown as Counted })],
  ];

  it.each(FAILURES)('a store that %s leads to review', async (_, store) => {
    const decider = createDecider({ policy: BURST, mapping, verify, velocity: store, runner });
    const { phoneNo, email, ip } = SOMEBODY;
    isReviewed(await decider.decide({ phoneNo, email, ip }, { deadlineMs: 50 }), 'sourceFailed');
  });

  it('no store leads to review', async () => {
    const { decision, counts } = await decideOn(undefined, SOMEBODY, BURST, { runner });
    isReviewed(decision, 'notRequested');
    expect(counts).toEqual({ sameIp: 'notRequested', no: 'notRequested' });
  });
});

describe('the store', () => {
  it('is not called by a policy without velocities, nor to get ready', async () => {
    const store: VelocityStore = {
      ...memoryStore(),
      count: vi.fn(never),
      know: vi.fn(never),
      hash: vi.fn(() => ''),
    };
    await decideOn(
      store,
      SOMEBODY,
      loadPolicyText(`${HEAD}rules: [{ id: a, when: { applicant.ip: 203.0.113.7 }, then: reject }]\n`),
    );
    await createDecider({ policy, mapping, verify, velocity: store }).ready();
    for (const each of [store.count, store.know, store.hash]) expect(each).not.toHaveBeenCalled();
  });

  it('is called once an application, and a second time for its outcome where outcomes are counted', async () => {
    const memory = memoryStore();
    const store = { ...memory, count: vi.fn(memory.count), know: vi.fn(memory.know) };
    await decideOn(store, SOMEBODY);
    expect([store.count.mock.calls.length, store.know.mock.calls.length]).toEqual([1, 1]);
    await decideOn(store, { ...SOMEBODY, reference: 'A-2', want: 'reject' });
    expect([store.count.mock.calls.length, store.know.mock.calls.length]).toEqual([2, 2]);
  });

  it('has the count and no outcome of a decision that was not recorded', async () => {
    const store = memoryStore();
    const audit: AuditLog = {
      mode: 'required',
      check: async () => {},
      record: () => Promise.reject(new Error('full')),
      hasDecisions: async () => false,
    };
    await expect(decideOn(store, { ...SOMEBODY, want: 'reject' }, policy, { audit })).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
    });
    const { counts } = await decideOn(store, { ...SOMEBODY, reference: 'A-2' });
    expect(counts).toMatchObject({ sameIp: 1, rejected: 0 });
    // Decided again under its reference, it is not counted again, and its outcome is there.
    await decideOn(store, { ...SOMEBODY, want: 'reject' });
    const later = await decideOn(store, { ...SOMEBODY, reference: 'A-3' });
    expect(later.counts).toMatchObject({ sameIp: 2, rejected: 1 });
  });

  it('is not called where the log refuses the decision beforehand', async () => {
    const store = failing({ count: vi.fn(never) });
    const audit: AuditLog = { mode: 'required', check: () => Promise.reject(new Error('no key')), record: never };
    await expect(decideOn(store, SOMEBODY, policy, { audit })).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    expect(store.count).not.toHaveBeenCalled();
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('down'))],
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['hangs', never],
  ])('that %s at the outcome holds up no decision', async (_, know) => {
    const rejecting = { ...SOMEBODY, want: 'reject' as const };
    const { decision } = await decideOn(failing({ know }), rejecting, policy, {}, 50);
    expect(decision.outcome).toBe('reject');
  });

  it('tells of each failure by its code, and never by its message', async () => {
    const down = Object.assign(new Error('+12025550102 is down'), { cause: new CodedCause('ECONNREFUSED') });
    const { events } = await decideOn(failing({ count: () => Promise.reject(down) }), SOMEBODY);
    expect(events).toMatchObject([{ type: 'velocityFailed', step: 'count', cause: 'ECONNREFUSED' }]);
    expect(JSON.stringify(events)).not.toContain('2025550102');
    const late = await decideOn(failing({ know: () => Promise.reject(down) }), { ...SOMEBODY, want: 'reject' });
    expect(late.events).toMatchObject([{ type: 'velocityFailed', step: 'outcome', cause: 'ECONNREFUSED' }]);
  });

  it('gets no value of the applicant, but hashes', async () => {
    const [memory, texts] = [memoryStore(), [] as string[]];
    const note = <Of>(of: Of) => {
      texts.push(JSON.stringify(of));
      return of;
    };
    const store = {
      ...memory,
      count: (of: Parameters<typeof memory.count>[0]) => memory.count(note(of)),
      know: (of: Parameters<typeof memory.know>[0]) => memory.know(note(of)),
    };
    await decideOn(store, { ...SOMEBODY, want: 'reject' });
    expect(texts.length).toBe(2);
    expect(texts.join().match(/2025550102|mail\.example|203\.0\.113|A-1|d1"/gi)).toBeNull();
  });

  it('keeps an application for the longest window that counts it', async () => {
    const store = memoryStore();
    const by = (...windows: readonly string[]) =>
      windows.map((within, i) => `  v${i}: { count: applications, by: ip, within: ${within} }\n`).join('');
    const both = loadPolicyText(`${HEAD}velocity:\n${by('1 hour', '7 days', '1 day')}`);
    await decideOn(store, SOMEBODY, both);
    const at = NOON + 6 * DAY;
    await store.prune(at);
    const { counts } = await decideOn(store, { ...SOMEBODY, reference: 'A-2', at }, both);
    expect(counts).toEqual({ v0: 0, v1: 1, v2: 0 });
  });

  it('forgets a person by the hashes of an erasure', async () => {
    const store = memoryStore();
    const { application } = await decideOn(store, { ...SOMEBODY, want: 'reject' });
    const erase = (variable: IdentityVariable, form: string) => store.erase(planErasure(variable, form, store));
    expect(await erase('phoneNo', '12025550102')).toBe(3);
    expect(await erase('email', 'jo@mail.example')).toBe(2);
    expect((await decideOn(store, { ...SOMEBODY, reference: 'A-2' })).counts).toMatchObject({
      ...{ sameIp: 1, phones: 0, device: 0, rejected: 0 },
    });
    // By its id, an application goes out of all sets.
    expect(await store.erase([application.replaceAll('-', '')])).toBeGreaterThan(2);
    const { counts } = await decideOn(store, { ...SOMEBODY, reference: 'A-3' });
    expect(counts).toMatchObject({ sameIp: 1, phones: 1 });
  });
});

it('a caller who ends a decision may have been counted, and is not decided', async () => {
  const counted = Promise.withResolvers<void>();
  const memory = memoryStore();
  const store = failing({
    ...memory,
    count: async (of) => {
      await memory.count(of);
      counted.resolve();
      return never();
    },
  });
  const ending = new AbortController();
  const { phoneNo, email, ip } = SOMEBODY;
  const deciding = createDecider({ policy, mapping, verify, velocity: store, now: () => NOON }).decide(
    { phoneNo, email, ip },
    { clientReference: 'A-0', signal: ending.signal, context: { want: 'accept' } },
  );
  await counted.promise;
  ending.abort();
  await expect(deciding).rejects.toMatchObject({ code: 'ABORTED' });
  expect((await decideOn(memory, SOMEBODY)).counts).toMatchObject({ sameIp: 1 });
});

it('a decision that its caller ended is counted and has no outcome, live and from its record', async () => {
  const asking = loadPolicyText(`${POLICY}  - { id: voip, when: { phone.type: voip }, then: review }\n`);
  const folder = await logFolder();
  const audit = await folder.open();
  const ending = new AbortController();
  const [live, rebuilt] = [memoryStore(), memoryStore()];
  const [called, counted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const waiting: Verifier = {
    verify: () => {
      called.resolve();
      return never();
    },
  };
  const velocity = {
    ...live,
    count: async (...asked: Parameters<typeof live.count>) => {
      const found = await live.count(...asked);
      counted.resolve();
      return found;
    },
  };
  void Promise.all([called.promise, counted.promise]).then(() => setImmediate(() => ending.abort()));
  const decider = createDecider({
    ...{ policy: asking, mapping, verify: waiting, velocity, audit, now: () => NOON },
  });
  const { phoneNo, email, ip } = SOMEBODY;
  const options = { clientReference: 'A-0', signal: ending.signal, context: { device: 'd1', want: 'reject' } };
  await expect(decider.decide({ phoneNo, email, ip }, options)).rejects.toMatchObject({ code: 'ABORTED' });
  await audit.close();
  expect(await rebuildStore(folder.place, { store: rebuilt, policy: asking, now: NOON })).toEqual({
    decisions: 1,
    closed: 0,
  });
  for (const store of [live, rebuilt]) {
    expect((await decideOn(store, SOMEBODY, asking)).counts).toMatchObject({ sameIp: 1, rejected: 0 });
  }
});

it('a fact of the caller by which is counted is asked for before, and a function that hangs holds up no decision', async () => {
  const store = memoryStore();
  const { phoneNo, email, ip } = SOMEBODY;
  const decider = createDecider({ policy, mapping, verify, velocity: store, now: () => NOON });
  const hanging = await decider.decide(
    { phoneNo, email, ip },
    { deadlineMs: 30, context: { device: never, want: 'accept' } },
  );
  expect(hanging.shadow).toMatchObject([{ rule: 'all', result: 'undetermined' }]);
  await decider.decide({ phoneNo, email, ip }, { context: { device: async () => 'd1', want: 'accept' } });
  // The first one is counted too, by all but its device.
  expect((await decideOn(store, SOMEBODY)).counts).toMatchObject({ sameIp: 2, device: 1 });
});

describe('networks', () => {
  it.each([
    ['203.0.113.77', 24, '203.0.113.0/24'],
    ['203.0.113.77', 25, '203.0.113.0/25'],
    ['203.0.113.177', 25, '203.0.113.128/25'],
    ['203.0.113.77', 8, '203.0.0.0/8'],
    ['203.0.113.77', 32, '203.0.113.77/32'],
    ['203.0.113.77', 64, '203.0.113.77/32'],
    ['2001:db8:1:2:3:4:5:6', 24, '2001:db8:1:2::/64'],
    ['2001:db8:1:2:3:4:5:6', 48, '2001:db8:1::/48'],
    ['2001:db8:1:2:3:4:5:6', 60, '2001:db8:1::/60'],
    ['2001:db8:1:2:3:4:5:6', 128, '2001:db8:1:2:3:4:5:6/128'],
  ])('of %s with %d bits', (address, bits, network) => {
    expect(networkOf(address, bits)).toBe(network);
  });

  it.each([
    ['2001:DB8:0:0:1::1', '2001:db8::1:0:0:1'],
    [' 2a00:1450::1 ', '2a00:1450::1'],
    ['fe80::1', undefined],
    ['fe80::1%eth0', undefined],
    ['fd00::1', undefined],
    ['::1', undefined],
    ['::', undefined],
    ['ff02::1', undefined],
    ['::ffff:cb00:7107', undefined],
    ['203.0.113.7', undefined],
    ['1::2::3', undefined],
  ])('%s is an address of the internet, or none', (text, read) => {
    expect(readIpv6(text)).toBe(read);
  });
});

it('a decision on record is decided again by its counts, with nothing of the store', async () => {
  const folder = await logFolder();
  const log = await folder.open();
  const store = memoryStore();
  for (let i = 0; i < 3; i++) await decideOn(store, { ...SOMEBODY, reference: `R-${i}` }, BURST, { audit: log });
  await decideOn(failing({ count: never }), SOMEBODY, BURST, { audit: log }, 50);
  await log.close();
  const replayed = await replayLog({ dir: folder.dir, keys: folder.keys });
  expect(replayed).toMatchObject({ same: 4, problemCount: 0 });
});

it('a mailbox is counted behind its dots and tags, and goes with its email', async () => {
  const store = memoryStore();
  const by = loadPolicyText(`${HEAD}velocity: { box: { count: applications, by: mailbox, within: 1 day } }\n`);
  const decide = (reference: string, email: string) => decideOn(store, { ...SOMEBODY, reference, email }, by);
  await decide('A-1', 'pat.lee@gmail.com');
  expect((await decide('A-2', 'PatLee+shop@googlemail.com')).counts).toEqual({ box: 1 });
  expect((await decide('A-3', 'pat.lee@mail.example')).counts).toEqual({ box: 0 });
  expect(await store.erase(planErasure('email', 'pat.lee@gmail.com', store))).toBe(2);
  expect((await decide('A-4', 'patlee@gmail.com')).counts).toEqual({ box: 0 });
});

it('gives the minutes since the first and the last application, and the sum of amounts', async () => {
  const store = memoryStore();
  const by = loadPolicyText(`${HEAD}facts: { context.amount: { type: number } }
velocity:
  first: { count: first, by: phoneNo, within: 1 day }
  last: { count: last, by: phoneNo, within: 1 day }
  sum: { count: sum context.amount, by: phoneNo, within: 1 day }
  big: { count: applications, by: phoneNo, where: { context.amount: 0.2 }, within: 1 day }
`);
  const decide = async (reference: string, minutes: number, amount: number) => {
    const { log, entries } = keepingLog();
    const now = () => NOON + minutes * MINUTE;
    const decider = createDecider({ policy: by, mapping, verify, audit: log, velocity: store, rememberMs: 0, now });
    const { phoneNo, email, ip } = SOMEBODY;
    await decider.decide({ phoneNo, email, ip }, { clientReference: reference, context: { amount } });
    return countsIn(entries[0]?.facts ?? new Map());
  };
  expect(await decide('A-1', 0, 0.1)).toEqual({ first: 'noneSeen', last: 'noneSeen', sum: 0, big: 0 });
  expect(await decide('A-2', 30, 0.2)).toEqual({ first: 30, last: 30, sum: 0.1, big: 0 });
  expect(await decide('A-3', 90, 7)).toEqual({ first: 90, last: 60, sum: 0.3, big: 1 });
});

it('a velocity that an edit adds is incomplete, with its day, unless it takes what was before for nothing', async () => {
  const store = memoryStore();
  const text = (more: string) => `${HEAD}velocity:\n  a: { count: applications, by: ip, within: 1 hour }\n${more}`;
  await decideOn(store, SOMEBODY, loadPolicyText(text('')));
  const week = '{ count: applications, by: email, within: 7 days';
  const edited = loadPolicyText(text(`  b: ${week} }\n  c: ${week}, since: 2026-11-21 }\n`));
  const { counts } = await decideOn(store, { ...SOMEBODY, reference: 'A-2' }, edited);
  expect(counts).toEqual({ a: 1, b: 'incomplete', c: 0 });
  const { log, entries } = keepingLog();
  await decideOn(store, { ...SOMEBODY, reference: 'A-3' }, edited, { audit: log });
  expect(entries[0]?.facts.get('velocity.b')).toEqual({ missing: 'incomplete', completeOn: '2026-11-27' });
  const later = { ...SOMEBODY, reference: 'A-4', at: NOON + 7 * DAY - 1 };
  expect((await decideOn(store, later, edited)).counts).toMatchObject({ b: 2 });
});

it('all counts of a first application are 0', async () => {
  expect((await decideOn(memoryStore(), SOMEBODY)).counts).toEqual(allOf(0));
});
