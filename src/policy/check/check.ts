/** A policy without errors, as a whole -> warnings about what it says and hardly means. */

import { createCheck, type Parts } from './context.ts';
import { checkDeadRules } from './dead-rules.ts';
import { checkGaps } from './gaps.ts';
import { checkHazards } from './hazards.ts';
import { checkTests } from './tests.ts';
import { checkUnused } from './unused.ts';

/** Looks at a policy that has no errors. What it finds it reports where it stands, as warnings. */
export function checkPolicy(parts: Parts): void {
  const check = createCheck(parts);
  for (const run of [checkUnused, checkTests, checkDeadRules, checkGaps, checkHazards]) run(check);
}
