/** Bands of the score that every sum of points reaches -> a warning each. */

import type { Check } from '../context.ts';
import { bandNode } from './bands.ts';
import { leastSum, scoringRules } from './sums.ts';

export function checkBandsAlwaysReached(check: Check): void {
  const least = leastSum(scoringRules(check));
  for (const band of ['review', 'reject'] as const) {
    const from = check.policy.score[band];
    if (from === undefined || least < from) continue;
    const message = `every score reaches ${band} from ${from}: no score is less than ${least}`;
    const hint = 'raise the band; where no rule with points fires, the score is 0';
    check.warn(bandNode(band, check), 'band-always-reached', message, hint);
  }
}
