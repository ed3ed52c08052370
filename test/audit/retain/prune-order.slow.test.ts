/** The order of pruning, compared with its definition on random logs. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OldSegment, orderPruning, segmentName } from '../../../src/audit/retain/prune-order.ts';

const nameAt = (chain: number, segment: number) => segmentName({ chain: `chain-${chain}`, segment });

/**
 * Old segments of a few chains, and where the erased records are: in one of them, in a segment that stays, or
 * nowhere.
 */
const log = fc
  .array(fc.record({ length: fc.nat(6), tombstones: fc.nat(2) }), { maxLength: 4 })
  .chain((chains) => {
    const old = chains.flatMap(({ length, tombstones }, chain) =>
      Array.from({ length }, (_, i) => ({
        ...{ chain: `chain-${chain}`, segment: i + 1, hasTombstone: i < tombstones },
      })),
    );
    const places = [...old.map(segmentName), nameAt(0, 99), undefined];
    const erased = fc.array(fc.nat(19).map(String), { maxLength: 3 });
    return fc.record({
      old: fc.tuple(...old.map((segment) => erased.map((ids): OldSegment => ({ ...segment, erased: ids })))),
      places: fc.array(fc.constantFrom(...places), { minLength: 20, maxLength: 20 }),
    });
  })
  .map(({ old, places }) => ({
    old,
    segmentOf: new Map(places.flatMap((place, id) => (place === undefined ? [] : [[String(id), place] as const]))),
  }));

/** The segments that go, one pass after the other until nothing more stays. */
function goingOf(old: readonly OldSegment[], segmentOf: ReadonlyMap<string, string>): Set<string> {
  const going = new Set(old.map(segmentName));
  for (;;) {
    const stays = old.filter((one) => {
      const isNeeded = one.erased.some((id) => !going.has(segmentOf.get(id) ?? segmentName(one)));
      const before = segmentName({ ...one, segment: one.segment - 1 });
      const isBehind = one.segment > 1 && !going.has(before);
      return going.has(segmentName(one)) && !one.hasTombstone && (isNeeded || isBehind);
    });
    if (stays.length === 0) return going;
    for (const one of stays) going.delete(segmentName(one));
  }
}

describe('the order of pruning', () => {
  it('leaves out erasure entries of records that stay, and what follows them in their chains', () => {
    fc.assert(
      fc.property(log, ({ old, segmentOf }) => {
        const ordered = orderPruning(old, segmentOf).map(segmentName);
        expect(ordered.toSorted()).toEqual([...goingOf(old, segmentOf)].sort());
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the order of each chain, and takes an erasure entry before its record only where every chain waits', () => {
    fc.assert(
      fc.property(log, ({ old, segmentOf }) => {
        const ordered = orderPruning(old, segmentOf);
        const left = [...ordered];
        const isFree = (one: OldSegment) => {
          const names = new Set(left.filter((other) => other !== one).map(segmentName));
          return one.erased.every((id) => !names.has(segmentOf.get(id) ?? ''));
        };
        for (const one of ordered) {
          const heads = [...Map.groupBy(left, ({ chain }) => chain).values()].map((chain) =>
            chain.reduce((least, other) => (other.segment < least.segment ? other : least)),
          );
          expect(heads).toContain(one);
          expect(isFree(one) || !heads.some(isFree)).toBe(true);
          left.splice(left.indexOf(one), 1);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('prunes the first chain first where nothing has to wait', () => {
    const old = [2, 1].flatMap((chain) =>
      [1, 2].map((segment) => ({ ...{ chain: `${chain}`, segment, hasTombstone: false, erased: [] } })),
    );
    expect(orderPruning(old, new Map())).toEqual(old);
  });

  it('takes time in proportion to the segments, also where each erasure entry depends on another chain', () => {
    const [chains, length] = [4, 5_000];
    // Segment n of a chain records an erasure in segment n + 1 of the chain after it; those of the last one stay.
    const old = Array.from({ length: chains * length }, (_, i): OldSegment => {
      const [chain, segment] = [i % chains, Math.floor(i / chains) + 1];
      const erased = [nameAt((chain + 1) % chains, segment + 1)];
      return { chain: `chain-${chain}`, segment, hasTombstone: false, erased };
    });
    const segmentOf = new Map(old.flatMap(({ erased }) => erased.map((name) => [name, name] as const)));
    expect(orderPruning(old, segmentOf)).toEqual([]);
    for (let chain = 0; chain < chains; chain++) segmentOf.delete(nameAt(chain, length + 1));
    expect(orderPruning(old, segmentOf)).toHaveLength(old.length);
  });
});
