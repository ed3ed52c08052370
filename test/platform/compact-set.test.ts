import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdSet } from '../../src/audit/verify/record-sets.ts';
import { CompactSet } from '../../src/platform/compact-set.ts';

/** Few different words, so that keys repeat and differ in one word only. */
const key = fc.tuple(...Array.from({ length: 4 }, () => fc.constantFrom(0, 1, -1, 0x7fffffff)));
const step = fc.oneof(
  fc.record({ add: key, marks: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ clear: key, marks: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ cut: fc.integer({ min: 0, max: 20 }) }),
);

describe('a compact set', () => {
  it('does what a map in insertion order does', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.array(key), (steps, asked) => {
        const set = new CompactSet();
        const map = new Map<string, number>();
        for (const each of steps) {
          if ('add' in each) {
            const before = map.get(String(each.add));
            expect(set.add(Int32Array.from(each.add), each.marks)).toBe(before);
            map.set(String(each.add), (before ?? 0) | each.marks);
          } else if ('clear' in each) {
            set.clear(Int32Array.from(each.clear), each.marks);
            const before = map.get(String(each.clear));
            if (before !== undefined) map.set(String(each.clear), before & ~each.marks);
          } else {
            set.cut(each.cut);
            for (const name of [...map.keys()].slice(each.cut)) map.delete(name);
          }
          expect(set.size).toBe(map.size);
        }
        for (const one of asked) expect(set.get(Int32Array.from(one))).toBe(map.get(String(one)));
        const isOdd = (marks: number) => marks % 2 === 1;
        expect(set.count(isOdd)).toBe([...map.values()].filter(isOdd).length);
      }),
    );
  });

  it('keeps its keys and marks when it grows and when it is cut', () => {
    const set = new CompactSet();
    const keyOf = (n: number) => Int32Array.of(n, 0, -n, 7);
    for (let n = 0; n < 20_000; n++) expect(set.add(keyOf(n), n % 256)).toBeUndefined();
    set.cut(15_000);
    for (let n = 0; n < 20_000; n++) expect(set.get(keyOf(n))).toBe(n < 15_000 ? n % 256 : undefined);
    expect(set.add(keyOf(19_999), 3)).toBeUndefined();
    expect(set.size).toBe(15_001);
  });
});

it('a set of ids tells UUIDs apart by each of their digits', () => {
  const ids = new IdSet();
  const uuid = '01a1fd40-0000-7000-8000-00000000000f';
  expect(ids.add(uuid)).toBe(true);
  expect(ids.add(uuid)).toBe(false);
  for (const [at, digit] of [...uuid].entries()) {
    if (digit !== '-')
      expect(ids.has(uuid.slice(0, at) + (digit === 'a' ? 'b' : 'a') + uuid.slice(at + 1))).toBe(false);
  }
  ids.cut(0);
  expect(ids.has(uuid)).toBe(false);
});
