/** Conditions and policies -> formulas: when they are true or unknown, what rules ask for, and what is decided. */

import type { Condition, Outcome, Policy, Rule, ScoreBands } from '../../policy/language.ts';
import { asksWhenUnknown } from '../../policy/weight.ts';
import type { Side, Space } from '../space/space.ts';
import type { StateSet } from '../space/variable.ts';
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
  /** Thousands of rules have few different tests. */
  readonly #byStates = new Map<string, Formula>();

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
      return { certain: this.#isIn(variable, isTrue), possible: this.#isIn(variable, possible) };
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

  #isIn(variable: number, states: StateSet): Formula {
    const key = `${variable} ${states.map(Number).join('')}`;
    const formula = this.#byStates.get(key) ?? isIn(variable, states);
    this.#byStates.set(key, formula);
    return formula;
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
  /** A rule, or a final rule, asks for review or reject, since it fired or since it is undetermined. */
  readonly strict: Formula;
  readonly finalStrict: Formula;
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
  const strict = truths.filter(({ rule }) => isStrict(rule));
  const asksStrictly = (each: (typeof truths)[number]) => whereStrict(each.rule, each);
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
    strict: or(strict.map(asksStrictly)),
    finalStrict: or(strict.filter(({ rule }) => rule.final).map(asksStrictly)),
    least: points('least'),
    most: points('most'),
  };
}

/** Whether a rule can ask for more than accept, apart from its points. */
export function isStrict({ then }: Rule): boolean {
  return then === 'review' || then === 'reject';
}

/** When such a rule asks for review or reject: an undetermined one asks for review. */
export function whereStrict(rule: Rule, { certain, possible }: TruthFormulas): Formula {
  return asksWhenUnknown(rule) === null ? certain : possible;
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
  { finalFired, fired, strict, finalStrict }: Pick<Asked, 'finalFired' | 'fired' | 'strict' | 'finalStrict'>,
  isAtLeast: (end: 'least' | 'most', limit: number) => Formula,
): OutcomeFormulas {
  const reaches = (band: keyof ScoreBands, end: 'least' | 'most') => {
    const limit = score[band];
    return limit === undefined ? FALSE : isAtLeast(end, limit);
  };
  const rejects = or([fired.reject, reaches('reject', 'least')]);
  const isDefault = not(or([rejects, fired.review, reaches('review', 'least'), fired.accept]));
  // A band that only the upper end reaches asks for review; whatever the lower end reaches, the upper end does too.
  const isAboveAccept = or([
    strict,
    reaches('review', 'most'),
    reaches('reject', 'most'),
    // Only an accept that a rule asks for is milder than the default.
    fallback === 'accept' ? FALSE : not(fired.accept),
  ]);
  const isMilderAlone = or([finalFired.accept, finalFired.review]);
  const together = or([rejects, fallback === 'reject' ? isDefault : FALSE]);
  const reject = or([finalFired.reject, and([not(isMilderAlone), together])]);
  const notAccept = or([finalStrict, and([not(finalFired.accept), isAboveAccept])]);
  return { accept: not(notAccept), review: and([notAccept, not(reject)]), reject };
}
