/**
 * The random cases of `npm test` are the same in every run, so that a failure is of the change under test. The runs of
 * `npm run test:soak` differ; a failure prints its seed, and `VERDICT_SEED` repeats it.
 */

import { configureGlobal } from 'fast-check';

const given = process.env['VERDICT_SEED'];

if (given !== undefined) configureGlobal({ seed: Number(given) });
else if (process.env['VERDICT_TEST'] !== 'soak') configureGlobal({ seed: 1 });
