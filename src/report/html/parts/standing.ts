/** A policy, facts and a day -> the standing of each rule, and the truth of every part of its condition. */

import type { Distance } from '../../../decision/explain/distance.ts';
import type { Explanation, FactState, TurningTest } from '../../../decision/explain/explanation.ts';
import { missOf } from '../../../decision/explain/nearest-fix.ts';
import { stateOf } from '../../../decision/explain/unfired-rules.ts';
import { type Evidence, gatherEvidence } from '../../../decision/meaning/evidence.ts';
import { evaluate, FALSE, factAt, TRUE, type Truth, UNKNOWN } from '../../../decision/meaning/truth.ts';
import type { Verdict } from '../../../decision/meaning/verdict.ts';
import type { Facts } from '../../../facts/fact.ts';
import { type Condition, isActive, type Policy, type Rule, type Test } from '../../../policy/language.ts';
import { renderMessage } from '../../../policy/read/message.ts';
import type { StateSetting } from '../../words/fact-states.ts';

export type Standing = 'fired' | 'undetermined' | 'notFired' | 'inactive';

export interface RuleStanding {
  /** Its index in the policy, from 0: its anchor on a page is made of it. */
  readonly index: number;
  readonly rule: Rule;
  readonly standing: Standing;
  readonly tree: TruthTree;
  /** The tests that stopped a rule that did not fire; empty if it never can. Undefined if they are not known. */
  readonly turning: readonly TurningTest[] | undefined;
  /** The message of a rule that fired, with the values of its facts, and the tests that made it fire. */
  readonly message: string | undefined;
  readonly evidence: readonly Evidence[];
  /** Whether it led to the outcome. */
  readonly isDecisive: boolean;
}

/** All rules. Those that did not fire come last: nearest first by an explanation, or in the order of the policy. */
export function standings(
  policy: Policy,
  { reasons }: Pick<Verdict, 'reasons'>,
  context: EvaluationContext,
  explanation?: Explanation,
): readonly RuleStanding[] {
  const decisive = new Set(reasons.flatMap((reason) => ('rule' in reason && reason.decisive ? [reason.rule] : [])));
  const nearness = new Map(explanation?.notFired.map(({ rule }, i) => [rule, i]));
  const turning = new Map(
    explanation?.notFired.filter(isSearched).map(({ rule, stoppedBy }) => [rule, stoppedBy] as const),
  );
  const all = policy.rules.map((rule, index) => {
    const tree = truthTree(rule.when, context);
    return {
      index,
      rule,
      standing: standingOf(rule, tree, context.day),
      tree,
      turning: turning.get(rule.id),
      ...foundBy(rule, tree, context),
      isDecisive: decisive.has(rule.id),
    };
  });
  const rank = ({ rule, index }: RuleStanding) => nearness.get(rule.id) ?? nearness.size + index;
  const rest = all.filter(({ standing }) => standing === 'notFired').sort((one, other) => rank(one) - rank(other));
  return [...all.filter(({ standing }) => standing !== 'notFired'), ...rest];
}

/** What a rule that fired found. */
function foundBy(
  { when, message }: Rule,
  { truth }: TruthTree,
  { facts, day }: EvaluationContext,
): Pick<RuleStanding, 'message' | 'evidence'> {
  if (truth !== TRUE) return { message: undefined, evidence: [] };
  return { message: message && renderMessage(message, facts, day), evidence: gatherEvidence(when, facts, day) };
}

function isSearched(rule: { readonly isSearched?: false }): boolean {
  return rule.isSearched !== false;
}

function standingOf(rule: Rule, { truth }: TruthTree, day: string): Standing {
  if (!isActive(rule, day)) return 'inactive';
  return truth === TRUE ? 'fired' : truth === UNKNOWN ? 'undetermined' : 'notFired';
}

export interface EvaluationContext extends StateSetting {
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
function truthTree(condition: Condition, context: EvaluationContext, isNegated = false): TruthTree {
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

/** How its open tests are related: `and`, `or`, or empty where it takes more than one word. */
export function openWord(tree: TruthTree): 'and' | 'or' | '' {
  const [word = '', ...others] = new Set(relationsIn(tree));
  return others.length > 0 ? '' : word;
}

function relationsIn(tree: TruthTree, isNegated = false): readonly ReturnType<typeof openWord>[] {
  if (isLeaf(tree)) return [];
  const { kind } = tree.condition;
  const open = tree.parts.filter(({ truth }) => truth === UNKNOWN);
  const word = kind === 'atLeastOf' ? '' : (kind === 'any') === isNegated ? 'and' : 'or';
  const inside = open.flatMap((part) => relationsIn(part, kind === 'not' ? !isNegated : isNegated));
  return open.length < 2 ? inside : [word, ...inside];
}
