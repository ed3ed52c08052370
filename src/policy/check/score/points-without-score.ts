/** Points in a policy whose score has no bands -> a warning for each file. */

import { hasBands } from '../../language.ts';
import { type Check, nameRules } from '../context.ts';
import { scoringRules } from './sums.ts';

export function checkPointsWithoutScore(check: Check): void {
  const { policy, warn, nodeOf } = check;
  if (hasBands(policy)) return;
  const points = scoringRules(check).map(({ rule }) => ({ rule, node: nodeOf(rule, 'points') }));
  for (const [, group] of Map.groupBy(points, ({ node }) => node?.source)) {
    const rules = nameRules(group.map(({ rule }) => rule));
    const message = `the points of the rule ${rules} change no outcome: the policy has no \`score\``;
    const hint = 'add `score: { review: …, reject: … }` to the policy, or remove the points';
    warn(group[0]?.node, 'points-without-score', message, hint);
  }
}
