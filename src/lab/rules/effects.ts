/** An applicant -> the rules that fire, and those without which the decision would be another. */

import type { RuleMatcher } from '../../decision/matcher/matcher.ts';
import { OutcomeTally, type RuleTruth, type Sums, strictness, weigh } from '../../decision/meaning/outcome.ts';
import { TRUE } from '../../decision/meaning/truth.ts';
import type { Facts } from '../../facts/fact.ts';
import { hasOwnWords } from '../../policy/check/rules/own-words.ts';
import type { Outcome, Policy, Rule } from '../../policy/language.ts';
import { OUTCOME } from '../diff/edits.ts';

/** What rules do for one applicant. A shadow rule is one that the policy would have if it were live. */
export interface Effects {
  readonly fired: ReadonlySet<Rule>;
  /** Those without which the outcome would be another, or that explain it as no other rule does. */
  readonly matter: ReadonlySet<Rule>;
}

/** The effects of all rules that are active on a day. */
export function effectsAt(matcher: RuleMatcher, facts: Facts, day: string): Effects {
  const found = matcher.truths(facts, day);
  const live = found.filter(({ rule }) => !rule.shadow);
  const { policy } = matcher;
  const alike = [...Map.groupBy(live, effectOf).values()];
  const before = sumsBefore(policy, alike);
  const after = sumsBefore(policy, alike.toReversed()).reverse();
  const whole = before.at(-1) as Sums;
  const decide = (sums: readonly Sums[], added: readonly RuleTruth[] = []) => {
    const tally = new OutcomeTally(policy);
    for (const each of sums) tally.addSums(each);
    for (const { rule, truth } of added) tally.add(weigh(rule), truth === TRUE);
    return { outcome: tally.answer().outcome, sums: tally.sums() };
  };
  const { outcome } = decide([whole]);
  const fired = new Set(found.flatMap(({ rule, truth }) => (truth === TRUE ? rule : [])));
  const beside = Map.groupBy(
    live.filter(({ truth }) => truth === TRUE).map(({ rule }) => rule),
    groupOf,
  );
  const matter = new Set<Rule>();
  const note = ({ rule, truth }: RuleTruth, withIt: ReturnType<typeof decide>, without: Outcome) => {
    const others = beside.get(groupOf(rule))?.filter((other) => other !== rule) ?? [];
    const isHeard = truth === TRUE && isDecisive(rule, withIt) && explains(rule, others);
    if (withIt.outcome !== without || isHeard) matter.add(rule);
  };
  for (const [i, group] of alike.entries()) {
    const without = decide([before[i] as Sums, after[i + 1] as Sums], group.slice(1)).outcome;
    for (const each of group) note(each, { outcome, sums: whole }, without);
  }
  for (const each of found) if (each.rule.shadow) note(each, decide([whole], [each]), outcome);
  return { fired, matter };
}

/** Rules of one group are decisive together: they ask for the same, and all are final, or none is. */
export function groupOf({ then, final }: Rule): string {
  return `${then} ${final}`;
}

/** Rules of its group beside which a rule still says something of its own. */
export function sameWords(rule: Rule, others: readonly Rule[]): readonly Rule[] {
  return others.filter((other) => !hasOwnWords(rule, other));
}

/**
 * Whether a decisive rule explains the outcome as these others of its group, which are decisive too, do not: it has
 * words of its own, or nothing but the default, the score or what is unknown would be the reason without it.
 */
function explains(rule: Rule, others: readonly Rule[]): boolean {
  const isOnly = others.length === 0 && rule.then !== 'accept';
  return isOnly || (hasOwnWords(rule) && sameWords(rule, others).length === 0);
}

/** Whether a rule that fired is among the decisive reasons. */
function isDecisive(rule: Rule, { outcome, sums }: { readonly outcome: Outcome; readonly sums: Sums }): boolean {
  const { finalFired, finalUndetermined } = sums;
  if (finalFired === strictness(undefined)) return rule.then === outcome;
  return rule.final && strictness(rule.then) === finalFired && finalUndetermined <= finalFired;
}

/** Equal for rules of the same truth that add the same: without any one of them, the outcome is the same. */
function effectOf({ rule, truth }: RuleTruth): string {
  const known = effects.get(rule) ?? OUTCOME.effectOf(rule);
  effects.set(rule, known);
  return `${truth} ${known}`;
}

const effects = new WeakMap<Rule, string>();

/** The sums of the groups before each, and of all. */
function sumsBefore(policy: Policy, groups: readonly (readonly RuleTruth[])[]): Sums[] {
  const tally = new OutcomeTally(policy);
  const sums = [tally.sums()];
  for (const group of groups) {
    for (const { rule, truth } of group) tally.add(weigh(rule), truth === TRUE);
    sums.push(tally.sums());
  }
  return sums;
}
