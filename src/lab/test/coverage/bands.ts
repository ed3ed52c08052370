/** The bands of a score -> when the cases reach them, and what no points lead to. */

import { ScoreRange } from '../../../decision/meaning/outcome-range.ts';
import { TRUTH_BITS } from '../../../decision/meaning/truth-sets.ts';
import type { Rule } from '../../../policy/language.ts';
import { weigh } from '../../../policy/weight.ts';
import { BANDS, type Counters } from './counters.ts';
import { type Item, OF_ALL_DAYS, truthGoals } from './item.ts';

const GOALS_OF_BANDS = ['not reached', 'undetermined', 'reached'] as const;

/** The bands of the score that the policy has. `possible` are the truths that each rule can have. */
export function bandItems(counters: Counters, possible: readonly number[]): readonly Item[] {
  const { score, rules } = counters.policy;
  return BANDS.flatMap((band): Item[] => {
    const from = score[band];
    if (from === undefined) return [];
    const goals = truthGoals(
      GOALS_OF_BANDS,
      bandTruths(from, rules, possible),
      (truth, { counts }) => counts[counters.bandAt(band, truth)] ?? 0,
    );
    return [{ key: `band ${band}`, kind: 'band', name: `${band} from ${from}`, ...OF_ALL_DAYS, goals }];
  });
}

/** The truths that a band can have if every rule can have its truths beside those of the others. */
function bandTruths(from: number, rules: readonly Rule[], possible: readonly number[]): number {
  const range = new ScoreRange();
  let canWiden = false;
  for (const [i, rule] of rules.entries()) {
    if (rule.shadow) continue;
    const weight = weigh(rule);
    // On another day the rule does nothing.
    const isOfDays = rule.from !== undefined || rule.until !== undefined;
    const truths = (possible[i] as number) | (isOfDays ? TRUTH_BITS.false : 0);
    range.add(weight, truths);
    if (weight.openLeast !== weight.openMost && truths & TRUTH_BITS.unknown) canWiden = true;
  }
  const { low, high } = range;
  return (
    (low.most >= from ? TRUTH_BITS.true : 0) |
    (high.least < from ? TRUTH_BITS.false : 0) |
    (canWiden && low.least < from && high.most >= from ? TRUTH_BITS.unknown : 0)
  );
}
