/** Conditions and policies -> formulas: when they are true or unknown, what rules ask for, and what is decided. */

import {
  asksWhenUnknown,
  type Condition,
  type Outcome,
  type Policy,
  type Rule,
  type ScoreBands,
} from '../../policy/language.ts';
import type { Side, Space } from '../space/space.ts';
import { and, FALSE, type Formula, isIn, not, or, sumAtLeast, type Term, xor } from './formula.ts';

/** When a condition is true, and when it is true or unknown. */
export interface TruthFormulas {
  readonly certain: Formula;
  readonly possible: Formula;
}

/** When one condition is true, false or unknown and another one is not. */
export function truthsDiffer(one: TruthFormulas, other: TruthFormulas): Formula {
  return or([xor(one.certain, other.certain), xor(one.possible, other.possible)]);
}

/** The formulas of the conditions of a space. */
export class Encoding {
  readonly #space: Space;
  readonly #byCondition = new Map<Condition, TruthFormulas>();

  constructor(space: Space) {
    this.#space = space;
  }

  /** When a condition is true, and when it is true or unknown. */
  truth(condition: Condition): TruthFormulas {
    let truth = this.#byCondition.get(condition);
    if (!truth) {
      truth = this.#encode(condition);
      this.#byCondition.set(condition, truth);
    }
    return truth;
  }

  #encode(condition: Condition): TruthFormulas {
    if (condition.kind === 'test') {
      const { variable, isTrue, isUnknown } = this.#space.statesOf(condition);
      const possible = isTrue.map((each, i) => each || isUnknown[i] === true);
      return { certain: isIn(variable, isTrue), possible: isIn(variable, possible) };
    }
    const parts = condition.of.map((part) => this.truth(part));
    const [first] = parts as [TruthFormulas];
    const both = (join: (formulas: readonly Formula[]) => Formula): TruthFormulas => ({
      certain: join(parts.map(({ certain }) => certain)),
      possible: join(parts.map(({ possible }) => possible)),
    });
    switch (condition.kind) {
      case 'named':
        return first;
      case 'not':
        return { certain: not(first.possible), possible: not(first.certain) };
      case 'all':
        return both(and);
      case 'any':
        return both(or);
      case 'atLeastOf':
        return both((formulas) =>
          sumAtLeast(
            condition.count,
            formulas.map((formula) => [1, formula]),
          ),
        );
    }
  }
}

/** What some rules ask for, as formulas. */
export interface Asked {
  /** A final rule with this `then` fired; one that asks for review is undetermined. */
  readonly finalFired: Readonly<Record<Outcome, Formula>>;
  readonly finalOpen: Readonly<Record<Outcome, Formula>>;
  /** A rule with this `then` fired. */
  readonly fired: Readonly<Record<Outcome, Formula>>;
  /** A rule that asks for review is undetermined. */
  readonly open: Formula;
  /** The points of the lower and of the upper end of the score. */
  readonly least: readonly Term[];
  readonly most: readonly Term[];
}

/** What rules ask for. */
export function asked(rules: readonly Rule[], encoding: Encoding): Asked {
  const truths = rules.map((rule) => ({ rule, ...encoding.truth(rule.when) }));
  const isOpen = ({ certain, possible }: TruthFormulas) => and([possible, not(certain)]);
  const byThen = (
    is: (each: (typeof truths)[number], then: Outcome) => boolean,
    formula: (each: TruthFormulas) => Formula,
  ) => {
    const of = (then: Outcome) => or(truths.filter((each) => is(each, then)).map(formula));
    return { accept: of('accept'), review: of('review'), reject: of('reject') };
  };
  const asks = (rule: Rule) => asksWhenUnknown(rule) !== null;
  const points = (end: 'least' | 'most') =>
    truths.flatMap(({ rule, certain, possible }): Term[] => {
      const { points: own = 0, whenUnknown } = rule;
      if (own === 0) return [];
      const widens = whenUnknown !== 'ignore' && own < 0 === (end === 'least');
      return [[own, widens ? possible : certain]];
    });
  return {
    finalFired: byThen(
      ({ rule }, then) => rule.final && rule.then === then,
      ({ certain }) => certain,
    ),
    finalOpen: byThen(({ rule }, then) => rule.final && rule.then === then && asks(rule), isOpen),
    fired: byThen(
      ({ rule }, then) => rule.then === then,
      ({ certain }) => certain,
    ),
    open: or(truths.filter(({ rule }) => asks(rule)).map(isOpen)),
    least: points('least'),
    most: points('most'),
  };
}

/** When each outcome is decided. */
export type OutcomeFormulas = Readonly<Record<Outcome, Formula>>;

/** When a policy decides each outcome. */
export function outcomeFormulas({ policy, rules }: Side, encoding: Encoding): OutcomeFormulas {
  const all = asked(rules, encoding);
  return outcomesOf(policy, all, (end, limit) => sumAtLeast(limit, all[end]));
}

/**
 * When a policy whose rules ask for this decides each outcome. Its counterpart for one applicant is `OutcomeTally`.
 * `isAtLeast` gives when an end of the score is at least a limit.
 */
export function outcomesOf(
  { default: fallback, score }: Pick<Policy, 'default' | 'score'>,
  { finalFired, finalOpen, fired, open }: Omit<Asked, 'least' | 'most'>,
  isAtLeast: (end: 'least' | 'most', limit: number) => Formula,
): OutcomeFormulas {
  const reaches = (band: keyof ScoreBands, end: 'least' | 'most') => {
    const limit = score[band];
    return limit === undefined ? FALSE : isAtLeast(end, limit);
  };
  const isAlone = or([finalFired.accept, finalFired.review, finalFired.reject]);
  const rejects = or([fired.reject, reaches('reject', 'least')]);
  const reviews = or([fired.review, reaches('review', 'least')]);
  const isDefault = not(or([rejects, reviews, fired.accept]));
  const together = {
    reject: or([rejects, fallback === 'reject' ? isDefault : FALSE]),
    // A band that only the upper end reaches asks for review.
    strict: or([
      rejects,
      reviews,
      open,
      reaches('review', 'most'),
      reaches('reject', 'most'),
      fallback === 'accept' ? FALSE : isDefault,
    ]),
  };
  const reject = or([finalFired.reject, and([not(isAlone), together.reject])]);
  const alone = or([finalFired.reject, finalFired.review, finalOpen.reject, finalOpen.review]);
  const strict = or([and([isAlone, alone]), and([not(isAlone), together.strict])]);
  return { accept: not(strict), review: and([strict, not(reject)]), reject };
}
