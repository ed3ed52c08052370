/** A policy -> formulas: where a rule matters, that is, where the policy without it decides an applicant otherwise. */

import { decides } from '../../../decision/meaning/ranking.ts';
import { hasOwnWords } from '../../../policy/check/rules/own-words.ts';
import type { Rule } from '../../../policy/language.ts';
import { weigh } from '../../../policy/weight.ts';
import {
  type Asks,
  casesOf,
  createBeside,
  ofRule,
  outcomesDiffer,
  type RuleCase,
  SEPARABLE,
} from '../../question/outcome-change.ts';
import type { Reasoner } from '../../question/reasoner.ts';
import { FORMULAS, type OutcomeFormulas } from '../../solver/encode.ts';
import { and, FALSE, type Formula, not, or } from '../../solver/formula.ts';
import type { Side } from '../../space/space.ts';
import { groupOf, sameWords } from './effects.ts';

/** When a rule matters, in parts: to prove them one after the other is easier than all at once. */
export interface Removal {
  /** It fires, and explains the outcome as no other rule does. */
  readonly explains: Formula;
  /** It is undetermined, and the outcome would be another without it. */
  readonly delays: Formula;
  /** It fires, and the outcome would be another without it, as far as it does not explain the outcome then. */
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
  /** Whether a rule that fires is decisive, and says something that no other decisive rule does. */
  const isHeard = (rule: Rule, asksFor: Asks, decided: OutcomeFormulas): Formula => {
    const group = groupOf(rule);
    const isOnly = rule.then === 'accept' ? FALSE : not(anyOfGroup.get(group)?.without(rule) ?? FALSE);
    const others = groups.get(group)?.filter((other) => other !== rule) ?? [];
    const hasWords = hasOwnWords(rule) ? not(or(sameWords(rule, others).map(certain))) : FALSE;
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
      explains: and([fired.when, isHeard(rule, fired.asks, firing.decided)]),
      delays: and([open.when, compare(open).differs]),
      decides: mayDecideOnly ? and([fired.when, firing.differs]) : FALSE,
    };
  };
}
