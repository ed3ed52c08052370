/** A policy and one of its rules -> formulas: what the policy decides where the rule has some truth, or is another. */

import { OUTCOMES, type Policy, type Rule } from '../../../policy/language.ts';
import { asksWhenUnknown } from '../../../policy/weight.ts';
import {
  type Asked,
  asked,
  type Encoding,
  isStrict,
  type OutcomeFormulas,
  outcomesOf,
  type TruthFormulas,
  whereStrict,
} from '../../solver/encode.ts';
import { and, FALSE, type Formula, not, or, sumAtLeast, TRUE } from '../../solver/formula.ts';
import type { Side } from '../../space/space.ts';
import { createAnyOf } from './any-of.ts';

/** What rules ask for beside their points. */
export type Asks = Omit<Asked, 'open' | 'least' | 'most'>;

/** Points at the lower and at the upper end of the score. */
export type Points = Readonly<Record<'least' | 'most', number>>;

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
  decide(settings: Pick<Policy, 'default' | 'score'>, asks: Asks, more: Points): OutcomeFormulas;
}

export const NO_POINTS: Points = { least: 0, most: 0 };

export function createBeside({ rules: live }: Pick<Side, 'rules'>, encoding: Encoding): Beside {
  const certain = (rule: Rule) => encoding.truth(rule.when).certain;
  const isOpen = (rule: Rule) => whereOpen(encoding.truth(rule.when));
  const anyThat = (is: (rule: Rule) => boolean, when: (rule: Rule) => Formula) => createAnyOf(live.filter(is), when);
  const byThen = (is: (rule: Rule) => boolean, when: (rule: Rule) => Formula) => {
    const of = OUTCOMES.map((then) => anyThat((rule) => rule.then === then && is(rule), when));
    return (rule: Rule | undefined): Asked['fired'] => {
      const [accept, review, reject] = of.map((anyBut) => anyBut(rule));
      return { accept: accept ?? FALSE, review: review ?? FALSE, reject: reject ?? FALSE };
    };
  };
  const asks = (rule: Rule) => asksWhenUnknown(rule) !== null;
  const fired = byThen(() => true, certain);
  const finalFired = byThen(({ final }) => final, certain);
  const finalOpen = byThen((rule) => rule.final && asks(rule), isOpen);
  const asksStrictly = (rule: Rule) => whereStrict(rule, encoding.truth(rule.when));
  const strict = anyThat(isStrict, asksStrictly);
  const finalStrict = anyThat((rule) => rule.final && isStrict(rule), asksStrictly);
  const terms = asked(live, encoding);
  const sums = new Map<string, Formula>();
  const isAtLeast = (end: keyof Points, limit: number): Formula => {
    const key = `${end} ${limit}`;
    const sum = sums.get(key) ?? sumAtLeast(limit, terms[end]);
    sums.set(key, sum);
    return sum;
  };
  return {
    without: (rule) => ({
      fired: fired(rule),
      finalFired: finalFired(rule),
      finalOpen: finalOpen(rule),
      strict: strict(rule),
      finalStrict: finalStrict(rule),
    }),
    decide: (settings, asksFor, more) =>
      outcomesOf(settings, asksFor, (end, limit) => isAtLeast(end, limit - more[end])),
  };
}

/** The cases of a rule beside others: true, unknown, false. One that is not in effect is false. */
export function casesOf(
  rule: Rule | undefined,
  encoding: Encoding,
  others: Asks,
): readonly [fired: RuleCase, open: RuleCase, off: RuleCase] {
  const { certain, possible } = rule ? encoding.truth(rule.when) : { certain: FALSE, possible: FALSE };
  const { then, final = false, whenUnknown, points = 0 } = rule ?? {};
  const widens = whenUnknown === 'ignore' ? 0 : points;
  const asksOpen = rule && then !== undefined && asksWhenUnknown(rule) !== null;
  const added = (by: Asks['fired']) => (then === undefined ? by : { ...by, [then]: TRUE });
  const caseOf = (when: Formula, asks: Partial<Asks>, given: Points, asked: unknown): RuleCase => {
    return { when, asks: { ...others, ...asks }, points: given, effect: JSON.stringify([asked, given]) };
  };
  const strictly = rule && isStrict(rule) ? { strict: TRUE, ...(final ? { finalStrict: TRUE } : {}) } : {};
  const asksFired =
    then === undefined
      ? {}
      : { fired: added(others.fired), ...(final ? { finalFired: added(others.finalFired) } : {}), ...strictly };
  const asksUnknown = asksOpen ? { ...(final ? { finalOpen: added(others.finalOpen) } : {}), ...strictly } : {};
  const fired = { least: points, most: points };
  const open = { least: Math.min(widens, 0), most: Math.max(widens, 0) };
  return [
    caseOf(certain, asksFired, fired, then === undefined ? null : [then, final]),
    caseOf(whereOpen({ certain, possible }), asksUnknown, open, asksOpen ? ['open', final ? then : null] : null),
    caseOf(not(possible), {}, NO_POINTS, null),
  ];
}

function whereOpen({ certain, possible }: TruthFormulas): Formula {
  return and([possible, not(certain)]);
}

/** When two policies that decide so decide differently. */
export function outcomesDiffer(before: OutcomeFormulas, after: OutcomeFormulas): Formula {
  return or(OUTCOMES.map((outcome) => and([before[outcome], not(after[outcome])])));
}
