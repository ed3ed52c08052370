/** Facts that depend on each other: those derived from others, and the groups of variables of a space. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { deriveFact, factsAmong } from '../../facts/compute.ts';
import { type Fact, type FactValue, type GivenFact, isMissing } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
import { cached } from '../../platform/cached.ts';
import { exampleNumbers, WORLD } from '../../platform/formats/geo/world.ts';
import { MOST_DERIVED_KEPT, MOST_DIGITS } from '../limits.ts';
import { CALENDAR } from '../space/calendar.ts';
import { jointTable, type Space } from '../space/space.ts';
import type { Variable } from '../space/variable.ts';

/** A fact that is derived from others where all of them are known. */
export interface Derivable {
  readonly path: string;
  readonly definition: FactDefinition;
  readonly inputs: readonly string[];
}

/** The derived facts among some paths, and those that these are derived from, each after its inputs. */
export function derivableAmong(paths: Iterable<string>, table: FactTable): readonly Derivable[] {
  const wanted = new Set(paths);
  const derivables: Derivable[] = [];
  for (const [path, definition] of [...table].reverse()) {
    const { origin, inputs = [], compute } = definition;
    if (origin !== 'derived' || compute || !wanted.has(path)) continue;
    for (const input of inputs) wanted.add(input);
    derivables.unshift({ path, definition, inputs });
  }
  return derivables;
}

/** What was derived, by path and inputs: searches try the same few numbers, and a numbering plan takes long to find. */
const DERIVED = new Map<string, GivenFact>();

/** Derives a fact from the others, as for an applicant; undefined if one of its inputs is missing. */
export function deriveFrom(facts: ReadonlyMap<string, Fact>, derivable: Derivable, day: string): Fact | undefined {
  const { path, definition, inputs } = derivable;
  const values: FactValue[] = [];
  for (const input of inputs) {
    const fact = facts.get(input);
    if (fact === undefined || isMissing(fact)) return undefined;
    values.push(fact.value);
  }
  const key = JSON.stringify([path, values]);
  const derived = DERIVED.get(key) ?? deriveFact(path, definition, facts, WORLD);
  if (DERIVED.size >= MOST_DERIVED_KEPT) DERIVED.clear();
  DERIVED.set(key, derived);
  return readFact(definition, derived, day);
}

/** More values of an input, given samples of it and of the facts derived from it. */
export function inputValues(
  path: string,
  samples: readonly FactValue[],
  samplesOf: (derived: string) => readonly FactValue[],
): readonly FactValue[] {
  if (path === 'applicant.email') {
    const locals = new Set(['a', ...samples.map((email) => String(email).split('@')[0] ?? '')]);
    const domains = samplesOf('applicant.emailDomain');
    const ofDomains = domains.flatMap((domain) => [...locals].map((local) => `${local}@${domain}`));
    return [...ofDomains, ...samplesOf('applicant.mailbox')];
  }
  if (path !== 'applicant.phoneNo') return [];
  const numbers = exampleNumbers();
  const texts = samples.map(String);
  const starts = partsOf(texts, MOST_DIGITS.start, (text, digits) => text.slice(0, digits));
  const ends = partsOf(texts, MOST_DIGITS.end, (text, digits) => text.slice(-digits));
  // The first digits tell the country: a number with other ones is mostly one of no plan.
  return numbers.flatMap((number) => [
    number,
    ...starts.filter((start) => start[0] === number[0]).map((start) => start + number.slice(start.length)),
    ...ends.map((end) => number.slice(0, -end.length) + end),
  ]);
}

function partsOf(texts: readonly string[], most: number, cut: (text: string, digits: number) => string): string[] {
  const digits = Array.from({ length: most }, (_, i) => i + 1);
  return [...new Set(texts.flatMap((text) => digits.map((each) => cut(text, each))))];
}

/**
 * The indexes of the variables of each group. Variables of one group are about the same fact, about facts that are
 * derived or computed from each other, or tied.
 */
export const groupsOf = cached(findGroups);

function findGroups({ variables, ties, sides }: Space): readonly (readonly number[])[] {
  const table = jointTable(sides.map(({ policy }) => policy));
  const behind = variables.map((variable) => factsBehind(variable, table));
  const parents = new Map<string, string>();
  const rootOf = (path: string): string => {
    const parent = parents.get(path) ?? path;
    return parent === path ? path : rootOf(parent);
  };
  const link = (paths: readonly string[]) => {
    const [first, ...others] = paths;
    for (const path of others) parents.set(rootOf(path), rootOf(first as string));
  };
  behind.forEach(link);
  for (const { path, inputs } of derivableAmong(behind.flat(), table)) link([path, ...inputs]);
  // What lies in a state may depend on the day, which every search knows.
  const linked = (paths: readonly string[] = []) => paths.filter((path) => path !== CALENDAR);
  for (const tie of ties) link(tie.flatMap(([variable]) => linked(behind[variable])));
  return [...Map.groupBy(variables.keys(), (variable) => rootOf(behind[variable]?.[0] ?? '')).values()];
}

/** The facts that decide the state of a variable: its own, the one that it is compared with, or its operands. */
export function factsBehind({ path, axes }: Variable, table: FactTable): readonly string[] {
  const compute = table.get(path)?.compute;
  const others = axes.flatMap(({ other }) => other ?? []);
  return [...(compute ? factsAmong(compute.operands) : [path]), ...others];
}
