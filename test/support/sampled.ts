/** How much of the tests runs, by VERDICT_TEST: a sample in `npm test`, all random cases in `npm run test:soak`. */

const RUN = process.env['VERDICT_TEST'];

/** Whether the tests run with full counts. */
export const IS_SOAK = RUN === 'soak';

/** Whether the tests that take long are left out. */
export const IS_QUICK = RUN === 'quick';

/** Whether only the tests run that a release has to pass beside the others. */
export const IS_RELEASE = RUN === 'release';

/** Whether the tests run again on every save. */
export const IS_WATCH = RUN === 'watch';

/** `everyday` cases, or `full` if the tests run with full counts. */
export function sampled(everyday: number, full: number): number {
  return IS_SOAK ? full : everyday;
}
