/** Bands of the score in which no sum of points lies -> a warning each. */

import { count } from '../../../text.ts';
import type { Band } from '../../language.ts';
import type { Check } from '../context.ts';
import { bandNode } from './bands.ts';
import { greatestSum, scoringRules } from './sums.ts';

export function checkBandsNeverReached(check: Check): void {
  const { review, reject } = check.policy.score;
  const rules = scoringRules(check);
  if (rules.length === 0 || (review === undefined && reject === undefined)) return;
  const greatest = greatestSum(rules);
  const report = (band: Band, message: string, hint: string) =>
    check.warn(bandNode(band, check), 'band-never-reached', message, hint);
  for (const band of ['review', 'reject'] as const) {
    const from = check.policy.score[band];
    if (from === undefined || greatest >= from) continue;
    const sum = `the rules that can fire together have at most ${count(greatest, 'point')} in all`;
    report(band, `no score reaches ${band} from ${from}: ${sum}`, 'lower the band, or give rules more points');
    // The reject band is higher still.
    break;
  }
  // Without negative points a sum is 0, or at least as large as the least points of a rule.
  const least = Math.min(...rules.map(({ points }) => points));
  if (review === undefined || reject === undefined || review <= 0 || least < reject) return;
  const message = `no score lies between review from ${review} and reject from ${reject}`;
  const hint = 'raise the reject band, or give rules fewer points';
  report('review', `${message}: each rule with points has at least ${least}`, hint);
}
