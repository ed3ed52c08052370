/** Rules that never fire, or without which every applicant gets the same outcome -> a warning each. */

import { type Check, placeOfRule } from '../../../policy/check/context.ts';
import { hasBands, isActive, type Rule, testsOf } from '../../../policy/language.ts';
import { findCover } from '../rules/cover.ts';
import { findIdleRules } from '../rules/idle-rules.ts';
import type { Kind } from './nobody.ts';
import { IDLE_CODES, wasReported } from './was-reported.ts';

/** How a rule is idle on a day. */
export interface Idle {
  readonly fires: boolean;
  /** Rules of which one fires whenever it does, and asks for as much. */
  readonly covers: readonly Rule[];
}

/** The rules of a checked policy; the reasoner has to know the conditions of shadow rules. */
export function rulesOf(check: Check): Kind<Rule, Idle> {
  const suspects = check.policy.rules.filter((rule) => isSuspect(rule, check));
  return {
    itemsOn: (day) => suspects.filter((rule) => isActive(rule, day)),
    async ask(reasoner, rules, time) {
      const { neverFire, neverMatter, undecided } = await findIdleRules(reasoner, rules, time);
      const never = new Map(neverFire.map((rule): [Rule, Idle] => [rule, { fires: false, covers: [] }]));
      for (const rule of neverMatter) never.set(rule, { fires: true, covers: await findCover(reasoner, rule, time) });
      return { never, undecided };
    },
  };
}

/** Whether a rule can be reported: not if an ordinary check has, or if it is known to say what holds anyway. */
function isSuspect(rule: Rule, { policy, nodes, reported }: Check): boolean {
  if (rule.then === undefined && !hasBands(policy)) return false;
  if (rule.then === 'accept' && policy.default === 'accept' && !rule.final && !rule.points) return false;
  if (reported.has(rule) || [...testsOf(rule.when)].some((test) => reported.has(test))) return false;
  return !wasReported(nodes.get(rule), IDLE_CODES);
}

/** Reports a rule, given how it is idle on each day. */
export function warnOfIdleRule(rule: Rule, days: readonly Idle[], check: Check): void {
  const { fires, covers } = days.find((each) => each.fires) ?? { fires: false, covers: [] };
  const name = `the ${rule.shadow ? 'shadow ' : ''}rule "${rule.id}"`;
  const named = covers.map(({ id }) => `"${id}"`).join(' or ');
  const idles = rule.shadow ? 'would change nothing if it were live' : 'never matters';
  const why =
    covers.length > 0 ? `whenever it fires, ${named} asks for as much` : 'every applicant gets the same outcome';
  const message = fires ? `${name} ${idles}: ${why}` : `${name} never fires: no applicant passes its tests`;
  const [first] = covers;
  const hint = covers.length > 0 ? 'remove it, or narrow the others' : 'remove it, or change its conditions';
  check.warn(check.nodeOf(rule), 'never-matters', message, hint, first && placeOfRule(first, check));
}
