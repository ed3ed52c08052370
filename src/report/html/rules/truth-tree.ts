/** A condition and facts -> the same tree with the truth of every part, and the state of each test's facts. */

import type { Distance } from '../../../decision/explain/distance.ts';
import type { FactState, TurningTest } from '../../../decision/explain/explanation.ts';
import { missOf } from '../../../decision/explain/nearest-fix.ts';
import { stateOf } from '../../../decision/explain/unfired-rules.ts';
import { evaluate, FALSE, factAt, TRUE, type Truth, UNKNOWN } from '../../../decision/meaning/truth.ts';
import type { Facts } from '../../../facts/fact.ts';
import type { Condition, Test } from '../../../policy/language.ts';
import type { PhraseSetting } from '../parts/phrases.ts';

export interface EvaluationContext extends PhraseSetting {
  readonly facts: Facts;
}

/** A combination of conditions, a `not`, or a named condition. */
export interface Branch {
  readonly condition: Exclude<Condition, Test>;
  readonly truth: Truth;
  readonly parts: readonly TruthTree[];
}

export interface Leaf {
  readonly condition: Test;
  readonly truth: Truth;
  readonly is: FactState;
  /** The other fact of a test that compares two facts. */
  readonly other?: FactState;
  /** How far the value is from one that would help its rule to fire. */
  readonly missedBy?: Distance;
}

/** A condition with its truth and those of its parts. */
export type TruthTree = Branch | Leaf;

/** The tree of a condition; `isNegated`: it is under an odd number of `not`. */
export function truthTree(condition: Condition, context: EvaluationContext, isNegated = false): TruthTree {
  const truth = evaluate(condition, context.facts, context.day);
  if (condition.kind === 'test') return leaf(condition, truth, context, isNegated);
  const isPartNegated = condition.kind === 'not' ? !isNegated : isNegated;
  return { condition, truth, parts: condition.of.map((part) => truthTree(part, context, isPartNegated)) };
}

export function isLeaf(tree: TruthTree): tree is Leaf {
  return tree.condition.kind === 'test';
}

function leaf(test: Test, truth: Truth, context: EvaluationContext, isNegated: boolean): Leaf {
  const stateAt = (path: string) => stateOf(path, factAt(context.facts, path), context);
  const stops = truth === (isNegated ? TRUE : FALSE);
  const distance = stops ? missOf(test, isNegated, context)?.distance : undefined;
  return {
    condition: test,
    truth,
    is: stateAt(test.fact),
    ...(test.other === undefined ? {} : { other: stateAt(test.other) }),
    ...(distance ? { missedBy: distance } : {}),
  };
}

/** The tests that leave an unknown condition unknown, in its order. */
export function openTests(tree: TruthTree, isNegated = false): readonly TurningTest[] {
  if (tree.truth !== UNKNOWN) return [];
  if (!isLeaf(tree)) {
    const isPartNegated = tree.condition.kind === 'not' ? !isNegated : isNegated;
    return tree.parts.flatMap((part) => openTests(part, isPartNegated));
  }
  const { fact, operator, expected, other } = tree.condition;
  const against = other !== undefined && tree.other ? { other: { fact: other, is: tree.other } } : {};
  return [{ fact, operator, expected, is: tree.is, ...against, ...(isNegated ? { negated: true } : {}) }];
}
