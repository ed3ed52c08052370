/** What every store of velocity promises, held to one: three of ours, and any other that has the port. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VelocityStore } from '../../../../src/decision/velocity-store.ts';
import { SWEEP_ROWS } from '../../../../src/stores/velocity/home.ts';
import { sampled } from '../../sampled.ts';
import { APPLICATIONS, counting as countingAt, HOUR_MS, KEEP_MS } from './counting.ts';
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

const SETS = fc.record({ of: fc.constantFrom('ip 1', 'ip 2', 'phone'), kind: fc.constantFrom(APPLICATIONS, 'emails') });
const NAMES = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
/** The clock is set back and forth, and the borders of windows are met. */
const TIMES = fc.integer({ min: -5, max: 5 }).map((half) => NOW + half * (HOUR_MS / 2));
const ADDED = fc.record({ set: SETS, member: NAMES });

const ERASE = fc.constantFrom('erase' as const, 'countMembers' as const);

const OPERATIONS = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      ...{ do: fc.constant('count' as const), name: NAMES, at: TIMES },
      ...{ counts: fc.array(SETS, { maxLength: 4 }), adds: fc.array(ADDED, { maxLength: 4 }) },
      within: fc.constantFrom(1, HOUR_MS, 2 * HOUR_MS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('add' as const), at: TIMES, adds: fc.array(ADDED) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), adds: fc.array(ADDED, { maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: ERASE, hashes: fc.array(NAMES, { maxLength: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ do: ERASE, hashes: fc.array(SETS.map(({ of }) => of)) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('prune' as const), now: TIMES.map((at) => at + KEEP_MS) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

type Operation = typeof OPERATIONS extends fc.Arbitrary<infer Each> ? Each : never;

/** What an operation results in. */
async function carryOut(store: VelocityStore, operation: Operation): Promise<unknown> {
  const hashed = (added: {
    readonly set: { readonly of: string; readonly kind: string };
    readonly member: string;
  }) => ({
    ...{ of: store.hash(added.set.of), kind: added.set.kind, member: store.hash(added.member) },
  });
  switch (operation.do) {
    case 'count': {
      const { name, at, counts, adds, within } = operation;
      return store.count({
        ...{ application: store.hash(name), at },
        counts: counts.map(({ of, kind }) => ({ of: store.hash(of), kind, withinMs: within })),
        adds: adds.map((each) => ({ ...hashed(each), at, keepMs: KEEP_MS })),
      });
    }
    case 'add':
      return store.add(operation.adds.map((each) => ({ ...hashed(each), at: operation.at, keepMs: KEEP_MS })));
    case 'remove':
      return store.remove(operation.adds.map(hashed));
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
    }, 60_000);
    afterAll(() => store?.close());

    it('gives 200 applications of one value at once the numbers from 0 to 199, each once', async () => {
      const counted = await Promise.all(
        Array.from({ length: 200 }, (_, i) => store.count(counting(store, `${i}`, 'one'))),
      );
      const numbers = counted.map(([number]) => number ?? -1).sort((one, other) => one - other);
      expect(numbers).toEqual([...Array(200).keys()]);
    });

    it('gives an application its counts of then again, also at once, and adds nothing', async () => {
      await store.count(counting(store, 'before', 'again'));
      const first = await Promise.all(Array.from({ length: 20 }, () => store.count(counting(store, 'same', 'again'))));
      expect(first).toEqual(Array(20).fill([1]));
      expect(await store.count(counting(store, 'next', 'again'))).toEqual([2]);
      const other = counting(store, 'same', 'another value');
      expect(await store.count({ ...other, at: NOW + HOUR_MS })).toEqual([1]);
      expect(await store.count(counting(store, 'first', 'another value'))).toEqual([0]);
    });

    it('counts what is after the beginning of the window, also beyond its end', async () => {
      const at = async (name: string, ms: number) => store.count(counting(store, `window ${name}`, 'window', NOW + ms));
      expect(await at('a', 0)).toEqual([0]);
      expect(await at('b', HOUR_MS - 1)).toEqual([1]);
      expect(await at('c', HOUR_MS)).toEqual([1]);
      expect(await at('d', -HOUR_MS)).toEqual([3]);
    });

    it('keeps the latest time of a member, and each member once', async () => {
      const [set, member] = [{ of: store.hash('latest'), kind: APPLICATIONS }, store.hash('member')];
      const put = (at: number) => store.add([{ ...set, member, at, keepMs: KEEP_MS }]);
      for (const hours of [0, 5, 1]) await put(NOW + hours * HOUR_MS);
      const at = (hours: number) => store.count(counting(store, `latest ${hours}`, 'latest', NOW + hours * HOUR_MS));
      expect(await at(5.5)).toEqual([1]);
      expect(await at(9)).toEqual([0]);
    });

    it('takes a member out, and has it once it is added again', async () => {
      const { adds } = counting(store, 'taken', 'out');
      await store.add(adds);
      await store.remove(adds);
      await store.remove(adds);
      expect(await store.count(counting(store, 'out 1', 'out'))).toEqual([0]);
      await store.add(adds);
      expect(await store.count(counting(store, 'out 2', 'out'))).toEqual([2]);
    });

    it('erases the sets of a value, the value as a member, and what an application was counted', async () => {
      await store.prune(END);
      for (const i of [1, 2, 3]) await store.count(counting(store, `erased ${i}`, 'person'));
      const member = store.hash('person');
      await store.add([{ of: store.hash('network'), kind: 'phones', member, at: NOW, keepMs: KEEP_MS }]);
      expect(await store.erase([store.hash('nobody')])).toBe(0);
      // Counting them before deletes neither members nor what an application was counted.
      for (const name of ['person', 'erased 3']) await store.countMembers([store.hash(name)]);
      expect(await store.count(counting(store, 'erased 3', 'person'))).toEqual([2]);
      expect(await store.countMembers([member])).toBe(4);
      expect(await store.erase([member])).toBe(4);
      expect(await store.countMembers([member])).toBe(0);
      expect(await store.count(counting(store, 'erased 4', 'person'))).toEqual([0]);
      expect(await store.count(counting(store, 'erased 3', 'person'))).toEqual([2]);
      expect(await store.erase([store.hash('erased 3'), store.hash('erased 4')])).toBe(1);
      expect(await store.count(counting(store, 'erased 3', 'person'))).toEqual([0]);
    });

    it('erases more members than it sweeps at a time, each once', async () => {
      const member = store.hash('everywhere');
      const sets = Array.from({ length: SWEEP_ROWS + 200 }, (_, i) => store.hash(`set ${i}`));
      await store.add(sets.map((of) => ({ of, kind: 'phones', member, at: NOW, keepMs: KEEP_MS })));
      expect(await store.erase([member])).toBe(sets.length);
      expect(await store.countMembers([member])).toBe(0);
    });

    it('keeps a member for its time, and then prunes it', async () => {
      await store.prune(END);
      const later = NOW + HOUR_MS;
      await store.count(counting(store, 'pruned 1', 'pruned'));
      await store.count(counting(store, 'pruned 2', 'pruned', later));
      expect(await store.prune(NOW + KEEP_MS - 1)).toBe(0);
      expect(await store.prune(NOW + KEEP_MS)).toBe(1);
      expect(await store.count(counting(store, 'pruned 1', 'pruned', later))).toEqual([1]);
      expect(await store.prune(END)).toBe(2);
    });

    it('is one store for two that have it open, and for the next one', async () => {
      const second = await open();
      await store.count(counting(store, 'shared 1', 'shared'));
      expect(await second.count(counting(second, 'shared 2', 'shared'))).toEqual([1]);
      expect(await store.count(counting(store, 'shared 2', 'shared'))).toEqual([1]);
      await second.close();
      await expect(second.count(counting(second, 'shared 3', 'shared'))).rejects.toThrow(/CLOSED/);
    });

    it('says after any stream of orders what the plain reference says', async () => {
      const streams = fc.array(OPERATIONS, { minLength: 10, maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(streams, async (operations) => {
          await store.prune(END);
          const reference = memoryStore();
          for (const operation of operations) {
            if (operation.do === 'restart') {
              await store.close();
              store = await open();
            }
            expect(await carryOut(store, operation)).toEqual(await carryOut(reference, operation));
          }
        }),
        { numRuns: sampled(2, 2000) },
      );
    });

    it('counts each application of several values once, whatever runs at once', async () => {
      const streams = fc.array(fc.record({ name: fc.nat({ max: 40 }), of: fc.nat({ max: 2 }) }), { minLength: 60 });
      await fc.assert(
        fc.asyncProperty(streams, async (applications) => {
          await store.prune(END);
          const counted = await Promise.all(
            applications.map(async ({ name, of }) => {
              // Both values of an application are counted at once, in either order.
              const [one, other] = [`${of}`, `${(of + 1) % 3}`].map((value) =>
                counting(store, `${name} of ${of}`, value),
              );
              const both = { counts: [one, other], adds: [one, other] };
              const [counts, adds] = [
                both.counts.flatMap((each) => each?.counts ?? []),
                both.adds.flatMap((each) => each?.adds ?? []),
              ];
              const numbers = await store.count({ application: store.hash(`${name} of ${of}`), at: NOW, counts, adds });
              return { key: `${name} of ${of}`, values: [of, (of + 1) % 3], numbers };
            }),
          );
          const unique = [...new Map(counted.map((each) => [each.key, each])).values()];
          for (const { key, numbers } of counted) {
            expect(numbers).toEqual(unique.find((each) => each.key === key)?.numbers);
          }
          for (const value of [0, 1, 2]) {
            const numbers = unique.flatMap((each) => each.numbers.filter((_, i) => each.values[i] === value));
            expect(numbers.sort((one, next) => one - next)).toEqual([...numbers.keys()]);
          }
        }),
        { numRuns: sampled(1, 300) },
      );
    });

    it('takes hashes of its own alone: a phone number is refused, and not repeated', async () => {
      const { adds, ...rest } = counting(store, 'refused', 'refused');
      const error: Error = await store.count({ ...rest, application: '+12025550101', adds }).then(
        () => new Error('none'),
        (error) => error,
      );
      expect(error.message).toMatch(/takes hashes that it made itself/);
      expect(error.message).not.toContain('2025550101');
      await expect(store.prune(Number.NaN)).rejects.toThrow(/milliseconds/);
    });
  });
}
