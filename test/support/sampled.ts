/** The number of cases of a random test: a sample in `npm test`, all of them in `npm run test:soak`. */

/** Whether the tests run with full counts. */
export const IS_SOAK = process.env['VERDICT_TEST'] === 'soak';

/** Whether the tests that take long are left out. */
export const IS_QUICK = process.env['VERDICT_TEST'] === 'quick';

/** `everyday` cases, or `full` if the tests run with full counts. */
export function sampled(everyday: number, full: number): number {
  return IS_SOAK ? full : everyday;
}
