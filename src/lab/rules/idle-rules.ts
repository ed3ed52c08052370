/** The rules of a policy -> those that never fire, and those that never matter, with proof. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import type { Facts } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { OUTCOMES, type Rule } from '../../policy/language.ts';
import { findApplicant } from '../reasoning/find-applicant.ts';
import type { Reasoner, Time } from '../reasoning/reasoner.ts';
import { outcomeFormulas } from '../solver/encode.ts';
import type { Formula } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import { createDraw } from './draw.ts';
import { effectsAt } from './effects.ts';
import { createRemoval } from './removal.ts';
import { seekAtBorders } from './score-borders.ts';

export interface IdleRules {
  /** No applicant makes them fire. */
  readonly neverFire: readonly Rule[];
  /** They fire, yet every applicant gets the same outcome without them, and none of them is the only explanation. */
  readonly neverMatter: readonly Rule[];
  /** Those for which neither an applicant nor a proof was found in time. */
  readonly undecided: readonly Rule[];
}

/** Applicants drawn for each rule, from each applicant that the drawing starts with. */
const DRAWS = 3;

/** The most of the time that is left that one question may take. */
const MOST_SHARE = 0.05;

/**
 * Finds the idle ones among rules of the reasoner's first policy that are in effect, or among shadow rules, as if each
 * were live; the reasoner has to know their conditions.
 */
export async function findIdleRules(reasoner: Reasoner, rules: readonly Rule[], time: Time): Promise<IdleRules> {
  const [{ policy }] = reasoner.space.sides as readonly [Side];
  const { day } = reasoner.space;
  const matcher = matcherOf(policy);
  const [unfired, unmattering] = [new Set(rules), new Set(rules)];
  const note = (facts: Facts) => {
    const { fired, matter } = effectsAt(matcher, facts, day);
    for (const rule of fired) unfired.delete(rule);
    for (const rule of matter) unmattering.delete(rule);
  };
  // The other half of the time is for what chance does not show.
  const half = time.endsAt - time.timeoutMs / 2;
  const isOpen = (rule: Rule) => unfired.has(rule) || unmattering.has(rule);
  await drawApplicants(reasoner, rules, note, isOpen, { ...time, endsAt: half });
  const hasNoEffect = (rule: Rule) => unmattering.has(rule);
  for (const given of seekAtBorders(reasoner, rules, hasNoEffect, half)) note(readFacts(given, policy.facts, day));

  const found = { neverFire: [] as Rule[], neverMatter: [] as Rule[], undecided: [] as Rule[] };
  const isShown = async (formulaOf: (rule: Rule) => Formula, rule: Rule, open: ReadonlySet<Rule>) => {
    if (!open.has(rule)) return true;
    if (performance.now() > time.endsAt) return undefined;
    const isRight = (given: Facts) => {
      note(readFacts(given, policy.facts, day));
      return !open.has(rule);
    };
    const left = Math.max(1, time.endsAt - performance.now());
    const share = Math.min(MOST_SHARE, 2 / unfired.union(unmattering).size);
    const applicant = await findApplicant(reasoner, [formulaOf(rule)], isRight, { ...time, timeoutMs: left }, share);
    return applicant === 'none' ? false : applicant === undefined ? undefined : true;
  };
  const firesWhere = ({ when }: Rule) => reasoner.encoding.truth(when).certain;
  const mattersWhere = createRemoval(reasoner);
  for (const rule of rules) {
    const fires = await isShown(firesWhere, rule, unfired);
    const matters = fires === false || (await isShown(mattersWhere, rule, unmattering));
    if (fires === false) found.neverFire.push(rule);
    else if (matters === false) found.neverMatter.push(rule);
    else if (fires === undefined || matters === undefined) found.undecided.push(rule);
  }
  return found;
}

/** Shows applicants for whom rules fire: most rules need no solver then. */
async function drawApplicants(
  reasoner: Reasoner,
  rules: readonly Rule[],
  show: (facts: Facts) => void,
  isOpen: (rule: Rule) => boolean,
  { timeoutMs, endsAt }: Time,
): Promise<void> {
  const draw = createDraw(reasoner);
  const drawFrom = (start: Facts) => {
    for (const rule of rules) {
      for (let tries = 0; tries < DRAWS; tries++) {
        if (!isOpen(rule) || performance.now() > endsAt) continue;
        const drawn = draw(rule.when, start);
        if (drawn) show(drawn);
      }
    }
  };
  // Somebody with the facts of one rule alone: nearly no other rule fires.
  drawFrom(new Map());
  const [side] = reasoner.space.sides as readonly [Side];
  const outcomes = outcomeFormulas(side, reasoner.encoding);
  for (const outcome of OUTCOMES) {
    if (!rules.some(isOpen)) continue;
    const start = await statesFacts(reasoner, outcomes[outcome], timeoutMs * MOST_SHARE);
    if (start) drawFrom(start);
  }
}

/** Facts in states for which a formula holds, one by one; those of texts and pairs are left out. */
async function statesFacts(
  { space, solver }: Reasoner,
  formula: Formula,
  timeoutMs: number,
): Promise<Facts | undefined> {
  const answer = await solver.ask([formula], timeoutMs);
  if (answer.kind !== 'satisfiable') return undefined;
  const facts = space.variables.map(({ path, states }, i) => [path, states[answer.states[i] as number]?.fact] as const);
  return new Map(facts.flatMap(([path, fact]) => (fact ? [[path, fact]] : [])));
}
