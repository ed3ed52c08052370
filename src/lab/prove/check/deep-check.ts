/** A checked policy -> more warnings, each with proof: rules without effect, outcomes never given, guarantees. */

import type { Diagnostic } from '../../../diagnostics.ts';
import { type Check, nameRules, placeOfRule } from '../../../policy/check/context.ts';
import { hintOfUnknown } from '../../../policy/check/rule-checks.ts';
import {
  type Band,
  factsOf,
  hasBands,
  isActive,
  type Outcome,
  type Rule,
  strictness,
  testsOf,
} from '../../../policy/language.ts';
import { DEFAULT_STEPS, MOST_COVER_CANDIDATES, MOST_COVERS, QUESTION_SHARE } from '../../limits.ts';
import { createReasoner, type Reasoner } from '../../question/reasoner.ts';
import { not } from '../../solver/formula.ts';
import { daysFrom } from '../../space/calendar.ts';
import type { Side } from '../../space/space.ts';
import { moreSteps, Steps, stepsText } from '../../steps.ts';
import { DayByDay, type Kind } from '../day-by-day.ts';
import { findIneffectiveRules } from '../ineffective-rules.ts';
import { checkGuarantees, whyUndecided } from '../prove.ts';
import { bandsOf, outcomesOf, warnOfBand, warnOfOutcome } from './never-reached.ts';
import { INEFFECTIVE_CODES, wasReported } from './reported.ts';

/** Gives a check of policies that takes at most so many steps for each. */
export function createDeepCheck(most = DEFAULT_STEPS): (check: Check) => Promise<readonly Diagnostic[]> {
  return async (check) => {
    const { policy, day } = check;
    const steps = new Steps(most);
    const broken = policy.guarantees.length > 0 ? await checkGuarantees(policy, { at: day, steps: most }) : [];
    const outcomes = new DayByDay(outcomesOf(check));
    const bands = new DayByDay(bandsOf(check));
    const rules = new DayByDay(rulesOf(check));
    const days = daysFrom(day, [policy]);
    const stuck = new Set<string>();
    for (const at of days) {
      const open = [outcomes, bands, rules].filter((kind) => kind.openOn(at).length > 0);
      if (steps.areOver) for (const kind of open) kind.leaveOpen(at);
      if (steps.areOver || open.length === 0) continue;
      const shadows = rules.openOn(at).flatMap(({ shadow, when }) => (shadow ? when : []));
      const reasoner = await createReasoner([policy], at, shadows);
      await outcomes.ask(reasoner, steps);
      await bands.ask(reasoner, steps);
      await rules.ask(reasoner, steps);
      for (const fact of reasoner.stuck) stuck.add(fact);
    }
    for (const [band] of bands.never) warnOfBand(band, check);
    for (const [rule, days] of rules.never) warnOfIneffectiveRule(rule, days, check);
    for (const [outcome] of outcomes.never) warnOfOutcome(outcome, days, check);
    const open = { rules: rules.undecided, outcomes: outcomes.undecided, bands: bands.undecided };
    warnOfUndecided({ ...open, stuck: [...stuck] }, steps, check);
    return broken;
  };
}

/** Things that are not known to happen to any applicant, nor to happen to none. */
interface Undecided {
  readonly rules: readonly Rule[];
  readonly outcomes: readonly Outcome[];
  readonly bands: readonly Band[];
  /** Facts for which no values were found. */
  readonly stuck: readonly string[];
}

const GETS: Readonly<Record<Outcome, string>> = { accept: 'accepted', review: 'reviewed', reject: 'rejected' };

/** Warns if anything is undecided, and says whether more steps may help. */
function warnOfUndecided({ rules, outcomes, bands, stuck }: Undecided, { all, wereShort }: Steps, check: Check): void {
  const [rule] = rules;
  const matter = rules.length > 1 ? `the rules ${nameRules(rules)} matter` : `the rule ${nameRules(rules)} matters`;
  const open = [
    ...(rule ? [`whether ${matter}`] : []),
    ...(outcomes.length > 0 ? [`whether any applicant is ${outcomes.map((each) => GETS[each]).join(' or ')}`] : []),
    ...(bands.length > 0 ? [`whether a score lies in the ${bands.join(' or ')} band`] : []),
  ];
  if (open.length === 0) return;
  const hint = wereShort ? moreSteps(all) : `more steps do not help: ${whyUndecided(stuck, check.policy)}`;
  const message = `not decided${wereShort ? ` in ${stepsText(all)} steps` : ''}: ${open.join('; ')}`;
  check.warn(check.keys.get('policy')?.value, 'undecided', message, hint, rule && placeOfRule(rule, check));
}

/** How a rule has no effect on a day. */
interface Ineffective {
  readonly fires: boolean;
  /** Rules, one of which fires whenever it does, and asks for as much. */
  readonly covers: readonly Rule[];
}

/** The rules of a checked policy; the reasoner has to know the conditions of shadow rules. */
function rulesOf(check: Check): Kind<Rule, Ineffective> {
  const suspects = check.policy.rules.filter((rule) => isSuspect(rule, check));
  return {
    itemsOn: (day) => suspects.filter((rule) => isActive(rule, day)),
    async ask(reasoner, rules, steps) {
      const { neverFire, neverMatter, undecided } = await findIneffectiveRules(reasoner, rules, steps);
      const never = new Map(neverFire.map((rule): [Rule, Ineffective] => [rule, { fires: false, covers: [] }]));
      for (const rule of neverMatter) never.set(rule, { fires: true, covers: await findCover(reasoner, rule, steps) });
      return { never, undecided };
    },
  };
}

/** Whether a rule can be reported: not if an ordinary check has, or if it is known to say what holds anyway. */
function isSuspect(rule: Rule, { policy, nodes, reported }: Check): boolean {
  if (rule.then === undefined && !hasBands(policy)) return false;
  if (rule.then === 'accept' && policy.default === 'accept' && !rule.final && !rule.points) return false;
  if (reported.has(rule) || [...testsOf(rule.when)].some((test) => reported.has(test))) return false;
  return !wasReported(nodes.get(rule), INEFFECTIVE_CODES);
}

/** Reports a rule, given how it has no effect on each day. */
function warnOfIneffectiveRule(rule: Rule, days: readonly Ineffective[], check: Check): void {
  const { fires, covers } = days.find((each) => each.fires) ?? { fires: false, covers: [] };
  const name = `the ${rule.shadow ? 'shadow ' : ''}rule "${rule.id}"`;
  const named = covers.map(({ id }) => `"${id}"`).join(' or ');
  const verb = rule.shadow ? 'would change nothing if it were live' : 'never matters';
  const why =
    covers.length > 0 ? `whenever it fires, ${named} asks for as much` : 'every applicant gets the same outcome';
  const message = fires ? `${name} ${verb}: ${why}` : `${name} never fires: no applicant passes its tests`;
  const [first] = covers;
  const advice = covers.length > 0 ? 'remove it, or narrow the others' : 'remove it, or change its conditions';
  const hint = [advice, ...(fires ? [] : hintOfUnknown(rule))].join('; ');
  check.warn(check.nodeOf(rule), 'never-matters', message, hint, first && placeOfRule(first, check));
}

/** A few rules, one of which fires and asks for as much whenever the rule fires; empty if none were found. */
async function findCover({ space, encoding, solver }: Reasoner, rule: Rule, steps: Steps): Promise<readonly Rule[]> {
  const [{ rules }] = space.sides as readonly [Side];
  const facts = factsOf(rule.when);
  const { then, final } = rule;
  if (then === undefined) return [];
  const asksAsMuch = (other: Rule) =>
    other.then !== undefined &&
    strictness(other.then) >= strictness(then) &&
    (!final || (other.final && other.then === then));
  let covers = rules
    .filter((other) => other !== rule && asksAsMuch(other) && !factsOf(other.when).isDisjointFrom(facts))
    .slice(0, MOST_COVER_CANDIDATES);
  const isCovered = async (by: readonly Rule[]) => {
    const formulas = [encoding.truth(rule.when), ...by.map(({ when }) => encoding.truth(when))];
    const [covered, ...others] = formulas.map(({ certain }) => certain);
    if (!covered) return false;
    const answer = await solver.ask([covered, ...others.map(not)], steps.part(QUESTION_SHARE));
    return answer.kind === 'unsatisfiable';
  };
  if (!(await isCovered(covers))) return [];
  for (const other of covers) {
    const fewer = covers.filter((each) => each !== other);
    if (await isCovered(fewer)) covers = fewer;
  }
  return covers.length <= MOST_COVERS ? covers : [];
}
