/** States of variables -> an applicant in them, as facts. */

import { fillBetween, sampleValues, validValues } from '../../decision/explain/model/sample-values.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { computedIn, factsAmong, setComputed } from '../../facts/compute.ts';
import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import type { Space } from '../space/space.ts';

/** The most combinations of values that are tried for facts that are compared with, or computed from, each other. */
const MOST_TRIES = 20_000;

const MISSING: Fact = { missing: 'notGiven' };

/**
 * Facts that lie in these states, one for each variable; undefined if none were found, which is no proof that there
 * are none. Computed facts are among them.
 */
export function findFacts(space: Space, states: readonly number[]): Facts | undefined {
  const { variables, sides } = space;
  const table: FactTable = new Map(sides.flatMap(({ policy }) => [...policy.facts]));
  const facts = new Map<string, Fact>();
  const open = new Map<string, readonly Fact[]>();
  for (const [i, { path, states: own, axes }] of variables.entries()) {
    const state = own[states[i] as number];
    if (state?.fact && axes.every(({ other }) => other === undefined) && !computedIn(table).has(path)) {
      facts.set(path, state.fact);
    }
  }
  for (const path of jointFacts(space, table)) {
    const fact = facts.get(path);
    // A fact with samples keeps its state, and may have any sample in it.
    if (fact && isMissing(fact)) continue;
    open.set(path, candidatesFor(path, space, states, table));
  }
  const groups = [...open];
  const isMet = (found: Facts) => variables.every((variable, i) => variable.find(found) === states[i]);
  let tries = 0;
  const search = (at: number): Facts | undefined => {
    const group = groups[at];
    if (!group) {
      const found = new Map(facts);
      setComputed(found, table);
      return isMet(found) ? found : undefined;
    }
    for (const candidate of group[1]) {
      tries += 1;
      if (tries > MOST_TRIES) return undefined;
      facts.set(group[0], candidate);
      const found = search(at + 1);
      if (found) return found;
    }
    return undefined;
  };
  return search(0);
}

/** The facts that variables other than their own samples depend on: texts by axis, pairs, and operands. */
function jointFacts({ variables }: Space, table: FactTable): ReadonlySet<string> {
  const joint = new Set<string>();
  const add = (path: string) => {
    const compute = table.get(path)?.compute;
    for (const given of compute ? factsAmong(compute.operands) : [path]) joint.add(given);
  };
  for (const { path, states, axes } of variables) {
    const isSampled = states.some(({ fact, isMissing: isOfMissing }) => fact !== undefined && !isOfMissing);
    if (!isSampled) add(path);
    for (const { other } of axes) if (other !== undefined) add(other);
  }
  return joint;
}

/** Values of a fact that leave its own variables in their states, then none. */
function candidatesFor(path: string, space: Space, states: readonly number[], table: FactTable): readonly Fact[] {
  const definition = table.get(path);
  if (!definition) return [MISSING];
  const own = space.variables
    .map((variable, i) => ({ variable, state: states[i] as number }))
    .filter(({ variable }) => variable.path === path && variable.axes.every(({ other }) => other === undefined));
  const plain = sampleValues({ definition, axes: [], tests: [], present: undefined }, space.day);
  const sampled = (space.samples.get(path) ?? []).flatMap((fact) => (isMissing(fact) ? [] : fact.value));
  const values = validValues(fillBetween([...sampled, ...plain], definition, 2), definition, space.day);
  const all = [...values.map((value): Fact => ({ value })), MISSING];
  return all.filter((fact) => own.every(({ variable, state }) => variable.find(new Map([[path, fact]])) === state));
}

/** Given facts without those that a check can do without, one after the other. Computed facts are never given. */
export function withoutNeedless(facts: Facts, table: FactTable, isKept: (given: Facts) => boolean): Facts {
  const computed = computedIn(table);
  let needed = new Map([...facts].filter(([path]) => !computed.has(path)));
  for (const path of [...needed.keys()]) {
    const fewer = new Map(needed);
    fewer.delete(path);
    if (isKept(fewer)) needed = fewer;
  }
  return needed;
}
