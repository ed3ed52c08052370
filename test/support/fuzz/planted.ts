/** A target with bugs that the fuzzer has to find. */

import { setTimeout } from 'node:timers/promises';
import { pick } from '../facts/mutate.ts';
import type { OpenTarget } from './case.ts';

/** What its cases do, by name. */
const BUGS: Readonly<Record<string, () => string | undefined>> = {
  none: () => undefined,
  hangs: () => {
    for (;;);
  },
  grows: () => {
    const kept: number[][] = [];
    for (;;) kept.push(Array<number>(100_000).fill(1.5));
  },
  exits: () => process.exit(7),
  throws: () => {
    throw new TypeError('planted');
  },
  accepts: () => 'accepted',
};

export const TARGETS: Readonly<Record<string, OpenTarget>> = {
  planted: async () => ({
    make(random) {
      const how = pick(Object.keys(BUGS), random);
      return { how, bytes: Buffer.from(how), run: async () => BUGS[how]?.() };
    },
    close() {},
  }),
  waiting: async () => ({
    make: () => ({ how: 'waits', bytes: Buffer.of(), run: () => setTimeout(1200, undefined) }),
    close() {},
  }),
};
