/** A policy without errors, as a whole -> warnings about what it says and hardly means. */

import { createCheck, type Parts } from './checks/context.ts';
import { checkDangers } from './checks/dangers.ts';
import { checkGaps } from './checks/gaps.ts';
import { checkRules } from './checks/rules.ts';
import { checkTests } from './checks/tests.ts';
import { checkUse } from './checks/use.ts';

/** Looks at a policy that has no errors. What it finds it reports where it stands, as warnings. */
export function checkPolicy(parts: Parts): void {
  const check = createCheck(parts);
  for (const run of [checkUse, checkTests, checkRules, checkGaps, checkDangers]) run(check);
}
