/** Processes on a log in which one system call fails: nothing is acknowledged that is not there. */

import { describe, expect, it } from 'vitest';
import { hasStrace, INJECTIONS, injectAll } from '../../support/audit/strace.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

/** `node test/soak/audit.ts` lets each call of each kind fail. */
const SAMPLE = INJECTIONS.filter(({ call, fate }) =>
  ['write', 'ftruncate signal=KILL'].some((sampled) => `${call} ${fate}`.startsWith(sampled)),
);

describe.skipIf(!hasStrace())('one system call that fails (skipped where strace is not installed)', () => {
  it.each(SAMPLE.map((injection) => [Object.values(injection).join(' '), injection] as const))(
    '%s: nothing is acknowledged that is not there',
    async (_, injection) => {
      const { injected, broken } = await injectAll(temporaryFolder(), injection, 2);
      expect(broken).toEqual([]);
      expect(injected).toBeGreaterThan(0);
    },
  );
});
