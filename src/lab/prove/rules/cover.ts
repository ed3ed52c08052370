/** A rule that never matters -> the few rules that cover it together, if there are such. */

import { factsOf, type Rule, strictness } from '../../../policy/language.ts';
import { MOST_COVER_CANDIDATES, MOST_COVERS } from '../../limits.ts';
import type { Reasoner, Time } from '../../question/reasoner.ts';
import { not } from '../../solver/formula.ts';
import type { Side } from '../../space/space.ts';

/** Rules of which one fires, and asks for as much, whenever the rule fires; none if there are no such few. */
export async function findCover(
  { space, encoding, solver }: Reasoner,
  rule: Rule,
  time: Time,
): Promise<readonly Rule[]> {
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
