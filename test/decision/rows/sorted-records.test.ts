/** Records are sorted in memory and in runs on disk alike, and nothing stays on disk. */

import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { SortedRecords } from '../../../src/decision/rows/sorted-records.ts';

const WIDTH = 3;
const field = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.double({ noNaN: true, noDefaultInfinity: true }));
const records = fc.array(fc.tuple(field, field, field), { maxLength: 40 });

const foldersOnDisk = () => readdirSync(tmpdir()).filter((name) => name.startsWith('verdict-sorted-'));

it.each([1, 100, 10_000])('by their fields, in turn, with runs of %i bytes', (runBytes) => {
  fc.assert(
    fc.property(records, (given) => {
      const sorted = new SortedRecords(WIDTH, [1, 0], runBytes);
      for (const record of given) sorted.add(record);
      const keysOf = (all: Iterable<ArrayLike<number>>) => [...all].map((record) => [record[1], record[0]]);
      const copies = sorted.sorted().map((record) => [...record]);
      // A second reading follows behind the first.
      const behind = sorted.sorted();
      const expected = given.toSorted((one, other) => one[1] - other[1] || one[0] - other[0]);
      const found = [...copies];
      expect(keysOf(found)).toEqual(keysOf(expected));
      expect(keysOf(behind.map((record) => [...record]))).toEqual(keysOf(expected));
      const texts = (all: readonly ArrayLike<number>[]) => all.map((record) => JSON.stringify(Array.from(record)));
      expect(texts(found).sort()).toEqual(texts(given).sort());
      sorted.close();
    }),
    { numRuns: 60 },
  );
  expect(foldersOnDisk()).toEqual([]);
});
