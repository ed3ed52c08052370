/** An applicant -> the rules that fire, and those without which the decision would be another. */

import type { Matcher } from '../../decision/matcher/matcher.ts';
import { OutcomeTally, type Sums, strictness, weigh } from '../../decision/meaning/outcome.ts';
import type { Facts } from '../../facts/fact.ts';
import { hasOwnWords } from '../../policy/check/rules/own-words.ts';
import type { Outcome, Policy, Rule } from '../../policy/language.ts';

/** What rules do for one applicant. A shadow rule is one that the policy would have if it were live. */
export interface Effects {
  readonly fired: ReadonlySet<Rule>;
  /** Those without which the outcome would be another, or that explain it as no other rule does. */
  readonly matter: ReadonlySet<Rule>;
}

/** A rule that fired or is undetermined. */
interface Found {
  readonly rule: Rule;
  readonly isFired: boolean;
}

/** The effects of all rules that are active on a day. */
export function effectsAt(matcher: Matcher, facts: Facts, day: string): Effects {
  const found = foundBy(matcher, facts, day);
  const live = found.filter(({ rule }) => !rule.shadow);
  const { policy } = matcher;
  const before = sumsBefore(policy, live);
  const after = sumsBefore(policy, live.toReversed()).reverse();
  const whole = before.at(-1) as Sums;
  const decide = (sums: readonly Sums[], added?: Found) => {
    const tally = new OutcomeTally(policy);
    for (const each of sums) tally.addSums(each);
    if (added) tally.add(weigh(added.rule), added.isFired);
    return { outcome: tally.answer().outcome, sums: tally.sums() };
  };
  const { outcome } = decide([whole]);
  const fired = new Set(found.flatMap(({ rule, isFired }) => (isFired ? rule : [])));
  const beside = Map.groupBy(
    live.filter(({ isFired }) => isFired).map(({ rule }) => rule),
    groupOf,
  );
  const matter = new Set<Rule>();
  const note = ({ rule, isFired }: Found, withIt: ReturnType<typeof decide>, without: Outcome) => {
    const others = beside.get(groupOf(rule))?.filter((other) => other !== rule) ?? [];
    const isHeard = isFired && isDecisive(rule, withIt) && explains(rule, others);
    if (withIt.outcome !== without || isHeard) matter.add(rule);
  };
  for (const [i, each] of live.entries()) {
    note(each, { outcome, sums: whole }, decide([before[i] as Sums, after[i + 1] as Sums]).outcome);
  }
  for (const each of found) if (each.rule.shadow) note(each, decide([whole], each), outcome);
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

function foundBy(matcher: Matcher, facts: Facts, day: string): readonly Found[] {
  const { reasons, undetermined, shadow } = matcher.verdict(facts, day);
  const rules = rulesById(matcher.policy);
  const find = (id: string, isFired: boolean): Found => ({ rule: rules.get(id) as Rule, isFired });
  return [
    ...reasons.flatMap((reason) => (reason.because === 'fired' ? find(reason.rule, true) : [])),
    ...undetermined.map(({ rule }) => find(rule, false)),
    ...shadow.map(({ rule, result }) => find(rule, result === 'fires')),
  ];
}

const byPolicy = new WeakMap<Policy, ReadonlyMap<string, Rule>>();

function rulesById(policy: Policy): ReadonlyMap<string, Rule> {
  const rules = byPolicy.get(policy) ?? new Map(policy.rules.map((rule) => [rule.id, rule]));
  byPolicy.set(policy, rules);
  return rules;
}

/** The sums of the rules before each, and of all. */
function sumsBefore(policy: Policy, found: readonly Found[]): Sums[] {
  const tally = new OutcomeTally(policy);
  const sums = [tally.sums()];
  for (const { rule, isFired } of found) {
    tally.add(weigh(rule), isFired);
    sums.push(tally.sums());
  }
  return sums;
}
