/**
 * The rules of a policy -> those that never fire, and those that never matter, with proof. A rule never matters if
 * its removal changes no outcome and takes away no reason that only it gives.
 *
 * Most rules are settled by an applicant drawn at random; the solver is asked about the rest. Of 300 rules that takes
 * 3 s, and 8 s without the draws.
 */

import { matcherOf, type RuleMatcher } from '../../decision/matcher/matcher.ts';
import { isDecisive, type RuleTruth, settle } from '../../decision/meaning/outcome.ts';
import { decides } from '../../decision/meaning/ranking.ts';
import { TRUE } from '../../decision/meaning/truth.ts';
import type { Facts } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { hasOwnWords } from '../../policy/check/pair-checks.ts';
import type { Rule } from '../../policy/language.ts';
import { OUTCOME } from '../../policy/sameness.ts';
import { weigh } from '../../policy/weight.ts';
import { QUESTION_SHARE, RULES_SHARE, STEPS_A_DRAW } from '../limits.ts';
import { createDraw } from '../question/draw.ts';
import { findApplicant } from '../question/find-applicant.ts';
import { type Reasoner, withoutWalks } from '../question/reasoner.ts';
import { asked, FORMULAS, outcomeFormulas, outcomesDiffer } from '../solver/encode.ts';
import { and, FALSE, type Formula, not, or } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import type { Steps } from '../steps.ts';

/**
 * Finds the ineffective ones among rules of the reasoner's first policy that are in effect, or among shadow rules, as
 * if each were live; the reasoner has to know their conditions.
 */
export async function findIneffectiveRules(reasoner: Reasoner, rules: readonly Rule[], steps: Steps) {
  const { space, encoding } = reasoner;
  const [{ policy }] = space.sides as readonly [Side];
  // The rules without an applicant so far, in the order of the policy.
  const unfired = new Set(rules);
  const unmattering = new Set(rules);
  const note = (facts: Facts): void => {
    const { fired, matter } = effectsAt(matcherOf(policy), facts, space.day);
    for (const rule of fired) unfired.delete(rule);
    for (const rule of matter) unmattering.delete(rule);
  };
  /** The rules of one of the sets for which there is proof that no applicant is where one of these formulas holds. */
  const disprove = async (
    open: ReadonlySet<Rule>,
    formulasOf: (rule: Rule) => readonly Formula[],
    by = reasoner,
  ): Promise<ReadonlySet<Rule>> => {
    const share = Math.min(QUESTION_SHARE, RULES_SHARE / rules.length);
    const disproved = new Set<Rule>();
    let near: readonly number[] = [];
    for (const rule of open) {
      const isShown = (given: Facts, states: readonly number[]) => {
        near = states;
        if (open.has(rule)) note(readFacts(given, policy.facts, space.day));
        return !open.has(rule);
      };
      let isProved = true;
      for (const formula of formulasOf(rule)) {
        if (!open.has(rule)) break;
        if (formula === FALSE) continue;
        isProved = (await findApplicant(by, [formula], isShown, steps, share, near)) === 'none' && isProved;
      }
      if (isProved && open.has(rule)) disproved.add(rule);
    }
    return disproved;
  };

  // With only the facts of one rule, few other rules fire.
  const draw = createDraw(reasoner);
  for (const rule of rules) {
    if (!unmattering.has(rule) || steps.areOver) continue;
    steps.spend(STEPS_A_DRAW);
    const drawn = draw(rule.when, new Map());
    if (drawn) note(drawn);
  }
  // No applicant was drawn for them: a walk would find none either.
  const neverFire = await disprove(unfired, ({ when }) => [encoding.truth(when).certain], withoutWalks(reasoner));
  for (const rule of neverFire) {
    unfired.delete(rule);
    unmattering.delete(rule);
  }
  const removalOf = createRemoval(reasoner);
  const unexplaining = await disprove(unmattering, (rule) => [removalOf(rule).explains]);
  const unchanging = await disprove(unmattering, (rule) => [removalOf(rule).delays, removalOf(rule).decides]);
  const neverMatter = unmattering.intersection(unexplaining).intersection(unchanging);
  const isUndecided = (rule: Rule) => unfired.has(rule) || (unmattering.has(rule) && !neverMatter.has(rule));
  return {
    /** No applicant makes them fire. */
    neverFire: [...neverFire],
    /** They fire, yet every applicant gets the same outcome without them, and none of them is the only explanation. */
    neverMatter: [...neverMatter],
    /** Those for which neither an applicant nor a proof was found in time. */
    undecided: rules.filter(isUndecided),
  };
}

/**
 * What the rules that are active on a day do for one applicant. A shadow rule is one that the policy would have if it
 * were live. `createRemoval` is its counterpart for all applicants.
 */
function effectsAt({ policy, truths: truthsAt }: RuleMatcher, facts: Facts, day: string) {
  const truths = truthsAt(facts, day);
  const live = truths.filter(({ rule }) => !rule.shadow);
  const asIs = settle(policy, live);
  const fired = truths.flatMap(({ rule, truth }) => (truth === TRUE ? rule : []));
  // Without any one of the rules that add the same, the outcome is the same. With a shadow rule, it decides itself.
  const others = new Map<string, ReturnType<typeof settle>>();
  const settleOtherwise = (each: RuleTruth) => {
    const key = [each.rule.shadow && each.rule.id, each.truth, OUTCOME.effectOf(each.rule)].join(' ');
    const settled =
      others.get(key) ?? settle(policy, each.rule.shadow ? [...live, each] : live.filter((one) => one !== each));
    others.set(key, settled);
    return settled;
  };
  const matters = (each: RuleTruth): boolean => {
    const { rule, truth } = each;
    const otherwise = settleOtherwise(each);
    if (otherwise.outcome !== asIs.outcome) return true;
    const withIt = rule.shadow ? otherwise : asIs;
    if (truth !== TRUE || rule.then === undefined || !isDecisive(withIt, rule.then, rule)) return false;
    const beside = fired.filter((other) => other !== rule && !other.shadow && groupOf(other) === groupOf(rule));
    const isOnly = beside.length === 0 && rule.then !== 'accept';
    return isOnly || (hasOwnWords(rule) && findSameWords(rule, beside).length === 0);
  };
  return {
    fired,
    /** Those without which the outcome would differ, or that give a reason which no other rule gives. */
    matter: truths.flatMap((each) => (matters(each) ? each.rule : [])),
  };
}

/** Rules of one group are decisive together: they ask for the same, and all are final, or none is. */
function groupOf({ then, final }: Rule): string {
  return `${then} ${final}`;
}

/** Rules of its group that do not have words of their own which the rule lacks. */
function findSameWords(rule: Rule, others: readonly Rule[]): readonly Rule[] {
  return others.filter((other) => !hasOwnWords(rule, other));
}

/** When a rule matters, in parts: to prove them one after the other is easier than all at once. */
interface Removal {
  /** It fires, and gives a reason that no other rule gives. */
  readonly explains: Formula;
  /** It is undetermined, and the outcome would differ without it. */
  readonly delays: Formula;
  /** It fires, and the outcome would differ without it, apart from where it gives the reason. */
  readonly decides: Formula;
}

/**
 * Gives when a rule in effect matters, or a shadow rule as if it were live. Its counterpart for one applicant is
 * `effectsAt`.
 */
export function createRemoval({ space, encoding }: Reasoner): (rule: Rule) => Removal {
  const [{ policy, rules: live }] = space.sides as readonly [Side];
  const decidedBy = (rules: readonly Rule[]) => outcomeFormulas({ policy, rules }, encoding);
  const [asIs, allAsIs] = [decidedBy(live), asked(live, encoding)];
  const groups = Map.groupBy(live, groupOf);
  const isAny = (rules: readonly Rule[]) => or(rules.map(({ when }) => encoding.truth(when).certain));

  return (rule) => {
    const { certain, possible } = encoding.truth(rule.when);
    const rules = rule.shadow ? [...live, rule] : live.filter((other) => other !== rule);
    const otherwise = decidedBy(rules);
    const differs = outcomesDiffer(asIs, otherwise);
    // When it is decisive, and gives a reason that no other decisive rule gives.
    const [withIt, all] = rule.shadow ? [otherwise, asked(rules, encoding)] : [asIs, allAsIs];
    const others = groups.get(groupOf(rule))?.filter((other) => other !== rule) ?? [];
    const isOnly = rule.then === 'accept' ? FALSE : not(isAny(others));
    const hasWords = hasOwnWords(rule) ? not(isAny(findSameWords(rule, others))) : FALSE;
    const explains = and([decides(weigh(rule), true, all, withIt, FORMULAS), or([isOnly, hasWords])]);
    // Most rules without points decide by what they ask for, and explain the outcome then. An accept explains none, and
    // a final rule that undetermined ones overrule may keep the default from deciding.
    const mayDecideOnly = rule.points !== undefined || rule.then === 'accept' || rule.final;
    return {
      explains: and([certain, explains]),
      delays: and([possible, not(certain), differs]),
      decides: mayDecideOnly ? and([certain, differs]) : FALSE,
    };
  };
}
