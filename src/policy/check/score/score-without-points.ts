/** A score to which no rule adds points -> a warning. */

import { count } from '../../../text.ts';
import { hasBands } from '../../language.ts';
import type { Check } from '../context.ts';
import { scoringRules } from './sums.ts';

export function checkScoreWithoutPoints(check: Check): void {
  const { policy, keys, warn } = check;
  if (!hasBands(policy) || scoringRules(check).length > 0) return;
  const idle = policy.rules.filter(({ points }) => points).length;
  const found = idle === 0 ? 'no rule has points' : `no points count of the ${count(idle, 'rule')} with points`;
  const hint = idle === 0 ? 'give rules `points`, or remove `score`' : 'rules in shadow mode add nothing';
  warn(keys.get('score')?.key, 'score-without-points', `${found}: the score is 0 for everybody`, hint);
}
