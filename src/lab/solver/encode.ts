/** Conditions and policies -> formulas: when they are true or unknown, what rules ask for, and what is decided. */

import {
  type Connectives,
  type Gathered,
  gather,
  type IsAtLeast,
  type Ranking,
  rank,
} from '../../decision/meaning/ranking.ts';
import { foldParts, type Logic } from '../../policy/fold.ts';
import { type Condition, OUTCOMES, type Rule } from '../../policy/language.ts';
import { weigh } from '../../policy/weight.ts';
import type { Side, Space } from '../space/space.ts';
import type { StateSet } from '../space/variable.ts';
import { and, type Formula, isIn, not, or, sumAtLeast, xor } from './formula.ts';

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
  readonly #logic: Logic<TruthFormulas> = {
    test: (test) => {
      const { variable, isTrue, isUnknown } = this.#space.statesOf(test);
      const possible = isTrue.map((each, i) => each || isUnknown[i] === true);
      return { certain: this.#isIn(variable, isTrue), possible: this.#isIn(variable, possible) };
    },
    not: ({ certain, possible }) => ({ certain: not(possible), possible: not(certain) }),
    all: (parts) => joinEnds(parts, and),
    any: (parts) => joinEnds(parts, or),
    atLeast: (count, parts) =>
      joinEnds(parts, (formulas) =>
        sumAtLeast(
          count,
          formulas.map((formula) => [1, formula]),
        ),
      ),
  };
  readonly #truthOf = (part: Condition) => this.truth(part);

  constructor(space: Space) {
    this.#space = space;
  }

  /** When a condition is true, and when it is true or unknown. */
  truth(condition: Condition): TruthFormulas {
    let truth = this.#byCondition.get(condition);
    if (!truth) {
      truth = foldParts(condition, this.#logic, this.#truthOf);
      this.#byCondition.set(condition, truth);
    }
    return truth;
  }

  #isIn(variable: number, states: StateSet): Formula {
    const key = `${variable} ${states.map(Number).join('')}`;
    const formula = this.#byStates.get(key) ?? isIn(variable, states);
    this.#byStates.set(key, formula);
    return formula;
  }
}

/** Joins the ends of parts, each with those of the same kind. */
function joinEnds(parts: readonly TruthFormulas[], join: (formulas: readonly Formula[]) => Formula): TruthFormulas {
  return {
    certain: join(parts.map(({ certain }) => certain)),
    possible: join(parts.map(({ possible }) => possible)),
  };
}

/** The connectives in which outcomes are ranked. */
export const FORMULAS: Connectives<Formula> = { and, or, not };

/** What rules ask for. */
export function asked(rules: readonly Rule[], encoding: Encoding): Gathered<Formula> {
  return gather(
    rules.map((rule) => ({ weight: weigh(rule), ...encoding.truth(rule.when) })),
    FORMULAS,
  );
}

/** When each outcome is decided. */
export type OutcomeFormulas = Ranking<Formula>;

/**
 * When a policy decides each outcome. The formula of an end of the score that is at least a limit may be another one
 * than that of the sum of points.
 */
export function outcomeFormulas(
  { policy, rules }: Side,
  encoding: Encoding,
  isAtLeast?: IsAtLeast<Formula>,
): OutcomeFormulas {
  const all = asked(rules, encoding);
  return rank(policy, all, isAtLeast ?? ((end, limit) => sumAtLeast(limit, all[end])), FORMULAS);
}

/** When two policies that decide so decide differently. */
export function outcomesDiffer(before: OutcomeFormulas, after: OutcomeFormulas): Formula {
  return or(OUTCOMES.map((outcome) => and([before[outcome], not(after[outcome])])));
}
