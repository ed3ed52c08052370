/** A rule -> what is decided beside it, as formulas that share their parts. */

import {
  type Asked,
  askedBy,
  BOOLEANS,
  type Connectives,
  type End,
  gather,
  joinAsked,
  rank,
  type Settings,
} from '../../decision/meaning/ranking.ts';
import type { Rule } from '../../policy/language.ts';
import { NO_WEIGHT, weigh } from '../../policy/weight.ts';
import { type Encoding, FORMULAS, type OutcomeFormulas } from '../solver/encode.ts';
import { and, FALSE, type Formula, not, or, sumAtLeast, TRUE } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';

/** What rules ask for beside their points. */
export type Asks = Asked<Formula>;

/** Points at the lower and at the upper end of the score. */
export type Points = Readonly<Record<End, number>>;

/** A rule of one truth: when it has it, what all rules then ask for, and the points of this one. */
export interface RuleCase {
  readonly when: Formula;
  readonly asks: Asks;
  readonly points: Points;
  /** Equal for cases beside the same rules that ask for the same and give the same points. */
  readonly effect: string;
}

/** What the other rules of a policy ask for. The formulas for all rules share their parts. */
export interface Beside {
  /** What the rules in effect ask for without one of them; without none if it is not in effect. */
  without(rule: Rule | undefined): Asks;
  /** What is decided where rules ask for this, and give more points than all rules in effect together. */
  decide(settings: Settings, asks: Asks, more: Points): OutcomeFormulas;
}

const NO_POINTS: Points = { least: 0, most: 0 };

export function createBeside({ rules: live }: Pick<Side, 'rules'>, encoding: Encoding): Beside {
  const all = gather(
    live.map((rule) => {
      const { certain, possible } = encoding.truth(rule.when);
      return { weight: weigh(rule), certain: ofRule(rule, certain), possible: ofRule(rule, possible) };
    }),
    SEPARABLE,
  );
  const sums = new Map<string, Formula>();
  const isAtLeast = (end: End, limit: number): Formula => {
    const key = `${end} ${limit}`;
    const sum =
      sums.get(key) ??
      sumAtLeast(
        limit,
        all[end].map(([points, { formula }]) => [points, formula]),
      );
    sums.set(key, sum);
    return sum;
  };
  return {
    without: (rule) => joinAsked([all], ([asks]) => asks?.without(rule) ?? FALSE),
    decide: (settings, asksFor, more) =>
      rank(settings, asksFor, (end, limit) => isAtLeast(end, limit - more[end]), FORMULAS),
  };
}

/** The cases of a rule beside others: true, unknown, false. One that is not in effect is false. */
export function casesOf(
  rule: Rule | undefined,
  encoding: Encoding,
  others: Asks,
): readonly [fired: RuleCase, open: RuleCase, off: RuleCase] {
  const { certain, possible } = rule ? encoding.truth(rule.when) : { certain: FALSE, possible: FALSE };
  const weight = rule ? weigh(rule) : NO_WEIGHT;
  const caseOf = (when: Formula, truth: { certain: boolean; possible: boolean }, points: Points): RuleCase => {
    const asked = askedBy({ weight, ...truth }, BOOLEANS);
    const asks = joinAsked([others, joinAsked([asked], ([isAsked]) => (isAsked ? TRUE : FALSE))], or);
    return { when, asks, points, effect: JSON.stringify([asked, points]) };
  };
  const { points, openLeast, openMost } = weight;
  return [
    caseOf(certain, { certain: true, possible: true }, { least: points, most: points }),
    caseOf(and([possible, not(certain)]), { certain: false, possible: true }, { least: openLeast, most: openMost }),
    caseOf(not(possible), { certain: false, possible: false }, NO_POINTS),
  ];
}

/** A formula, and what it is if one of its rules is false. */
export interface Separable {
  readonly formula: Formula;
  readonly rules: ReadonlySet<Rule>;
  /** Without a rule that it is not about, or without any, the formula itself. */
  without(rule: Rule | undefined): Formula;
}

/** A formula that is false where its rule is: when it is true, or when it is true or unknown. */
export function ofRule(rule: Rule, formula: Formula): Separable {
  return { formula, rules: new Set([rule]), without: (but) => (but === rule ? FALSE : formula) };
}

const NEVER: Separable = { formula: FALSE, rules: new Set(), without: () => FALSE };

/** Each answer of `without` adds as many formulas as a balanced tree of the parts of `or` has levels. */
export const SEPARABLE: Connectives<Separable> = {
  and: (parts) => joined(parts, and),
  or: (parts) => balanced(parts.filter((part) => part !== NEVER)),
  not: (part) => joined([part], ([formula = FALSE]) => not(formula)),
};

function balanced(parts: readonly Separable[]): Separable {
  const [only = NEVER] = parts;
  if (parts.length < 2) return only;
  const middle = parts.length >> 1;
  return joined([balanced(parts.slice(0, middle)), balanced(parts.slice(middle))], or);
}

function joined(parts: readonly Separable[], by: (formulas: readonly Formula[]) => Formula): Separable {
  const formula = by(parts.map((part) => part.formula));
  const rules = parts.reduce<ReadonlySet<Rule>>((all, part) => all.union(part.rules), new Set());
  return {
    formula,
    rules,
    without: (rule) => (rule !== undefined && rules.has(rule) ? by(parts.map((part) => part.without(rule))) : formula),
  };
}
