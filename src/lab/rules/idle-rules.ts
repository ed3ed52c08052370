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
  await drawApplicants(reasoner, rules, note, (rule) => unfired.has(rule) || unmattering.has(rule), time);

  const found = { neverFire: [] as Rule[], neverMatter: [] as Rule[], undecided: [] as Rule[] };
  const isShown = async (formula: Formula, rule: Rule, open: ReadonlySet<Rule>) => {
    if (!open.has(rule)) return true;
    if (performance.now() > time.endsAt) return undefined;
    const isRight = (given: Facts) => {
      note(readFacts(given, policy.facts, day));
      return !open.has(rule);
    };
    const applicant = await findApplicant(reasoner, [formula], isRight, time);
    return applicant === 'none' ? false : applicant === undefined ? undefined : true;
  };
  const mattersWhere = createRemoval(reasoner);
  for (const rule of rules) {
    const fires = await isShown(reasoner.encoding.truth(rule.when).certain, rule, unfired);
    const matters = fires === false || (await isShown(mattersWhere(rule), rule, unmattering));
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
  time: Time,
): Promise<void> {
  const draw = createDraw(reasoner);
  const starts = await startsOf(reasoner, time);
  // The other half of the time is for what chance does not show.
  const endsAt = time.endsAt - time.timeoutMs / 2;
  for (const rule of rules) {
    for (let tries = 0; tries < DRAWS; tries++) {
      for (const start of starts) {
        if (!isOpen(rule) || performance.now() > endsAt) continue;
        const drawn = draw(rule.when, start);
        if (drawn) show(drawn);
      }
    }
  }
}

/** An applicant of each outcome. */
async function startsOf({ space, encoding, solver }: Reasoner, { endsAt }: Time): Promise<readonly Facts[]> {
  const [side] = space.sides as readonly [Side];
  const outcomes = outcomeFormulas(side, encoding);
  const starts: Facts[] = [];
  for (const outcome of OUTCOMES) {
    const answer = await solver.ask([outcomes[outcome]], endsAt - performance.now());
    if (answer.kind !== 'satisfiable') continue;
    const facts = space.variables.map(
      ({ path, states }, i) => [path, states[answer.states[i] as number]?.fact] as const,
    );
    starts.push(new Map(facts.flatMap(([path, fact]) => (fact ? [[path, fact]] : []))));
  }
  return starts;
}
