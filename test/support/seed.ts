/**
 * The random cases of `npm test` are the same in every run, so that a failure is of the change under test. The runs of
 * `npm run test:soak` differ: a test file that fails prints its seed, and `VERDICT_SEED` repeats it.
 */

import { configureGlobal } from 'fast-check';
import { afterEach } from 'vitest';

const IS_SOAK = process.env['VERDICT_TEST'] === 'soak';

/** The seed of this run. */
export const SEED = Number(process.env['VERDICT_SEED'] ?? (IS_SOAK ? Math.floor(Math.random() * 2 ** 31) : 1));
configureGlobal({ seed: SEED });

if (IS_SOAK) {
  // Not all tests are of `fc.assert`, which prints the seed by itself.
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(`VERDICT_SEED=${SEED} repeats "${task.name}"\n`);
  });
}
