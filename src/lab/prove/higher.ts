/** A fact of numbers or levels -> its values in order, and when a second applicant has a higher one than the first. */

import { fillBetween, sampleValues, toNumber, validValues } from '../../decision/explain/model/sample-values.ts';
import { type Fact, type Facts, type FactValue, isMissing } from '../../facts/fact.ts';
import type { Reasoner } from '../question/reasoner.ts';
import { and, type Formula, isIn, not, or, TRUE } from '../solver/formula.ts';
import type { SecondApplicant } from './second-applicant.ts';

/** When both applicants know the fact, and the second has a higher value; more often if others are compared with it. */
export function isHigher(path: string, { space, table }: Reasoner, { rewrite }: SecondApplicant): Formula {
  const at = space.variables.findIndex(({ path: own, axes }) => own === path && axes.every(({ other }) => !other));
  const variable = space.variables[at];
  const definition = table.get(path);
  if (!variable || !definition) return TRUE;
  const { states } = variable;
  const ranks = states.map((): number[] => []);
  for (const fact of space.samples.get(path) ?? []) {
    if (isMissing(fact)) continue;
    ranks[variable.find(new Map([[path, fact]]))]?.push(toNumber(fact.value, definition) ?? 0);
  }
  const least = ranks.map((own) => Math.min(...own));
  const most = ranks.map((own) => Math.max(...own));
  const only = (state: number) => states.map((_, i) => i === state);
  const cases = states.flatMap((_, state) => {
    if (state === 0) return [];
    const above = states.map((_, i) => i > 0 && (most[i] as number) > (least[state] as number));
    return or([not(isIn(at, only(state))), rewrite(isIn(at, above))]);
  });
  return and([not(isIn(at, only(0))), ...cases]);
}

/**
 * Values of a fact, ascending: at least one for each truth of its tests; then the same with more in between, for a fact
 * that is compared with others.
 */
export function valuesOf(path: string, given: Facts, { space, table }: Reasoner): readonly (readonly FactValue[])[] {
  const definition = table.get(path);
  if (!definition) return [];
  const rank = (value: FactValue) => toNumber(value, definition) ?? 0;
  const plain = sampleValues({ definition, axes: [], tests: [], present: undefined }, space.day);
  const sampled = presentValues(space.samples.get(path) ?? []);
  const compared = presentValues(given.values()).filter((value) => typeof value === typeof plain[0]);
  return [sampled, fillBetween([...sampled, ...plain, ...compared], definition, 2)].map((values) =>
    validValues(values, definition, space.day).sort((one, other) => rank(one) - rank(other)),
  );
}

function presentValues(facts: Iterable<Fact>): readonly FactValue[] {
  return [...facts].flatMap((fact) => (isMissing(fact) ? [] : fact.value));
}
