/** A mutant of a policy -> when another outcome is decided, and when a test can expect anything else, as formulas. */

import { lazy } from '../../platform/lazy.ts';
import { type Rule, rulesInEffect } from '../../policy/language.ts';
import { OUTCOME } from '../../policy/sameness.ts';
import { NO_WEIGHT, weigh } from '../../policy/weight.ts';
import { noticeFormulas } from '../diff/notices.ts';
import { ownRulesDiffer } from '../diff/search.ts';
import type { Reasoner } from '../question/reasoner.ts';
import { type Encoding, outcomeFormulas, outcomesDiffer, type TruthFormulas, truthsDiffer } from '../solver/encode.ts';
import { and, FALSE, type Formula, not, or } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import { changesSettings, type PolicyChange } from './policy-change.ts';

/** When a test can tell a mutant from the policy. */
interface MutantFormulas {
  readonly byOutcome: Formula;
  /** By the outcome, or by anything else that a test can expect. */
  readonly byAnything: Formula;
}

/** A rule before and after a change, as far as it is in effect. */
type RuleChange = readonly [old: Rule | undefined, now: Rule | undefined];

/** Gives the formulas of a mutant. The reasoner is that of the policy, and knows the conditions of the mutants. */
export function mutantFormulas({ space, encoding }: Reasoner): (change: PolicyChange) => MutantFormulas {
  const [side] = space.sides as readonly [Side];
  const { policy } = side;
  const before = outcomeFormulas(side, encoding);
  const noticesBefore = lazy(() => noticeFormulas(side, encoding));

  /** When the applicant may be told less than before, or something instead of nothing. */
  const noticesDiffer = (now: Side): Formula => {
    if (noticesBefore().size === 0) return FALSE;
    const after = noticeFormulas(now, encoding);
    const less = [...noticesBefore()].map(([notice, formula]) => and([formula, not(after.get(notice) ?? FALSE)]));
    return or([...less, and([not(or([...noticesBefore().values()])), or([...after.values()])])]);
  };

  return (change) => {
    const { rules, default: fallback, score } = change;
    const inEffect = (of: readonly Rule[]) => rulesInEffect({ ...policy, rules: of }, space.day);
    const changes = [...rules].map(
      ([at, rule]): RuleChange => [inEffect(policy.rules.slice(at, at + 1))[0], inEffect(rule ? [rule] : [])[0]],
    );
    const changed = policy.rules.flatMap((rule, at) => (rules.has(at) ? (rules.get(at) ?? []) : rule));
    const now = { policy: { ...policy, rules: changed, default: fallback, score }, rules: inEffect(changed) };
    const own = [changes.flatMap(([old]) => old ?? []), changes.flatMap(([, rule]) => rule ?? [])] as const;
    const byOutcome = and([
      ownRulesDiffer({ policies: [policy, now.policy], own, encoding }),
      outcomesDiffer(before, outcomeFormulas(now, encoding)),
    ]);
    // Another truth of a rule is something that a test can expect already.
    const isEffect =
      changesSettings(policy, change) || changes.some(([old, rule]) => old && rule && !OUTCOME.isSameEffect(old, rule));
    const others = [...changes.map((each) => resultsDiffer(each, encoding)), isEffect ? noticesDiffer(now) : FALSE];
    return { byOutcome, byAnything: or([...others, byOutcome]) };
  };
}

/** When a test can expect another rule, undetermined rule or score. A rule that is not in effect is false. */
function resultsDiffer([old, now]: RuleChange, encoding: Encoding): Formula {
  const truthOf = (rule: Rule | undefined) => (rule ? encoding.truth(rule.when) : NEVER);
  const weightOf = (rule: Rule | undefined) => (rule ? weigh(rule) : NO_WEIGHT);
  const [truth, before, after] = [truthOf(now), weightOf(old), weightOf(now)];
  const isSameOpen = before.openLeast === after.openLeast && before.openMost === after.openMost;
  return or([
    truthsDiffer(truthOf(old), truth),
    before.points === after.points ? FALSE : truth.certain,
    isSameOpen ? FALSE : and([truth.possible, not(truth.certain)]),
  ]);
}

const NEVER: TruthFormulas = { certain: FALSE, possible: FALSE };
