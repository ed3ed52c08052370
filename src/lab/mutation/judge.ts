/** A case of a policy, decided once -> what mutants of the policy decide, from the rules that they change alone. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { type RuleTruth, settle } from '../../decision/meaning/outcome.ts';
import { evaluate, FALSE, TRUE, type Truth, UNKNOWN } from '../../decision/meaning/truth.ts';
import { giveVerdict, type Verdict } from '../../decision/meaning/verdict.ts';
import type { Facts } from '../../facts/fact.ts';
import { isActive, type Policy, type Rule } from '../../policy/language.ts';
import { differencesIn } from '../testing/run-case.ts';
import type { Expectation } from '../testing/test-case.ts';
import type { PolicyChange } from './mutant.ts';

/** Facts on a day, as a policy decides them. */
export interface DecidedCase {
  readonly policy: Policy;
  readonly facts: Facts;
  readonly at: string;
  readonly verdict: Verdict;
  /** By rule, its truth; rules that are not active are false. */
  readonly truths: readonly Truth[];
}

/** Decides facts, which are as `readFacts` gives them. */
export function decideCase(policy: Policy, facts: Facts, at: string): DecidedCase {
  const verdict = matcherOf(policy).verdict(facts, at);
  const indexes = indexesOf(policy);
  const truths = policy.rules.map((): Truth => FALSE);
  const note = (rule: string, truth: Truth) => {
    truths[indexes.get(rule) as number] = truth;
  };
  for (const reason of verdict.reasons) if (reason.because === 'fired') note(reason.rule, TRUE);
  for (const { rule } of verdict.undetermined) note(rule, UNKNOWN);
  for (const { rule, result } of verdict.shadow) note(rule, result === 'fires' ? TRUE : UNKNOWN);
  return { policy, facts, at, verdict, truths };
}

const indexes = new WeakMap<Policy, ReadonlyMap<string, number>>();

function indexesOf(policy: Policy): ReadonlyMap<string, number> {
  const known = indexes.get(policy) ?? new Map(policy.rules.map(({ id }, i) => [id, i]));
  indexes.set(policy, known);
  return known;
}

/** What a changed policy decides where it differs from the policy: the same verdict as that of its matcher. */
export interface ChangedCase {
  verdict(): Verdict;
  /** Whether the verdict fails an expectation. */
  fails(expect: Expectation): boolean;
}

/** Decides a case by a changed policy; undefined if no changed rule does anything else than before. */
export function changeCase(decided: DecidedCase, change: PolicyChange): ChangedCase | undefined {
  const { policy, facts, at, truths } = decided;
  const changed = new Map<number, { readonly rule: Rule; readonly truth: Truth }>();
  let isReached = false;
  for (const [index, rule] of change.rules) {
    const before = truths[index] as Truth;
    const old = policy.rules[index] as Rule;
    if (!rule || !isActive(rule, at)) {
      if (before === FALSE) continue;
      changed.set(index, { rule: old, truth: FALSE });
      isReached = true;
      continue;
    }
    const truth = rule.when === old.when ? before : evaluate(rule.when, facts, at);
    changed.set(index, { rule, truth });
    isReached ||= truth !== before || doesOtherwise(old, rule, truth);
  }
  const other = { ...policy, default: change.default, score: change.score };
  if (!isReached && change.rules.size > 0) return undefined;
  const found = policy.rules.flatMap((rule, index): RuleTruth[] => {
    const { rule: now, truth } = changed.get(index) ?? { rule, truth: truths[index] as Truth };
    return truth === FALSE ? [] : [{ rule: now, truth }];
  });
  if (change.rules.size === 0 && !settlesOtherwise(policy, other, found)) return undefined;
  let verdict: Verdict | undefined;
  const decide = () => {
    verdict ??= giveVerdict(other, found, facts, at);
    return verdict;
  };
  return { verdict: decide, fails: (expect) => differencesIn(decide(), expect).length > 0 };
}

/** Whether a rule of this truth asks for something else than before. */
function doesOtherwise(old: Rule, now: Rule, truth: Truth): boolean {
  if (truth === FALSE) return false;
  if (old.shadow !== now.shadow || old.then !== now.then || (old.points ?? 0) !== (now.points ?? 0)) return true;
  // An undetermined final rule can overrule milder ones.
  if (old.final !== now.final) return true;
  return truth === UNKNOWN && old.whenUnknown !== now.whenUnknown;
}

/** Whether another default or other bands ask for something else. */
function settlesOtherwise(policy: Policy, other: Policy, found: readonly RuleTruth[]): boolean {
  const counted = found.filter(({ rule }) => !rule.shadow);
  const [before, after] = [settle(policy, counted), settle(other, counted)];
  if (policy.default !== other.default && before.isDefaultAsked) return true;
  return before.score.band !== after.score.band || before.bandAbove !== after.bandAbove;
}
