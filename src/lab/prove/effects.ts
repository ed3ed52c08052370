/** An applicant -> the rules that fire, and those without which the decision would differ. */

import type { RuleMatcher } from '../../decision/matcher/matcher.ts';
import { isAmongDeciders, OutcomeTally, type RuleTruth, type Sums } from '../../decision/meaning/outcome.ts';
import { TRUE } from '../../decision/meaning/truth.ts';
import type { Facts } from '../../facts/fact.ts';
import { cached } from '../../platform/cached.ts';
import { hasOwnWords } from '../../policy/check/pair-checks.ts';
import { type Outcome, type Policy, type Rule, strictness } from '../../policy/language.ts';
import { OUTCOME } from '../../policy/sameness.ts';
import { NOTHING, type Weight, weigh } from '../../policy/weight.ts';

/** What rules do for one applicant. A shadow rule is one that the policy would have if it were live. */
export interface Effects {
  readonly fired: ReadonlySet<Rule>;
  /** Those without which the outcome would differ, or that give a reason which no other rule gives. */
  readonly matter: ReadonlySet<Rule>;
}

/** Rules of one truth that add the same: without any one of them, the outcome is the same. */
interface Alike {
  readonly isFired: boolean;
  readonly weight: Weight;
  readonly rules: Rule[];
}

/** The effects of all rules that are active on a day. */
export function effectsAt(matcher: RuleMatcher, facts: Facts, day: string): Effects {
  const truths = matcher.truths(facts, day);
  const { policy } = matcher;
  const live = groupAlike(truths.filter(({ rule }) => !rule.shadow));
  const before = sumsBefore(policy, live);
  const after = sumsBefore(policy, live.toReversed()).reverse();
  const all = before.at(-1) as Sums;
  const tally = new OutcomeTally(policy);
  const decide = (sums: readonly Sums[], more?: Alike, count = 1) => {
    tally.reset();
    for (const each of sums) tally.addSums(each);
    if (more) for (let i = 0; i < count; i++) tally.add(more.weight, more.isFired);
    return { outcome: tally.answer().outcome, sums: tally.sums() };
  };
  const fired = truths.flatMap(({ rule, truth }) => (truth === TRUE ? rule : []));
  const firedByGroup = Map.groupBy(
    fired.filter(({ shadow }) => !shadow),
    groupOf,
  );
  const explainsAlone = (rule: Rule) =>
    explains(rule, firedByGroup.get(groupOf(rule))?.filter((other) => other !== rule) ?? []);
  const matter = new Set<Rule>();
  const note = ({ isFired, weight, rules }: Alike, withThem: ReturnType<typeof decide>, withoutOne: Outcome) => {
    const areDecisive = isFired && isDecisive(weight, withThem);
    for (const rule of rules)
      if (withThem.outcome !== withoutOne || (areDecisive && explainsAlone(rule))) matter.add(rule);
  };
  const asIs = decide([all]);
  for (const [i, each] of live.entries()) {
    const others = [before[i], after[i + 1]] as [Sums, Sums];
    note(each, asIs, decide(others, each, each.rules.length - 1).outcome);
  }
  for (const each of groupAlike(truths.filter(({ rule }) => rule.shadow))) {
    note(each, decide([all], each), asIs.outcome);
  }
  return { fired: new Set(fired), matter };
}

/** Rules of one group are decisive together: they ask for the same, and all are final, or none is. */
export function groupOf({ then, final }: Rule): string {
  return `${then} ${final}`;
}

/** Rules of its group that do not have words of their own which the rule lacks. */
export function findSameWords(rule: Rule, others: readonly Rule[]): readonly Rule[] {
  return others.filter((other) => !hasOwnWords(rule, other));
}

/**
 * Whether a decisive rule gives a reason that these other decisive rules of its group do not: it has
 * words of its own, or nothing but the default, the score or what is unknown would be the reason without it.
 */
function explains(rule: Rule, others: readonly Rule[]): boolean {
  const isOnly = others.length === 0 && rule.then !== 'accept';
  return isOnly || (hasOwnWords(rule) && findSameWords(rule, others).length === 0);
}

/** Whether a rule that fired is among the decisive reasons. */
function isDecisive(weight: Weight, { outcome, sums }: { readonly outcome: Outcome; readonly sums: Sums }): boolean {
  return sums.finalFired === NOTHING ? weight.fired === strictness(outcome) : isAmongDeciders(weight, true, sums);
}

/** Groups rules by their truth and what they add. */
function groupAlike(found: readonly RuleTruth[]): readonly Alike[] {
  const groups = new Map<string, Alike>();
  for (const { rule, truth } of found) {
    const isFired = truth === TRUE;
    const [fired, open] = effectsOf(rule);
    const effect = isFired ? fired : open;
    const group = groups.get(effect);
    if (group) group.rules.push(rule);
    else groups.set(effect, { isFired, weight: weigh(rule), rules: [rule] });
  }
  return [...groups.values()];
}

/** Equal for rules that add the same when they fire, and when they are undetermined. */
const effectsOf = cached((rule: Rule): readonly [fired: string, open: string] => {
  const effect = OUTCOME.effectOf(rule);
  return [`fired ${effect}`, `open ${effect}`];
});

/** The sums of the groups before each, and of all. */
function sumsBefore(policy: Policy, groups: readonly Alike[]): Sums[] {
  const tally = new OutcomeTally(policy);
  const sums = [tally.sums()];
  for (const { rules, weight, isFired } of groups) {
    for (const _ of rules) tally.add(weight, isFired);
    sums.push(tally.sums());
  }
  return sums;
}
