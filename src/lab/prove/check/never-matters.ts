/** Rules that never fire, or without which every applicant gets the same outcome -> a warning each. */

import { type Check, placeOfRule } from '../../../policy/check/context.ts';
import { factsOf, hasBands, isActive, type Rule, strictness, testsOf } from '../../../policy/language.ts';
import { MOST_COVER_CANDIDATES, MOST_COVERS } from '../../limits.ts';
import type { Reasoner, Time } from '../../question/reasoner.ts';
import { not } from '../../solver/formula.ts';
import type { Side } from '../../space/space.ts';
import { findIdleRules } from '../idle-rules.ts';
import { IDLE_CODES, type Kind, wasReported } from './nobody.ts';

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

/** Rules of which one fires, and asks for as much, whenever the rule fires; none if there are no such few. */
async function findCover({ space, encoding, solver }: Reasoner, rule: Rule, time: Time): Promise<readonly Rule[]> {
  const [{ rules }] = space.sides as readonly [Side];
  const own = factsOf(rule.when);
  const { then, final } = rule;
  if (then === undefined) return [];
  const asksAsMuch = (other: Rule) =>
    other.then !== undefined &&
    strictness(other.then) >= strictness(then) &&
    (!final || (other.final && other.then === then));
  let covers = rules
    .filter((other) => other !== rule && asksAsMuch(other) && !factsOf(other.when).isDisjointFrom(own))
    .slice(0, MOST_COVER_CANDIDATES);
  const isCovered = async (by: readonly Rule[]) => {
    const formulas = [encoding.truth(rule.when), ...by.map(({ when }) => encoding.truth(when))];
    const [covered, ...others] = formulas.map(({ certain }) => certain);
    if (!covered) return false;
    const answer = await solver.ask(
      [covered, ...others.map(not)],
      Math.min(time.timeoutMs / 10, time.endsAt - performance.now()),
    );
    return answer.kind === 'unsatisfiable';
  };
  if (!(await isCovered(covers))) return [];
  for (const other of covers) {
    const fewer = covers.filter((each) => each !== other);
    if (await isCovered(fewer)) covers = fewer;
  }
  return covers.length <= MOST_COVERS ? covers : [];
}
