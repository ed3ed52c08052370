/** What every store of velocity promises, held to one: three of ours, and any other that has the port. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  AskedCount,
  Asking,
  Counting,
  SeenMember,
  VelocityStore,
} from '../../../../src/decision/velocity-store.ts';
import { SWEEP_ROWS } from '../../../../src/stores/velocity/home.ts';
import { sampled } from '../../sampled.ts';
import { APPLICATIONS, asking, counting as countingAt, countingOf, decisionId, HOUR_MS, KEEP_MS } from './counting.ts';
import { memoryStore } from './memory-store.ts';

/** A store that is held to the promises of its port. */
export interface StoreUnderTest {
  readonly title: string;
  readonly isThere: boolean;
  /** Opens the store, which is empty the first time and the same one each time. */
  readonly open: () => Promise<VelocityStore>;
}

/** The clock of a store may end what is long over. */
const NOW = Date.now();
/** All that is kept has ended. */
const END = NOW + 1000 * KEEP_MS;

function counting(store: VelocityStore, name: string, of: string, at = NOW) {
  return countingAt(store, name, of, at);
}

/** The numbers of the counts. */
async function numbersOf(store: VelocityStore, of: Counting) {
  return (await store.count(of)).counts;
}

const [DISTINCT, SUM, OTHERS] = ['distinct email by ip', 'sum context.amount by ip', 'applications by ip and email'];
const KINDS = [APPLICATIONS, DISTINCT, SUM, OTHERS];
const NAMES = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const VALUES = fc.constantFrom('ip 1', 'ip 2', 'phone');
/** The clock is set back and forth, borders of windows are met, and the days of applications. */
const TIMES = fc
  .oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -60, max: 60 }))
  .map((half) => NOW + half * (HOUR_MS / 2));
const OPTIONAL = fc.option(fc.constantFrom('1', '2'), { nil: undefined });
const WHERE = fc.option(
  fc.constantFrom<NonNullable<AskedCount['where']>>(
    { key: 'outcome', value: 'reject' },
    { key: 'label', value: 'fraud' },
    { key: 'review', value: 'approve' },
  ),
  { nil: undefined, freq: 2 },
);

const APPLICATION = fc.record({
  ...{ name: NAMES, at: TIMES, reference: fc.constantFrom('r 1', 'r 2', 'r 3'), of: fc.tuple(VALUES, VALUES) },
  ...{ phoneNo: OPTIONAL, email: OPTIONAL, amount: fc.integer({ min: 0, max: 9999 }) },
});
const KNOWN_LATER = fc.record({
  key: fc.constantFrom('outcome' as const, 'review' as const, 'label' as const),
  value: fc.constantFrom('reject', 'accept', 'fraud', 'genuine', 'approve'),
  later: TIMES.map((at) => Math.max(1, at)),
});
const ERASE = fc.constantFrom('erase' as const, 'countMembers' as const);

const OPERATIONS = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      ...{ do: fc.constant('count' as const), application: APPLICATION, where: WHERE },
      ...{ within: fc.constantFrom(1, HOUR_MS, 2 * HOUR_MS, KEEP_MS), policy: fc.constantFrom('one', 'two') },
      ...{ since: fc.option(TIMES, { nil: undefined, freq: 6 }), keep: fc.constantFrom(1, 1, 2) },
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('know' as const), application: APPLICATION, known: KNOWN_LATER }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ do: fc.constant('restore' as const), known: KNOWN_LATER },
      applications: fc.array(APPLICATION, { maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cover' as const), at: TIMES, since: TIMES }) },
  { weight: 1, arbitrary: fc.record({ do: ERASE, hashes: fc.array(fc.oneof(VALUES, fc.constant('phoneNo 1'))) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('prune' as const), now: TIMES.map((at) => at + KEEP_MS) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

type Operation = typeof OPERATIONS extends fc.Arbitrary<infer Each> ? Each : never;
type Application = typeof APPLICATION extends fc.Arbitrary<infer Each> ? Each : never;

function askingOf(store: VelocityStore, { name, at, reference, phoneNo, email }: Application): Asking {
  const applicant = {
    ...(phoneNo === undefined ? {} : { phoneNo: store.hash(`phoneNo ${phoneNo}`) }),
    ...(email === undefined ? {} : { email: store.hash(`email ${email}`) }),
  };
  return { decision: decisionId(name, at), reference: store.hash(reference), applicant };
}

function addsOf(store: VelocityStore, { of: [one, other], email, amount }: Application): SeenMember[] {
  const of = [store.hash(one)];
  return [
    { of, kind: APPLICATIONS },
    ...(email === undefined ? [] : [{ of, kind: DISTINCT, value: store.hash(`email ${email}`) }]),
    { of, kind: SUM, value: String(amount / 100) },
    { of: [...of, store.hash(other)], kind: OTHERS },
  ];
}

/** What an operation results in. */
async function carryOut(store: VelocityStore, operation: Operation): Promise<unknown> {
  const kindsOf = (policy: string, keep: number) => {
    const kinds = KINDS.map((kind) => ({ kind, keepMs: keep * KEEP_MS }));
    return { policy: store.hash(policy), kinds };
  };
  switch (operation.do) {
    case 'count': {
      const { application, where, within, since, policy, keep } = operation;
      const { of } = application;
      const asked = [
        ...(['applications', 'first', 'last'] as const).map((measure) => ({ measure, kind: APPLICATIONS })),
        ...[
          { measure: 'distinct' as const, kind: DISTINCT },
          { measure: 'sum' as const, kind: SUM },
        ],
        { measure: 'applications' as const, kind: OTHERS },
      ];
      const counts = asked.map(({ measure, kind }) => ({
        of: (kind === OTHERS ? of : [of[0]]).map((each) => store.hash(each)),
        ...{ kind, measure, withinMs: within },
        ...(where ? { where } : {}),
        ...(since === undefined ? {} : { sinceMs: since }),
      }));
      const adds = addsOf(store, application);
      return store.count({ ...askingOf(store, application), ...kindsOf(policy, keep), hasPast: false, counts, adds });
    }
    case 'know': {
      const { key, value, later } = operation.known;
      return store.know({ ...askingOf(store, operation.application), known: { [key]: { value, at: later } } });
    }
    case 'restore': {
      const { key, value, later } = operation.known;
      return store.restore(
        operation.applications.map((each) => ({
          ...askingOf(store, each),
          ...{ adds: addsOf(store, each), known: { [key]: { value, at: later } }, counted: [] },
        })),
      );
    }
    case 'cover':
      return store.cover({ ...kindsOf('one', 1), at: operation.at, since: operation.since, log: 'log' });
    case 'erase':
    case 'countMembers':
      return store[operation.do](operation.hashes.map((each) => store.hash(each)));
    case 'prune':
      return store.prune(operation.now);
    case 'restart':
      return undefined;
  }
}

/** Tests that the store keeps the promises of its port. */
export function describeStore({ title, isThere, open }: StoreUnderTest): void {
  describe.skipIf(!isThere)(`a velocity store in ${title}`, () => {
    let store: VelocityStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store?.close());

    it('gives 200 applications of one value at once the numbers from 0 to 199, each once', async () => {
      const counted = await Promise.all(
        Array.from({ length: 200 }, (_, i) => numbersOf(store, counting(store, `${i}`, 'one'))),
      );
      const numbers = counted.map(([number]) => Number(number ?? -1)).sort((one, other) => one - other);
      expect(numbers).toEqual([...Array(200).keys()]);
    });

    it('gives an application its counts of then again, also at once, and adds it once', async () => {
      await store.count(counting(store, 'before', 'again'));
      const same = () => store.count(counting(store, 'same', 'again'));
      const first = await Promise.all(Array.from({ length: 20 }, same));
      expect(new Set(first.map(({ application }) => application)).size).toBe(1);
      expect(first.map(({ counts }) => counts)).toEqual(Array(20).fill([1]));
      expect(await numbersOf(store, counting(store, 'next', 'again'))).toEqual([2]);
      // With another value it is the same application, and does not count itself.
      const more = counting(store, 'same', 'another value', NOW + HOUR_MS);
      expect(await store.count(more)).toEqual({ application: first[0]?.application, counts: [0] });
      expect(await numbersOf(store, counting(store, 'other', 'another value'))).toEqual([1]);
    });

    it('does not count an application itself, also by a window that is asked for later', async () => {
      const of = 'own';
      const wider = (name: string) => ({
        ...counting(store, name, of),
        counts: (['applications', 'first', 'last'] as const).map((measure) => ({
          ...{ of: [store.hash(of)], kind: APPLICATIONS, measure, withinMs: 2 * HOUR_MS },
        })),
      });
      expect(await numbersOf(store, counting(store, 'itself', of))).toEqual([0]);
      expect(await numbersOf(store, wider('itself'))).toEqual([0, null, null]);
      expect(await numbersOf(store, wider('its next'))).toEqual([1, 0, 0]);
    });

    it('adds amounts up without an error of their binary parts', async () => {
      const kinds = { policy: store.hash('sums'), kinds: [{ kind: SUM, keepMs: KEEP_MS }] };
      await store.cover({ ...kinds, at: NOW, since: 0 });
      const of = [store.hash('payer')];
      const sums = [];
      for (const value of ['0.1', '0.2', '0.7', '0']) {
        const counts = [{ of, kind: SUM, measure: 'sum' as const, withinMs: HOUR_MS }];
        const adds = [{ of, kind: SUM, value }];
        sums.push(await numbersOf(store, { ...counting(store, `pays ${value}`, 'payer'), ...kinds, counts, adds }));
      }
      expect(sums).toEqual([[0], [0.1], [0.3], [1]]);
    });

    it('tells applications of one reference apart by their applicants, and by a day', async () => {
      const at = (phoneNo: string, hours: number) => {
        const name = `many ${phoneNo} ${hours}`;
        const whose = { reference: store.hash('one of many'), applicant: { phoneNo: store.hash(phoneNo) } };
        return store.count({ ...counting(store, name, 'many', NOW + hours * HOUR_MS), ...whose });
      };
      const first = await at('1', 0);
      expect(await at('1', 23.9)).toMatchObject({ application: first.application, counts: [0] });
      expect(await at('2', 0.5)).toMatchObject({ counts: [1] });
      const nextDay = await at('1', 24);
      expect([nextDay.application === first.application, nextDay.counts]).toEqual([false, [0]]);
    });

    it('counts what is after the beginning of the window, also beyond its end', async () => {
      const at = async (name: string, ms: number) =>
        numbersOf(store, counting(store, `window ${name}`, 'window', NOW + ms));
      expect(await at('a', 0)).toEqual([0]);
      expect(await at('b', HOUR_MS - 1)).toEqual([1]);
      expect(await at('c', HOUR_MS)).toEqual([1]);
      expect(await at('d', -HOUR_MS)).toEqual([3]);
    });

    it('counts what a set has since a policy asks for it, and says from when on it is complete', async () => {
      const kind = 'applications by context.device';
      const asked = (policy: string, withinMs: number, keepMs: number, at: number) => ({
        ...countingOf(store, `${policy} ${withinMs} ${at}`, {
          of: 'd',
          at,
          counts: [{ kind, withinMs }],
          adds: [{ kind }],
        }),
        ...{ policy: store.hash(policy), kinds: [{ kind, keepMs }] },
      });
      const count = async (...args: Parameters<typeof asked>) => (await store.count(asked(...args))).counts[0];
      expect(await count('new', HOUR_MS, HOUR_MS, NOW)).toEqual({ completeAt: NOW - 1 + HOUR_MS });
      expect(await count('new', HOUR_MS, HOUR_MS, NOW + HOUR_MS)).toBe(0);
      // A wider window reaches into what may not have been kept.
      const later = NOW + 2 * HOUR_MS;
      expect(await count('new', 2 * HOUR_MS, 2 * HOUR_MS, later)).toEqual({ completeAt: later - 1 + HOUR_MS });
      expect(await count('new', HOUR_MS, 2 * HOUR_MS, later + 1)).toBe(1);
      const { policy, kinds } = asked('new', HOUR_MS, 2 * HOUR_MS, later);
      await store.cover({ policy, kinds, at: later, since: 0, log: 'l' });
      expect(await store.coverage({ policy, kinds })).toMatchObject({ since: new Map([[kind, 0]]), filledTo: later });
      expect(await count('new', 2 * HOUR_MS, 2 * HOUR_MS, later + 2)).toBe(3);
    });

    it('erases the sets of a value, the value among others, and an application', async () => {
      await store.prune(END);
      const at = (name: string) => counting(store, `erased ${name}`, 'person');
      const counted = [];
      for (const name of ['1', '2', '3']) counted.push(await store.count(at(name)));
      const value = store.hash('person');
      const of = [store.hash('network')];
      const members = [
        { of, kind: DISTINCT, value },
        { of: [...of, value], kind: OTHERS },
      ];
      await store.restore([{ ...asking(store, 'with values', NOW), adds: members, known: {}, counted: [] }]);
      expect(await store.erase([store.hash('nobody')])).toBe(0);
      expect(await store.countMembers([value])).toBe(5);
      expect(await numbersOf(store, at('3'))).toEqual([2]);
      const [, second] = counted;
      expect(await store.erase([second?.application.replaceAll('-', '') ?? ''])).toBe(1);
      expect(await store.erase([value])).toBe(4);
      expect(await store.countMembers([value])).toBe(0);
      expect(await numbersOf(store, at('4'))).toEqual([0]);
    });

    it('erases more members than it sweeps at a time, each once', async () => {
      const value = store.hash('everywhere');
      // Of all beginnings, one that a cursor might take for something else.
      const rest = store.hash('set').slice(5);
      const sets = [...'0123456789abcdef'].flatMap((digit) =>
        Array.from({ length: digit === 'a' ? SWEEP_ROWS : 20 }, (_, i) => [
          digit + i.toString(16).padStart(4, '0') + rest,
        ]),
      );
      const adds = sets.map((of) => ({ of, kind: DISTINCT, value }));
      await store.restore([{ ...asking(store, 'everywhere', NOW), adds, known: {}, counted: [] }]);
      expect(await store.erase([value])).toBe(sets.length);
      expect(await store.countMembers([value])).toBe(0);
    });

    it('keeps a member for its time, and then prunes it', async () => {
      await store.prune(END);
      const later = NOW + HOUR_MS;
      await store.count(counting(store, 'pruned 1', 'pruned'));
      await store.count(counting(store, 'pruned 2', 'pruned', later));
      expect(await store.prune(NOW + KEEP_MS - 1)).toBe(0);
      expect(await store.prune(NOW + KEEP_MS)).toBe(1);
      expect(await store.prune(END)).toBe(1);
    });

    it('is one store for two that have it open, and for the next one', async () => {
      const second = await open();
      await store.count(counting(store, 'shared 1', 'shared'));
      expect(await numbersOf(second, counting(second, 'shared 2', 'shared'))).toEqual([1]);
      expect(await numbersOf(store, counting(store, 'shared 2', 'shared'))).toEqual([1]);
      await second.close();
      await expect(second.count(counting(second, 'shared 3', 'shared'))).rejects.toThrow(/CLOSED/);
    });

    it('says after any stream of orders what the plain reference says', async () => {
      const streams = fc.array(OPERATIONS, { minLength: 10, maxLength: 40 });
      const reference = memoryStore();
      // What a policy asks for is never forgotten.
      for (const each of [reference, store]) {
        for (const policy of ['one', 'two', 'new']) {
          const kinds = KINDS.map((kind) => ({ kind, keepMs: 2 * KEEP_MS }));
          await each.cover({ policy: each.hash(policy), kinds, at: NOW, since: 0 });
        }
      }
      await fc.assert(
        fc.asyncProperty(streams, async (operations) => {
          for (const each of [reference, store]) await each.prune(END);
          for (const operation of operations) {
            if (operation.do === 'restart') {
              await store.close();
              store = await open();
            }
            expect(await carryOut(store, operation)).toEqual(await carryOut(reference, operation));
          }
        }),
        { numRuns: sampled(3, 2000) },
      );
    });

    it('takes hashes of its own and ids alone: a phone number is refused, and not repeated', async () => {
      const { adds, ...rest } = counting(store, 'refused', 'refused');
      for (const wrong of [{ reference: '+12025550101' }, { decision: '+12025550101' }]) {
        const error: Error = await store.count({ ...rest, adds, ...wrong }).then(
          () => new Error('none'),
          (error) => error,
        );
        expect(error.message).toMatch(/takes (hashes that it made itself|ids of decisions), and nothing else/);
        expect(error.message).not.toContain('2025550101');
      }
      await expect(store.prune(Number.NaN)).rejects.toThrow(/milliseconds/);
    });
  });
}
