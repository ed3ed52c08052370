/** A sample of the fuzzer that `npm run test:soak` runs at length, and the bugs that it has to find. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { caseOf, tryCase } from './support/fuzz/case.ts';
import { documentsTarget } from './support/fuzz/files.ts';
import { TARGETS as PLANTED } from './support/fuzz/planted.ts';
import { TARGETS } from './support/fuzz/targets.ts';
import { watchCases } from './support/fuzz/watch.ts';
import { sampled } from './support/sampled.ts';

const SEED = 20_251_120;
/** Of a sample with each planted bug. */
const PLANTED_SEED = 260;

/** These numbers of cases take about as long as each other. */
const CASES: Readonly<Record<string, number>> = {
  policies: 5,
  lists: 10,
  rows: 10,
  mappings: 6,
  tests: 6,
  facts: 20,
  answers: 30,
  csv: 15,
  ndjson: 50,
  http: 3,
};

describe('hostile input throws nothing, and is never accepted in place of what is refused', () => {
  it('with cases of every target', () => {
    expect(Object.keys(CASES)).toEqual(Object.keys(TARGETS));
  });

  it('beginning with documents that are read without a diagnostic', async () => {
    const target = await documentsTarget();
    expect(await tryCase(caseOf(target, SEED, 0))).toBeUndefined();
    target.close();
  });

  it.each(Object.entries(CASES))('in %s', async (name, cases) => {
    const target = await TARGETS[name]?.();
    if (!target) throw new Error('no such target');
    try {
      for (let number = 0; number < sampled(cases, cases * 20); number++) {
        const fuzzCase = caseOf(target, SEED, number);
        expect({ number, how: fuzzCase.how, broken: await tryCase(fuzzCase) }).toMatchObject({ broken: undefined });
      }
    } finally {
      target.close();
    }
  });
});

/** What the fuzzer says of each planted bug. */
const SAID: Readonly<Record<string, RegExp>> = {
  hangs: /^took more than 2000 ms$/,
  grows: /^needed more than 32 MB of heap$/,
  exits: /^ended the process \(7\)/,
  throws: /^threw TypeError: planted/,
  accepts: /^accepted$/,
};

const targets = join(import.meta.dirname, 'support/fuzz/planted.ts');

it('the fuzzer takes no case that waits for one that hangs', async () => {
  const batch = { name: 'waiting', seed: PLANTED_SEED, from: 0, cases: 1, targets };
  expect((await watchCases(batch, { caseMs: 150, heapMb: 64 })).findings).toEqual([]);
});

it('the fuzzer finds each planted bug, and goes on behind it', async () => {
  const target = await PLANTED.planted?.();
  if (!target) throw new Error('no such target');
  const hows = Array.from({ length: 7 }, (_, number) => caseOf(target, PLANTED_SEED, number).how);
  expect(new Set(hows)).toEqual(new Set(['none', ...Object.keys(SAID)]));
  const batch = { name: 'planted', seed: PLANTED_SEED, from: 0, cases: hows.length, targets };
  const { findings } = await watchCases(batch, { caseMs: 2000, heapMb: 32 });
  expect(findings).toEqual(
    hows.flatMap((how, number) =>
      how === 'none' ? [] : [{ number, problem: expect.stringMatching(SAID[how] ?? '') }],
    ),
  );
});
