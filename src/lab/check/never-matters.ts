/** Rules that never fire, or without which every applicant gets the same outcome -> a warning each. */

import { dayNumber, dayOfNumber } from '../../facts/day.ts';
import { type Check, placeOfRule } from '../../policy/check/context.ts';
import { hasBands, isActive, type Policy, type Rule, testsOf } from '../../policy/language.ts';
import { createReasoner, type Time } from '../reasoning/reasoner.ts';
import { findCover } from '../rules/cover.ts';
import { findIdleRules } from '../rules/idle-rules.ts';
import { IDLE_CODES, wasReported } from './was-reported.ts';

/** Reports rules; gives the questions that could not be decided. */
export async function warnOfIdleRules(check: Check, time: Time): Promise<readonly string[]> {
  const { policy, day } = check;
  const idle = new Map<Rule, Idle>();
  const shown = new Set<Rule>();
  const undecided = new Set<Rule>();
  for (const at of [day, ...changesAfter(day, policy)]) {
    const asked = policy.rules.filter((rule) => isActive(rule, at) && !shown.has(rule) && isSuspect(rule, check));
    // On a later day, those that begin then, and those that did nothing so far.
    if (asked.length === 0) continue;
    const shadows = asked.filter(({ shadow }) => shadow).map(({ when }) => when);
    const reasoner = await createReasoner([policy], at, shadows);
    const found = await findIdleRules(reasoner, asked, time);
    for (const rule of found.neverFire) idle.set(rule, { fires: idle.get(rule)?.fires ?? false, covers: [] });
    for (const rule of found.neverMatter)
      idle.set(rule, { fires: true, covers: await findCover(reasoner, rule, time) });
    for (const rule of found.undecided) undecided.add(rule);
    const open = new Set([...found.neverFire, ...found.neverMatter, ...found.undecided]);
    for (const rule of asked) if (!open.has(rule)) shown.add(rule);
  }
  for (const [rule, each] of idle) if (!shown.has(rule) && !undecided.has(rule)) report(rule, each, check);
  return [...undecided].filter((rule) => !shown.has(rule)).map(({ id }) => `the rule "${id}"`);
}

interface Idle {
  readonly fires: boolean;
  /** Rules of which one fires whenever it does, and asks for as much. */
  readonly covers: readonly Rule[];
}

function report(rule: Rule, { fires, covers }: Idle, check: Check): void {
  const at = check.nodeOf(rule);
  const named = covers.map(({ id }) => `"${id}"`).join(' or ');
  const name = `the ${rule.shadow ? 'shadow ' : ''}rule "${rule.id}"`;
  const idles = rule.shadow ? 'would change nothing if it were live' : 'never matters';
  const why =
    covers.length > 0 ? `whenever it fires, ${named} asks for as much` : 'every applicant gets the same outcome';
  const message = fires ? `${name} ${idles}: ${why}` : `${name} never fires: no applicant passes its tests`;
  const [first] = covers;
  const hint = covers.length > 0 ? 'remove it, or narrow the others' : 'remove it, or change its conditions';
  check.warn(at, 'never-matters', message, hint, first && placeOfRule(first, check));
}

/** Whether a rule can be reported: not if an ordinary check has, or if it is known to say what holds anyway. */
function isSuspect(rule: Rule, check: Check): boolean {
  const { policy, nodes, reported } = check;
  if (rule.then === undefined && !hasBands(policy)) return false;
  if (rule.then === 'accept' && policy.default === 'accept' && !rule.final && !rule.points) return false;
  if (reported.has(rule) || [...testsOf(rule.when)].some((test) => reported.has(test))) return false;
  return !wasReported(nodes.get(rule), IDLE_CODES);
}

/** The days after one on which rules begin, or have ended. */
function changesAfter(day: string, { rules }: Policy): readonly string[] {
  const days = rules.flatMap(({ from, until }) => [
    ...(from === undefined ? [] : [from]),
    ...(until === undefined ? [] : [dayOfNumber(dayNumber(until) + 1)]),
  ]);
  return [...new Set(days)].filter((each) => each > day).sort();
}
