/** A condition and facts -> the same tree with the truth of every part, and what each test met. */

import type { Distance } from '../../../decision/explain/distance.ts';
import type { FactState } from '../../../decision/explain/explanation.ts';
import { missOf } from '../../../decision/explain/nearest-fix.ts';
import { stateOf } from '../../../decision/explain/unfired-rules.ts';
import { evaluate, FALSE, factAt, TRUE, type Truth } from '../../../decision/meaning/truth.ts';
import type { Facts } from '../../../facts/fact.ts';
import type { Condition, Test } from '../../../policy/language.ts';
import type { PhraseSetting } from './phrases.ts';

/** What a condition is evaluated on. */
export interface EvaluationContext extends PhraseSetting {
  readonly facts: Facts;
}

/** A combination of conditions, a `not`, or a named condition. */
export interface Branch {
  readonly condition: Exclude<Condition, Test>;
  readonly truth: Truth;
  readonly parts: readonly TruthTree[];
}

/** A test, and what it met. */
export interface Leaf {
  readonly condition: Test;
  readonly truth: Truth;
  readonly is: FactState;
  /** The other fact of a test against a fact. */
  readonly other?: FactState;
  /** By how much the value misses what would help its rule to fire. */
  readonly missedBy?: Distance;
}

/** A condition with its truth, and those of its parts. */
export type TruthTree = Branch | Leaf;

/** The tree of a condition; `isNegated` under an odd number of `not`. */
export function truthTree(condition: Condition, world: EvaluationContext, isNegated = false): TruthTree {
  const truth = evaluate(condition, world.facts, world.day);
  if (condition.kind === 'test') return leaf(condition, truth, world, isNegated);
  const isPartNegated = condition.kind === 'not' ? !isNegated : isNegated;
  return { condition, truth, parts: condition.of.map((part) => truthTree(part, world, isPartNegated)) };
}

/** Whether a tree is a test. */
export function isLeaf(tree: TruthTree): tree is Leaf {
  return tree.condition.kind === 'test';
}

function leaf(test: Test, truth: Truth, world: EvaluationContext, isNegated: boolean): Leaf {
  const stateAt = (path: string) => stateOf(path, factAt(world.facts, path), world);
  const stops = truth === (isNegated ? TRUE : FALSE);
  const distance = stops ? missOf(test, isNegated, world)?.distance : undefined;
  return {
    condition: test,
    truth,
    is: stateAt(test.fact),
    ...(test.other === undefined ? {} : { other: stateAt(test.other) }),
    ...(distance ? { missedBy: distance } : {}),
  };
}
