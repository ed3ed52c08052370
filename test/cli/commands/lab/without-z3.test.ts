/** `verdict diff` says how to add z3, where it is not installed. */

import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { HOW_TO_INSTALL } from '../../../../src/lab/solver/solver.ts';
import { runCli } from '../../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../../support/policy/policy.ts';

it('without z3, diff says how to add it', async () => {
  vi.doMock('z3-solver', () => {
    throw new Error('Cannot find package');
  });
  const policy = join(temporaryFolder({ 'policy.yaml': HEAD }), 'policy.yaml');
  const { exitCode, stderr } = await runCli(['diff', policy, policy]);
  expect(stderr).toBe(`verdict: z3, an optional package, is not installed. This needs it: ${HOW_TO_INSTALL}\n`);
  expect(exitCode).toBe(3);
});
