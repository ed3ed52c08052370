/** The rules of a policy -> those that never fire, and those that never matter, with proof. */

import { matcherOf } from '../../../decision/matcher/matcher.ts';
import type { Facts } from '../../../facts/fact.ts';
import { readFacts } from '../../../facts/read.ts';
import { lazy } from '../../../platform/lazy.ts';
import { OUTCOMES, type Rule } from '../../../policy/language.ts';
import {
  BORDER_FIRST_TRIES,
  BORDER_LATER_TRIES,
  DRAWS_A_RULE,
  IDLE_UNTIL,
  MOST_FULL_QUESTIONS,
  RULE_QUESTION_SHARE,
  SUM_QUESTION_SHARE,
} from '../../limits.ts';
import { createDraw, type Draw } from '../../question/draw.ts';
import { findApplicant } from '../../question/find-applicant.ts';
import { type Reasoner, type Time, withoutWalks } from '../../question/reasoner.ts';
import { outcomeFormulas } from '../../solver/encode.ts';
import { FALSE, type Formula } from '../../solver/formula.ts';
import type { Side, Space } from '../../space/space.ts';
import { effectsAt } from './effects.ts';
import { createRemoval } from './removal.ts';
import { type Border, bordersOf, seekAtBorders } from './rule-borders.ts';

export interface IdleRules {
  /** No applicant makes them fire. */
  readonly neverFire: readonly Rule[];
  /** They fire, yet every applicant gets the same outcome without them, and none of them is the only explanation. */
  readonly neverMatter: readonly Rule[];
  /** Those for which neither an applicant nor a proof was found in time. */
  readonly undecided: readonly Rule[];
}

const shareOfSums = (rules: number) =>
  Math.min(RULE_QUESTION_SHARE, Math.max(SUM_QUESTION_SHARE, (300 * SUM_QUESTION_SHARE) / rules));

/**
 * Finds the idle ones among rules of the reasoner's first policy that are in effect, or among shadow rules, as if each
 * were live; the reasoner has to know their conditions.
 */
export async function findIdleRules(reasoner: Reasoner, rules: readonly Rule[], time: Time): Promise<IdleRules> {
  const search = new Search(reasoner, rules, time);
  const { encoding } = reasoner;
  // Somebody with the facts of one rule alone: nearly no other rule fires.
  search.drawFrom(new Map(), IDLE_UNTIL.drawn);
  const neverFire = new Set<Rule>();
  for (const rule of search.unfired) {
    const fires = await search.isShown(encoding.truth(rule.when).certain, rule, search.unfired);
    if (fires === false) neverFire.add(rule);
  }
  for (const rule of neverFire) search.leaveOut(rule);
  search.seek(BORDER_FIRST_TRIES, IDLE_UNTIL.walked);
  for (const start of await search.findStarts()) search.drawFrom(start, IDLE_UNTIL.walked);

  const removalOf = createRemoval(reasoner);
  const unheard = new Set<Rule>();
  for (const rule of search.unmattering) {
    if ((await search.isShown(removalOf(rule).explains, rule)) === false) unheard.add(rule);
  }
  for (const tries of BORDER_LATER_TRIES) search.seek(tries, IDLE_UNTIL.walkedOn);
  const share = shareOfSums(rules.length);
  const neverMatter = new Set<Rule>();
  for (const rule of search.unmattering) {
    const { delays, decides } = removalOf(rule);
    const isDelaying = await search.isShown(delays, rule, search.unmattering, share);
    const isDeciding = await search.isShown(decides, rule, search.unmattering, share);
    if (isDelaying === false && isDeciding === false && unheard.has(rule)) neverMatter.add(rule);
  }
  const isUndecided = (rule: Rule) =>
    search.unfired.has(rule) || (search.unmattering.has(rule) && !neverMatter.has(rule));
  return { neverFire: [...neverFire], neverMatter: [...neverMatter], undecided: rules.filter(isUndecided) };
}

/** The search for applicants who show that rules fire, and that they matter. */
class Search {
  /** The rules that nobody was found for, in the order of the policy. */
  readonly unfired: Set<Rule>;
  readonly unmattering: Set<Rule>;
  readonly #reasoner: Reasoner;
  readonly #time: Time;
  readonly #draw: Draw;
  readonly #borders: () => readonly Border[];

  constructor(reasoner: Reasoner, rules: readonly Rule[], time: Time) {
    this.#reasoner = reasoner;
    this.#time = time;
    this.#draw = createDraw(reasoner);
    this.#borders = lazy(() => bordersOf(reasoner, [...this.unmattering]));
    this.unfired = new Set(rules);
    this.unmattering = new Set(rules);
  }

  /** Seeks nobody for a rule any more. */
  leaveOut(rule: Rule): void {
    this.unfired.delete(rule);
    this.unmattering.delete(rule);
  }

  /** Draws applicants who are like one, until a share of the time is over. */
  drawFrom(start: Facts, until: number): void {
    const endsAt = this.#endOf(until);
    for (const rule of this.unfired.union(this.unmattering)) {
      for (let tries = 0; tries < DRAWS_A_RULE; tries++) {
        const isOpen = this.unfired.has(rule) || this.unmattering.has(rule);
        if (!isOpen || performance.now() > endsAt) continue;
        const drawn = this.#draw(rule.when, start);
        if (drawn) this.#note(drawn);
      }
    }
  }

  /** Seeks applicants for whom a rule makes the difference, until a share of the time is over. */
  seek(tries: number, until: number): void {
    const isOpen = (rule: Rule) => this.unmattering.has(rule);
    for (const given of seekAtBorders(this.#reasoner, this.#borders(), isOpen, tries, this.#endOf(until)))
      this.#noteGiven(given);
  }

  /** Somebody with each outcome. */
  async findStarts(): Promise<readonly Facts[]> {
    if (this.unmattering.size === 0) return [];
    const { space, encoding, solver } = this.#reasoner;
    const outcomes = outcomeFormulas(space.sides[0] as Side, encoding);
    const starts: Facts[] = [];
    for (const outcome of OUTCOMES) {
      const answer = await solver.ask([outcomes[outcome]], this.#time.timeoutMs * RULE_QUESTION_SHARE);
      if (answer.kind === 'satisfiable') starts.push(plainFacts(space, answer.states));
    }
    return starts;
  }

  /** Whether somebody shows that a rule is not in one of the sets; false is proved. */
  async isShown(
    formula: Formula,
    rule: Rule,
    open = this.unmattering,
    most = RULE_QUESTION_SHARE,
  ): Promise<boolean | undefined> {
    if (!open.has(rule)) return true;
    if (formula === FALSE) return false;
    const isRight = (given: Facts) => {
      if (open.has(rule)) this.#noteGiven(given);
      return !open.has(rule);
    };
    // Nobody was drawn for it, or found at its border: a walk would find nobody either.
    const isSought = open === this.unfired || this.#borders().some(({ rules }) => rules.includes(rule));
    const asking = isSought ? withoutWalks(this.#reasoner) : this.#reasoner;
    const timeoutMs = Math.max(0, this.#time.endsAt - performance.now());
    const share = Math.min(most, MOST_FULL_QUESTIONS / open.size);
    const found = await findApplicant(asking, [formula], isRight, { ...this.#time, timeoutMs }, share);
    return found === 'none' ? false : found && true;
  }

  #endOf(share: number): number {
    return this.#time.endsAt - this.#time.timeoutMs * (1 - share);
  }

  #noteGiven(given: Facts): void {
    const { sides, day } = this.#reasoner.space;
    this.#note(readFacts(given, (sides[0] as Side).policy.facts, day));
  }

  #note(facts: Facts): void {
    const { sides, day } = this.#reasoner.space;
    const { fired, matter } = effectsAt(matcherOf((sides[0] as Side).policy), facts, day);
    for (const rule of fired) this.unfired.delete(rule);
    for (const rule of matter) this.unmattering.delete(rule);
  }
}

/** Facts in states, one by one; those of texts and pairs are left out. */
function plainFacts({ variables }: Space, states: readonly number[]): Facts {
  const facts = variables.map(({ path, states: own }, i) => [path, own[states[i] as number]?.fact] as const);
  return new Map(facts.flatMap(([path, fact]) => (fact ? [[path, fact]] : [])));
}
