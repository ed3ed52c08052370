/** `verdict decide --file`, killed at random moments (audit.slow.test.ts has one kill). */

import { expect, it } from 'vitest';
import { runKills } from '../../support/cli/bulk-kills.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { SEED } from '../../support/seed.ts';

it('a kill at any moment loses no row, and no row is billed twice without --resend', async () => {
  const report = await runKills({ seed: SEED, kills: 9, rows: 250, folder: temporaryFolder() });
  expect(report, `seed ${SEED}`).toMatchObject({ recorded: 250, broken: [] });
  expect(report.killed).toBeGreaterThan(0);
});
