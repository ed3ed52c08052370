/** States of variables -> an applicant in them, as facts. */

import { fillBetween, sampleValues, validValues } from '../../decision/explain/model/sample-values.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { computedIn, factsAmong, setComputed } from '../../facts/compute.ts';
import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { ALWAYS_DERIVED } from '../../policy/cells/derivations.ts';
import type { Space } from '../space/space.ts';
import { derivableAmong, deriveFrom, inputValues } from './derivable.ts';

/** The most combinations of values that are tried for facts that are compared with, or computed from, each other. */
const MOST_TRIES = 20_000;

const MISSING: Fact = { missing: 'notGiven' };
/** What is derived without geodata, as in browsers. */
const UNMAPPED: Fact = { missing: 'unmapped' };

/** Whether facts of a variable may have any sample of its state: nothing else depends on them. */
export function isFree(space: Space, table: FactTable): readonly boolean[] {
  const joint = jointFacts(space, table);
  const derivable = derivableAmong(
    space.variables.map(({ path }) => path),
    table,
  );
  const tied = new Set([
    ...joint,
    ...derivable.flatMap(({ path, inputs }) => [path, ...inputs]),
    ...computedIn(table).keys(),
  ]);
  return space.variables.map(({ path }) => !tied.has(path));
}

/**
 * Facts that lie in these states, one for each variable, and that are derived from each other as the engine does it;
 * undefined if none were found, which is no proof that there are none. Computed and derived facts are among them.
 */
export function findFacts(space: Space, states: readonly number[]): Facts | undefined {
  const { variables, sides } = space;
  const table: FactTable = new Map(sides.flatMap(({ policy }) => [...policy.facts]));
  const facts = new Map<string, Fact>();
  const isGone = new Set<string>();
  for (const [i, { path, states: own, axes }] of variables.entries()) {
    const state = own[states[i] as number];
    if (axes.some(({ other }) => other !== undefined) || computedIn(table).has(path)) continue;
    if (state?.isMissing) isGone.add(path);
    if (state?.fact) facts.set(path, state.fact);
  }
  const asked = new Set(variables.map(({ path }) => path));
  const derivable = derivableAmong(asked, table);
  // Where all inputs have values, the fact is what follows from them.
  const isDerived = new Set<string>();
  for (const { path, inputs } of derivable) {
    if (inputs.every((input) => isDerived.has(input) || (asked.has(input) && !isGone.has(input)))) isDerived.add(path);
  }
  const inputs = derivable.flatMap((each) => (isDerived.has(each.path) ? each.inputs : []));
  const groups: (readonly [string, readonly Fact[]])[] = [];
  for (const path of new Set([...jointFacts(space, table), ...inputs])) {
    // A fact with samples keeps its state, and may have any sample in it.
    if (isGone.has(path) || isDerived.has(path)) continue;
    groups.push([path, candidatesFor(path, space, states, table)]);
  }
  const checked = isFree(space, table).flatMap((each, i) => (each ? [] : [i]));
  const isMet = (found: Facts) => checked.every((i) => variables[i]?.find(found) === states[i]);
  let tries = 0;
  const search = (at: number, hasGeodata: boolean): Facts | undefined => {
    const group = groups[at];
    if (!group) {
      const found = new Map(facts);
      for (const each of derivable) {
        const derived = deriveFrom(found, each, space.day);
        if (!derived) continue;
        const isUnmapped = !hasGeodata && isGone.has(each.path) && !ALWAYS_DERIVED.includes(each.path);
        found.set(each.path, isUnmapped ? UNMAPPED : derived);
      }
      setComputed(found, table);
      return isMet(found) ? found : undefined;
    }
    for (const candidate of group[1]) {
      tries += 1;
      if (tries > MOST_TRIES) return undefined;
      facts.set(group[0], candidate);
      const found = search(at + 1, hasGeodata);
      if (found) return found;
    }
    return undefined;
  };
  const found = search(0, true);
  tries = 0;
  return found ?? search(0, false);
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
  const samplesOf = (of: string) =>
    (space.samples.get(of) ?? []).flatMap((fact) => (isMissing(fact) ? [] : fact.value));
  const sampled = [...samplesOf(path), ...plain];
  const more = inputValues(path, sampled, samplesOf);
  const values = validValues([...fillBetween(sampled, definition, 2), ...more], definition, space.day);
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
