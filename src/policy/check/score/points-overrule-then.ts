/** Rules whose own points always reach a stricter band than their `then` -> a warning each. */

import { count } from '../../../text.ts';
import { bandOf, strictness } from '../../language.ts';
import type { Check } from '../context.ts';
import { leastSum, scoringRules } from './sums.ts';

export function checkOverrulingPoints(check: Check): void {
  const { policy, warn, nodeOf } = check;
  const rules = scoringRules(check);
  const lost = leastSum(rules);
  for (const { rule, points, canFire } of rules) {
    // A final rule decides whatever the score is.
    if (rule.then === undefined || rule.final || !canFire) continue;
    const band = bandOf(policy.score, points + lost);
    if (band === null || strictness(band) <= strictness(rule.then)) continue;
    const from = `the score asks for ${band} from ${policy.score[band]}`;
    const message = `the rule "${rule.id}" asks for ${rule.then}, but has ${count(points, 'point')}, and ${from}`;
    const hint = `write \`then: ${band}\`, or give it fewer points`;
    warn(nodeOf(rule, 'points'), 'points-overrule-then', `${message}: whenever it fires, ${band} is asked for`, hint);
  }
}
