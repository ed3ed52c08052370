/**
 * The rules of a policy -> those that never fire, and those that never matter, with proof. A rule never matters if
 * its removal changes no outcome and takes away no reason that only it gives.
 *
 * Most rules are settled by applicants drawn at random, and by walks to where points tip the score; the solver is asked
 * about the rest. Of 300 rules that takes 2.4 s of processor time: 8 s without the draws, 3 s without the walks.
 */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { decides } from '../../decision/meaning/ranking.ts';
import type { Facts } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { lazy } from '../../platform/lazy.ts';
import { hasOwnWords } from '../../policy/check/pair-checks.ts';
import type { Rule } from '../../policy/language.ts';
import { isStrict, weigh } from '../../policy/weight.ts';
import {
  BORDER_FIRST_TRIES,
  BORDER_LATER_TRIES,
  BORDER_TRIES_FOR_ANY,
  DRAWS_A_RULE,
  MOST_FULL_QUESTIONS,
  RULE_QUESTION_SHARE,
  STEPS_A_DRAW,
  SUM_QUESTION_SHARE,
  WALKS_SHARE,
} from '../limits.ts';
import { createDraw } from '../question/draw.ts';
import { findApplicant } from '../question/find-applicant.ts';
import { findFacts } from '../question/find-facts.ts';
import {
  type Asks,
  casesOf,
  createBeside,
  ofRule,
  outcomesDiffer,
  type RuleCase,
  SEPARABLE,
} from '../question/outcome-change.ts';
import { type Reasoner, withoutWalks } from '../question/reasoner.ts';
import { asked, FORMULAS, type OutcomeFormulas } from '../solver/encode.ts';
import { and, FALSE, type Formula, isKept, not, or, sumAtLeast } from '../solver/formula.ts';
import { createWalk, type Walk } from '../solver/seek.ts';
import type { Side } from '../space/space.ts';
import type { Steps } from '../steps.ts';
import { effectsAt, findSameWords, groupOf } from './effects.ts';

export interface IneffectiveRules {
  /** No applicant makes them fire. */
  readonly neverFire: readonly Rule[];
  /** They fire, yet every applicant gets the same outcome without them, and none of them is the only explanation. */
  readonly neverMatter: readonly Rule[];
  /** Those for which neither an applicant nor a proof was found in time. */
  readonly undecided: readonly Rule[];
}

/**
 * Finds the ineffective ones among rules of the reasoner's first policy that are in effect, or among shadow rules, as
 * if each were live; the reasoner has to know their conditions.
 */
export async function findIneffectiveRules(
  reasoner: Reasoner,
  rules: readonly Rule[],
  steps: Steps,
): Promise<IneffectiveRules> {
  const search = new Search(reasoner, rules, steps);
  const { unfired, unmattering } = search;
  search.draw();
  // No applicant was drawn for them: a walk would find none either.
  const certain = ({ when }: Rule) => [reasoner.encoding.truth(when).certain];
  const neverFire = await search.disprove(unfired, certain, withoutWalks(reasoner));
  for (const rule of neverFire) {
    unfired.delete(rule);
    unmattering.delete(rule);
  }
  search.seek(BORDER_FIRST_TRIES);
  const removalOf = createRemoval(reasoner);
  const unexplaining = await search.disprove(unmattering, (rule) => [removalOf(rule).explains], reasoner);
  for (const tries of BORDER_LATER_TRIES) search.seek(tries);
  const changes = (rule: Rule) => [removalOf(rule).delays, removalOf(rule).decides];
  const share = Math.max(SUM_QUESTION_SHARE, (300 * SUM_QUESTION_SHARE) / rules.length);
  const unchanging = await search.disprove(unmattering, changes, reasoner, share);
  const neverMatter = unmattering.intersection(unexplaining).intersection(unchanging);
  const isUndecided = (rule: Rule) => unfired.has(rule) || (unmattering.has(rule) && !neverMatter.has(rule));
  return { neverFire: [...neverFire], neverMatter: [...neverMatter], undecided: rules.filter(isUndecided) };
}

/** The search for applicants who show that rules fire, and that they matter. */
class Search {
  /** The rules without an applicant so far, in the order of the policy. */
  readonly unfired: Set<Rule>;
  readonly unmattering: Set<Rule>;
  readonly #reasoner: Reasoner;
  readonly #side: Side;
  readonly #steps: Steps;
  readonly #borders: () => readonly Border[];

  constructor(reasoner: Reasoner, rules: readonly Rule[], steps: Steps) {
    this.#reasoner = reasoner;
    this.#side = reasoner.space.sides[0] as Side;
    this.#steps = steps;
    this.#borders = lazy(() => bordersOf(reasoner, [...this.unmattering]));
    this.unfired = new Set(rules);
    this.unmattering = new Set(rules);
  }

  /** Draws applicants with only the facts of one rule, so that few other rules fire. */
  draw(): void {
    const draw = createDraw(this.#reasoner);
    for (const rule of [...this.unmattering]) {
      for (let tries = 0; tries < DRAWS_A_RULE; tries++) {
        const isOpen = this.unfired.has(rule) || this.unmattering.has(rule);
        if (!isOpen || this.#steps.areOver) break;
        this.#steps.spend(STEPS_A_DRAW);
        const drawn = draw(rule.when, new Map());
        if (drawn) this.#note(drawn);
      }
    }
  }

  /** Seeks applicants for whom the points of a rule make the difference. */
  seek(tries: number): void {
    const isOpen = (rule: Rule) => this.unmattering.has(rule);
    for (const given of seekAtBorders(this.#reasoner, this.#borders(), isOpen, tries, this.#steps.part(WALKS_SHARE)))
      this.#noteGiven(given);
  }

  /** The rules of one of the sets for which there is proof that no applicant is where one of these formulas holds. */
  async disprove(
    open: ReadonlySet<Rule>,
    formulasOf: (rule: Rule) => readonly Formula[],
    reasoner: Reasoner,
    most = RULE_QUESTION_SHARE,
  ): Promise<ReadonlySet<Rule>> {
    const disproved = new Set<Rule>();
    for (const rule of open) {
      const isShown = (given: Facts) => {
        if (open.has(rule)) this.#noteGiven(given);
        return !open.has(rule);
      };
      let isProved = true;
      for (const formula of formulasOf(rule)) {
        if (!open.has(rule)) break;
        if (formula === FALSE) continue;
        const share = Math.min(most, RULE_QUESTION_SHARE, MOST_FULL_QUESTIONS / open.size);
        isProved =
          (await findApplicant(reasoner, [formula], isShown, this.#steps.atMost(this.#steps.left), share)) === 'none' &&
          isProved;
      }
      if (isProved && open.has(rule)) disproved.add(rule);
    }
    return disproved;
  }

  #noteGiven(given: Facts): void {
    this.#note(readFacts(given, this.#side.policy.facts, this.#reasoner.space.day));
  }

  #note(facts: Facts): void {
    const { fired, matter } = effectsAt(matcherOf(this.#side.policy), facts, this.#reasoner.space.day);
    for (const rule of fired) this.unfired.delete(rule);
    for (const rule of matter) this.unmattering.delete(rule);
  }
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
  const [side] = space.sides as readonly [Side];
  const { policy, rules: live } = side;
  const beside = createBeside(side, encoding);
  const certain = (rule: Rule) => encoding.truth(rule.when).certain;

  const groups = Map.groupBy(live, groupOf);
  const anyOfGroup = new Map(
    [...groups].map(([group, rules]) => [group, SEPARABLE.or(rules.map((rule) => ofRule(rule, certain(rule))))]),
  );
  /** When a rule that fires is decisive, and gives a reason that no other decisive rule gives. */
  const explainsAlone = (rule: Rule, asksFor: Asks, decided: OutcomeFormulas): Formula => {
    const group = groupOf(rule);
    const isOnly = rule.then === 'accept' ? FALSE : not(anyOfGroup.get(group)?.without(rule) ?? FALSE);
    const others = groups.get(group)?.filter((other) => other !== rule) ?? [];
    const hasWords = hasOwnWords(rule) ? not(or(findSameWords(rule, others).map(certain))) : FALSE;
    return and([decides(weigh(rule), true, asksFor, decided, FORMULAS), or([isOnly, hasWords])]);
  };

  return (rule) => {
    const without = beside.without(rule);
    // Sums have the points of rules in effect already.
    const [with0, without0] = rule.shadow ? [1, 0] : [0, -1];
    const compare = ({ asks, points: { least, most } }: RuleCase) => {
      const decided = beside.decide(policy, asks, { least: least * with0, most: most * with0 });
      const before = beside.decide(policy, without, { least: least * without0, most: most * without0 });
      return { decided, differs: outcomesDiffer(before, decided) };
    };
    const [fired, open] = casesOf(rule, encoding, without);
    const firing = compare(fired);
    // Most rules without points decide by what they ask for, and explain the outcome then. An accept explains none, and
    // a final rule that undetermined ones overrule may keep the default from deciding.
    const mayDecideOnly = rule.points !== undefined || rule.then === 'accept' || rule.final;
    return {
      explains: and([fired.when, explainsAlone(rule, fired.asks, firing.decided)]),
      delays: and([open.when, compare(open).differs]),
      decides: mayDecideOnly ? and([fired.when, firing.differs]) : FALSE,
    };
  };
}

/** Rules whose points make the difference among the same applicants, and the walk among these. */
interface Border {
  readonly rules: readonly Rule[];
  readonly walk: Walk;
}

type Reasoned = Pick<Reasoner, 'space' | 'encoding'>;

/** Applicants for whom one of the rules that are still open fires; about as many `tries` of states for each rule. */
export function* seekAtBorders(
  { space, encoding }: Reasoned,
  borders: readonly Border[],
  isOpen: (rule: Rule) => boolean,
  tries: number,
  steps: Steps,
): Generator<Facts> {
  for (const { rules, walk } of borders) {
    // If it finds no applicant at all, it finds none for a rule either.
    if (!rules.some(isOpen) || !walk.seek(BORDER_TRIES_FOR_ANY * tries, steps)) continue;
    for (const rule of rules) {
      if (!isOpen(rule) || steps.areOver) continue;
      // The walk goes on from the applicant whom it found for the rule before.
      const states = walk.seek(tries, steps, encoding.truth(rule.when).certain);
      const result = states && findFacts(space, states, steps);
      if (result && 'facts' in result) yield result.facts;
    }
  }
}

/** Where the score reaches a band, or does not, because of the points of one of these rules. Shadow rules have none. */
export function bordersOf({ space, encoding }: Reasoned, rules: readonly Rule[]): readonly Border[] {
  const [{ policy, rules: live }] = space.sides as readonly [Side];
  const { fired, finalFired, strict, least, most } = asked(live, encoding);
  const ties = space.ties.map(isKept);
  const start = space.variables.map(({ states }) => Math.min(1, states.length - 1));
  const certain = ({ when }: Rule) => encoding.truth(when).certain;
  const isStrictRule = (rule: Rule) => isStrict(weigh(rule).fired);
  // Rules matter more often at the stricter band: fewer are left to be sought at the other.
  return (['reject', 'review'] as const).flatMap((band) => {
    const limit = policy.score[band];
    const [isAsked, asks, end] =
      band === 'reject' ? [(rule: Rule) => rule.then === 'reject', fired.reject, least] : [isStrictRule, strict, most];
    const candidates = rules.filter((rule) => !isAsked(rule) && !rule.final && !rule.shadow);
    return [1, -1].flatMap((sign): readonly Border[] => {
      const ofSign = candidates.filter(({ points = 0 }) => Math.sign(points) === sign);
      if (limit === undefined || ofSign.length === 0) return [];
      // Between these two, each of the rules makes the difference.
      const width = Math.min(...ofSign.map(({ points = 0 }) => Math.abs(points)));
      const from = sign > 0 ? limit : limit - width;
      const isAt = [sumAtLeast(from, least), not(sumAtLeast(from + width, end)), not(asks)];
      const formulas = [...ties, ...isAt, not(or(Object.values(finalFired)))];
      return [{ rules: ofSign, walk: createWalk(formulas, start, ofSign.map(certain)) }];
    });
  });
}
