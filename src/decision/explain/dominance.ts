/** What a fact could become -> that of it which nothing else is at least as good as, on the way to an outcome. */

import type { Outcome } from '../../policy/language.ts';
import type { Model } from './model/model.ts';
import { PARTS, type TruthBounds } from './model/truth-bounds.ts';

/** Of some choices of a variable, those that are enough to try. */
export type Dominance = (place: number, choices: readonly number[]) => readonly number[];

/**
 * Towards accept, where it is the default too, a rule that does not accept by itself and takes no points away is never of use:
 * of two values, one that makes fewer of these rules true, and the same of all others, leads wherever the other does. Towards
 * anything else, and for facts that have to fit others, every choice is tried.
 */
export function dominanceFor({ policy, variables, form: { mask, rules, ruleOf } }: Model, to: Outcome): Dominance {
  if (to !== 'accept' || policy.default !== 'accept') return (_, choices) => choices;
  const words = mask.length;
  const helping = new Int32Array(words);
  for (const [conjunction, index] of ruleOf.entries()) {
    const rule = rules[index];
    const word = conjunction >> 5;
    if (!rule || (rule.points ?? 0) < 0 || (rule.final && rule.then === 'accept')) {
      helping[word] = (helping[word] as number) | (1 << (conjunction & 31));
    }
  }
  // Of a text that was not found the least that it may be counts: nothing is left aside for it.
  const isAsGood = (one: TruthBounds, other: TruthBounds) => {
    for (const [can, is] of [PARTS_OF_VALUES.possible, PARTS_OF_VALUES.certain]) {
      for (let i = 0; i < words; i++) {
        const ours = one[can * words + i] as number;
        const theirs = [other[can * words + i] as number, other[is * words + i] as number] as const;
        if ((ours & ~theirs[1]) !== 0 || ((ours ^ theirs[0]) & (helping[i] as number)) !== 0) return false;
        if (((theirs[0] ^ theirs[1]) & (helping[i] as number)) !== 0) return false;
      }
    }
    return true;
  };
  return (place, choices) => {
    const variable = variables[place];
    if (!variable?.isPlain) return choices;
    const leeway = (choice: number) => variable.choices[choice]?.leeway as TruthBounds;
    const kept: number[] = [];
    // Texts that were not found stand last.
    for (const choice of choices) {
      if (kept.some((other) => isAsGood(leeway(other), leeway(choice)))) continue;
      if (variable.choices[choice]?.fact) {
        for (const other of [...kept]) if (isAsGood(leeway(choice), leeway(other))) kept.splice(kept.indexOf(other), 1);
      }
      kept.push(choice);
    }
    return kept;
  };
}

/** Where the vectors stand of what some of several values leave, and of what all of them do. */
const PARTS_OF_VALUES = {
  possible: [PARTS.canBePossible, PARTS.isPossible],
  certain: [PARTS.canBeCertain, PARTS.isCertain],
} as const;
