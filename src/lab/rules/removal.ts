/** A policy -> formulas: where a rule matters, that is, where the policy without it decides an applicant otherwise. */

import { hasOwnWords } from '../../policy/check/rules/own-words.ts';
import { asksWhenUnknown, OUTCOMES, type Rule } from '../../policy/language.ts';
import type { Reasoner } from '../reasoning/reasoner.ts';
import { type Asked, asked, type OutcomeFormulas, outcomesOf } from '../solver/encode.ts';
import { and, FALSE, type Formula, not, or, sumAtLeast, TRUE } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import { createAnyOf } from './any-of.ts';
import { groupOf, sameWords } from './effects.ts';

/** What rules ask for beside their points. */
type Asks = Omit<Asked, 'least' | 'most'>;

type Ends = Readonly<Record<'least' | 'most', number>>;

/**
 * Gives when a rule in effect matters, or a shadow rule as if it were live. Its counterpart for one applicant is
 * `effectsAt`. What the other rules ask for is written down in parts that the formulas of all rules share.
 */
export function createRemoval({ space, encoding }: Reasoner): (rule: Rule) => Formula {
  const [{ policy, rules: live }] = space.sides as readonly [Side];
  const certain = (rule: Rule) => encoding.truth(rule.when).certain;
  const isOpen = (rule: Rule) => and([encoding.truth(rule.when).possible, not(certain(rule))]);
  const anyThat = (is: (rule: Rule) => boolean, when: (rule: Rule) => Formula) => createAnyOf(live.filter(is), when);
  const byThen = (is: (rule: Rule) => boolean, when: (rule: Rule) => Formula) => {
    const of = OUTCOMES.map((then) => anyThat((rule) => rule.then === then && is(rule), when));
    return (rule: Rule): Asked['fired'] => {
      const [accept, review, reject] = of.map((anyBut) => anyBut(rule));
      return { accept: accept ?? FALSE, review: review ?? FALSE, reject: reject ?? FALSE };
    };
  };
  const asks = (rule: Rule) => asksWhenUnknown(rule) !== null;
  const fired = byThen(() => true, certain);
  const finalFired = byThen(({ final }) => final, certain);
  const finalOpen = byThen((rule) => rule.final && asks(rule), isOpen);
  const open = anyThat(asks, isOpen);
  const others = (rule: Rule): Asks => ({
    fired: fired(rule),
    finalFired: finalFired(rule),
    finalOpen: finalOpen(rule),
    open: open(rule),
  });
  const terms = asked(live, encoding);
  const sums = new Map<string, Formula>();
  const isAtLeast = (end: keyof Ends, limit: number): Formula => {
    const key = `${end} ${limit}`;
    const sum = sums.get(key) ?? sumAtLeast(limit, terms[end]);
    sums.set(key, sum);
    return sum;
  };
  const decide = (asksFor: Asks, more: Ends) =>
    outcomesOf(policy, asksFor, (end, limit) => isAtLeast(end, limit - more[end]));

  const groups = Map.groupBy(live, groupOf);
  const anyOfGroup = new Map([...groups].map(([group, rules]) => [group, createAnyOf(rules, certain)]));
  /** Whether a rule that fires is decisive, and says something that no other decisive rule does. */
  const isHeard = (rule: Rule, asksFor: Asks, decided: OutcomeFormulas): Formula => {
    const { then, final } = rule;
    if (then === undefined) return FALSE;
    const stricter = OUTCOMES.slice(OUTCOMES.indexOf(then) + 1);
    const isDecisive = final
      ? stricter.flatMap((each) => [not(asksFor.finalFired[each]), not(asksFor.finalOpen[each])])
      : [...OUTCOMES.map((each) => not(asksFor.finalFired[each])), decided[then]];
    const group = groupOf(rule);
    const isOnly = then === 'accept' ? FALSE : not(anyOfGroup.get(group)?.(rule) ?? FALSE);
    const others = groups.get(group)?.filter((other) => other !== rule) ?? [];
    const hasWords = hasOwnWords(rule) ? not(or(sameWords(rule, others).map(certain))) : FALSE;
    return and([...isDecisive, or([isOnly, hasWords])]);
  };

  return (rule) => {
    const without = others(rule);
    // Sums have the points of rules in effect already.
    const [with0, without0] = rule.shadow ? [1, 0] : [0, -1];
    const compare = (withIt: Asks, { least, most }: Ends) => {
      const decided = decide(withIt, { least: least * with0, most: most * with0 });
      const before = decide(without, { least: least * without0, most: most * without0 });
      return { decided, differs: or(OUTCOMES.map((outcome) => and([before[outcome], not(decided[outcome])]))) };
    };
    const { points = 0, whenUnknown } = rule;
    const whereFires = asksWhereFired(rule, without);
    const firing = compare(whereFires, { least: points, most: points });
    const widens = whenUnknown === 'ignore' ? 0 : points;
    const opening = compare(asksWhereOpen(rule, without), { least: Math.min(widens, 0), most: Math.max(widens, 0) });
    return or([
      and([certain(rule), or([firing.differs, isHeard(rule, whereFires, firing.decided)])]),
      and([isOpen(rule), opening.differs]),
    ]);
  };
}

/** What is asked for where a rule fires beside others. */
function asksWhereFired({ then, final }: Rule, others: Asks): Asks {
  if (then === undefined) return others;
  const added = (by: Asked['fired']) => ({ ...by, [then]: TRUE });
  return { ...others, fired: added(others.fired), finalFired: final ? added(others.finalFired) : others.finalFired };
}

/** What is asked for where a rule is undetermined beside others. */
function asksWhereOpen(rule: Rule, others: Asks): Asks {
  const { then, final } = rule;
  if (then === undefined || asksWhenUnknown(rule) === null) return others;
  return { ...others, open: TRUE, finalOpen: final ? { ...others.finalOpen, [then]: TRUE } : others.finalOpen };
}
