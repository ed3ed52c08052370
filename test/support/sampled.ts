/** How many cases a random test tries: a sample every day, all of them with `npm run test:soak`. */

/** Whether the tests run at full count. */
export const IS_SOAK = process.env['VERDICT_TEST'] === 'soak';

/** `everyday` cases, or `full` where the tests run at full count. */
export function sampled(everyday: number, full: number): number {
  return IS_SOAK ? full : everyday;
}
