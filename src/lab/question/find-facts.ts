/** States of variables -> an applicant in them, as facts. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { computedIn, factsAmong, setComputed } from '../../facts/compute.ts';
import { dayNumber } from '../../facts/day.ts';
import { type Fact, type Facts, type FactValue, isMissing } from '../../facts/fact.ts';
import { NOT_GIVEN } from '../../facts/fact-reader.ts';
import { type Location, pointsOf } from '../../platform/formats/geo/borders.ts';
import { alternativesIn, isAlwaysDerived } from '../../policy/cells/derivations.ts';
import { areCountsPossible, nestedCounts } from '../../policy/cells/nested-counts.ts';
import { operandValues } from '../../policy/cells/operand-values.ts';
import { fillBetween, sampleValues, validValues } from '../../policy/cells/sample-values.ts';
import type { TextPart } from '../../policy/cells/text-forms.ts';
import {
  MOST_COMBINATIONS_AGAIN,
  MOST_COMBINATIONS_TRIED,
  MOST_COUNTRIES,
  MOST_LOCATIONS,
  MOST_TEXT_PARTS,
  MOST_TEXTS_COMBINED,
  STEPS_A_COMBINATION,
} from '../limits.ts';
import { CALENDAR } from '../space/calendar.ts';
import { dayIn, jointTable, onDay, type Space } from '../space/space.ts';
import { IP_COUNTRY, LOCATION } from '../space/ties/locations.ts';
import { rangesOf } from '../space/ties/sources.ts';
import type { Box } from '../space/truths.ts';
import type { Variable } from '../space/variable.ts';
import { Steps } from '../steps.ts';
import { type Derivable, derivableAmong, deriveFrom, groupsOf, inputValues } from './dependent-facts.ts';
import type { Dice } from './draw.ts';
import { neededAmong } from './needed.ts';

const UNMAPPED: Fact = { missing: 'unmapped' };

/** Whether facts of a variable may have any sample of its state: nothing else depends on them. */
export function isFree(space: Space, table: FactTable): readonly boolean[] {
  const joint = jointFacts(space, table);
  const derivable = derivableAmong(askedIn(space), table);
  const tied = new Set(derivable.flatMap(({ path, inputs }) => [path, ...inputs]));
  return space.variables.map(({ path, axes }) => {
    const paths = [path, ...axes.flatMap(({ other }) => other ?? [])];
    return !paths.some((each) => joint.has(each) || tied.has(each) || computedIn(table).has(each));
  });
}

/** Facts in some states; or a few variables for which none were found, which does not prove that there are none. */
export type Found = { readonly facts: Facts } | { readonly stuck: readonly number[] };

/**
 * Facts that lie in these states, one for each variable, and that are derived from each other as the engine does it.
 * Computed and derived facts are among them. It is given up when the steps are over.
 */
export function findFacts(everyDay: Space, states: readonly number[], steps = new Steps(Infinity)): Found {
  const space = onDay(everyDay, dayIn(everyDay, states));
  const searchFor = (group: readonly number[]) => {
    const variables = group.map((variable) => space.variables[variable] as Variable);
    const ownStates = group.map((variable) => states[variable] as number);
    return new FactSearch({ ...space, variables }, ownStates);
  };
  const searches = groupsOf(space).map((group) => ({ group, search: searchFor(group) }));
  let stuck: readonly number[] = [];
  let conflict: readonly number[] = [];
  for (const mode of searches.some(({ search }) => search.dependsOnGeodata) ? MODES : WITH_GEODATA) {
    const facts = new Map<string, Fact>();
    const failed = searches.find(({ search }) => {
      const groupFacts = search.find(mode, new Effort(MOST_COMBINATIONS_TRIED, steps));
      for (const [path, fact] of groupFacts ?? []) facts.set(path, fact);
      return !groupFacts;
    });
    if (!failed) return { facts };
    stuck = failed.group;
    conflict = [...failed.search.failing].map((i) => stuck[i] as number);
  }
  const wholeEffort = new Effort(MOST_COMBINATIONS_TRIED, steps);
  const isStuck = (group: readonly number[]) => {
    const search = searchFor(group);
    return (search.dependsOnGeodata ? MODES : WITH_GEODATA).every((mode) => {
      const effort = new Effort(MOST_COMBINATIONS_AGAIN, steps, wholeEffort);
      // A search that was given up says nothing.
      return !search.find(mode, effort) && !effort.isSpent;
    });
  };
  return { stuck: neededAmong(isStuck(conflict) ? conflict : stuck, isStuck) };
}

/** What is left of a search, and of the search that it belongs to. */
class Effort {
  readonly #steps: Steps;
  readonly #whole: Effort | undefined;
  #tries: number;

  constructor(tries: number, steps: Steps, whole?: Effort) {
    this.#tries = tries;
    this.#steps = steps;
    this.#whole = whole;
  }

  /** Whether a combination was skipped because the effort ran out. */
  get isSpent(): boolean {
    return this.#tries < 0;
  }

  /** Counts a combination; false if there is no effort left for it. */
  spend(): boolean {
    if (this.isSpent) return false;
    this.#tries -= 1;
    this.#steps.spend(STEPS_A_COMBINATION);
    if (this.#steps.areOver || this.#whole?.spend() === false) this.#tries = -1;
    return !this.isSpent;
  }
}

/** A value for one fact after another; each variable is checked as soon as all that it depends on has a value. */
class FactSearch {
  readonly #space: Space;
  readonly #table: FactTable;
  readonly #states: readonly number[];
  /** The facts that have no choice. */
  readonly #fixed = new Map<string, Fact>();
  readonly #gone = new Set<string>();
  readonly #choices: (readonly [path: string, candidates: readonly Fact[]])[] = [];
  /** By the number of facts with a value: what follows from them, and the variables that can then be checked. */
  readonly #steps: readonly { readonly follows: Follows[]; readonly checked: number[] }[];
  /** The variables that have not let a combination pass, of all searches. */
  readonly failing = new Set<number>();
  /** Whether a search without geodata may find other facts. */
  dependsOnGeodata = false;

  constructor(space: Space, states: readonly number[]) {
    const table = jointTable(space.sides.map(({ policy }) => policy));
    const computed = computedIn(table);
    this.#space = space;
    this.#table = table;
    this.#states = states;
    for (const [i, { path, states: own, axes }] of space.variables.entries()) {
      const state = own[states[i] as number];
      if (path === CALENDAR || axes.some(({ other }) => other !== undefined) || computed.has(path)) continue;
      if (state?.isMissing) this.#gone.add(path);
      if (state?.fact) this.#fixed.set(path, state.fact);
    }
    const asked = askedIn(space);
    const derivable = derivableAmong(asked, table);
    // Where all inputs have values, the fact is what follows from them.
    const derived = new Map<string, Derivable>();
    for (const each of derivable) {
      const hasValue = (input: string) => derived.has(input) || (asked.has(input) && !this.#gone.has(input));
      if (each.inputs.every(hasValue)) derived.set(each.path, each);
    }
    const joint = jointFacts(space, table).union(new Set([...derived.values()].flatMap(({ inputs }) => inputs)));
    const locations = locationsIn(space, states);
    for (const path of joint) {
      // A fact with samples keeps its state, and may have any sample in it.
      if (this.#gone.has(path) || derived.has(path)) continue;
      const located = locations.map((each): Fact => ({ value: each[LOCATION.indexOf(path)] as number }));
      const candidates = candidatesFor(path, space, states, { table, facts: this.#fixed });
      this.#choices.push([path, LOCATION.includes(path) ? [...located, ...candidates] : candidates]);
    }
    const levels = new Map(this.#choices.map(([path], i) => [path, i + 1]));
    const levelOf = (path: string): number => {
      const operands = computed.get(path)?.compute.operands;
      const from = operands ? factsAmong(operands) : (derived.get(path)?.inputs ?? []);
      return levels.get(path) ?? Math.max(0, ...from.map(levelOf));
    };
    this.#steps = Array.from({ length: this.#choices.length + 1 }, () => ({ follows: [], checked: [] }));
    for (const each of derived.values()) this.#steps[levelOf(each.path)]?.follows.push(this.#derives(each));
    for (const path of computed.keys()) {
      this.#steps[levelOf(path)]?.follows.push((facts) => setComputed(facts, table, new Set([path])));
    }
    const free = isFree(space, table);
    for (const [i, { path, axes }] of space.variables.entries()) {
      if (free[i]) continue;
      const level = Math.max(levelOf(path), ...axes.map(({ other }) => (other === undefined ? 0 : levelOf(other))));
      this.#steps[level]?.checked.push(i);
    }
  }

  find(mode: Mode, effort: Effort): Facts | undefined {
    const facts = new Map(this.#fixed);
    for (const [path] of this.#choices) facts.delete(path);
    const isMet = (at: number) => {
      const step = this.#steps[at];
      for (const follow of step?.follows ?? []) follow(facts, mode);
      const failing = step?.checked.find((i) => this.#space.variables[i]?.find(facts) !== this.#states[i]);
      if (failing !== undefined) this.failing.add(failing);
      return failing === undefined && areCountsPossible(facts, this.#table);
    };
    const search = (at: number): boolean => {
      const choice = this.#choices[at];
      if (!choice) return true;
      const [path, candidates] = choice;
      for (const candidate of candidates) {
        if (!effort.spend()) return false;
        facts.set(path, candidate);
        if (isMet(at + 1) && search(at + 1)) return true;
      }
      facts.delete(path);
      return false;
    };
    return isMet(0) && search(0) ? facts : undefined;
  }

  #derives(derivable: Derivable): Follows {
    const { path } = derivable;
    const fixed = this.#fixed.get(path) ?? NOT_GIVEN;
    const canBeUnmapped = this.#gone.has(path) && !isAlwaysDerived(path);
    this.dependsOnGeodata ||= canBeUnmapped;
    return (facts, mode) => {
      const derived = deriveFrom(facts, derivable, this.#space.day) ?? fixed;
      facts.set(path, mode === 'without geodata' && canBeUnmapped ? UNMAPPED : derived);
    };
  }
}

/** Sets what follows from the facts. Without geodata, as in browsers, some facts are not derived. */
type Follows = (facts: Map<string, Fact>, mode: Mode) => void;
const MODES = ['with geodata', 'without geodata'] as const;
const WITH_GEODATA = MODES.slice(0, 1);
type Mode = (typeof MODES)[number];

function askedIn({ variables }: Pick<Space, 'variables'>): ReadonlySet<string> {
  return new Set(variables.flatMap(({ path, axes }) => [path, ...axes.flatMap(({ other }) => other ?? [])]));
}

/**
 * The facts that variables other than their own samples depend on: texts by axis, pairs, operands, and counts of the
 * same within several windows.
 */
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
  const all = askedIn({ variables }).union(joint);
  for (const { part, whole } of nestedCounts(table)) {
    if (all.has(part) && all.has(whole)) joint.add(part).add(whole);
  }
  return joint;
}

/** The counts that a count is part of, and those that are part of it. */
function windowsOf(path: string, table: FactTable): readonly string[] {
  return nestedCounts(table).flatMap(({ part, whole }) => (part === path ? whole : whole === path ? part : []));
}

/** Values of a fact that may lie in any state of it by itself, and that other facts may be derived from. */
function valuesOf(path: string, definition: FactDefinition, space: Space, table: FactTable): readonly FactValue[] {
  const plain = sampleValues({ definition, axes: [], tests: [], present: undefined }, space.day);
  const samplesOf = (of: string) =>
    (space.samples.get(of) ?? []).flatMap((fact) => (isMissing(fact) ? [] : fact.value));
  const sampled = [...samplesOf(path), ...plain, ...windowsOf(path, table).flatMap(samplesOf)];
  return [...fillBetween(sampled, definition, 2), ...inputValues(path, sampled, samplesOf)];
}

/** Values of a fact that move what is computed from it, and from the facts beside it, from state to state. */
export function computingValues(
  path: string,
  definition: FactDefinition,
  space: Space,
  { table, facts }: { readonly table: FactTable; readonly facts: Facts },
): readonly FactValue[] {
  const today = dayNumber(space.day);
  return [...computedIn(table)].flatMap(([computed, { compute }]) => {
    const axes = space.variables.flatMap((each) => (each.path === computed ? each.axes : []));
    return axes.length === 0 ? [] : operandValues(path, definition, compute, axes, { facts, table, today });
  });
}

/** The valid ones of some values, and round ones near them, as facts: those that people write first. */
function asFacts(guesses: readonly FactValue[], definition: FactDefinition, day: string): readonly Fact[] {
  return validValues([...guesses, ...guesses.flatMap(roundedValues)], definition, day)
    .toSorted((one, other) => Number(isLong(one)) - Number(isLong(other)))
    .map((value): Fact => ({ value }));
}

/** The variables of a fact alone, with their indexes. */
function ownVariables(path: string, { variables }: Space): readonly (readonly [Variable, number])[] {
  return variables.flatMap((variable, i) => {
    const isOwn = variable.path === path && variable.axes.every(({ other }) => other === undefined);
    return isOwn ? [[variable, i] as const] : [];
  });
}

/** Values of a fact that leave its own variables in their states, then none. */
function candidatesFor(
  path: string,
  space: Space,
  states: readonly number[],
  beside: { readonly table: FactTable; readonly facts: Facts },
): readonly Fact[] {
  const definition = beside.table.get(path);
  if (!definition) return [NOT_GIVEN];
  const own = ownVariables(path, space);
  const fits = (fact: Fact) => own.every(([variable, i]) => variable.find(new Map([[path, fact]])) === states[i]);
  const guesses = [
    ...valuesOf(path, definition, space, beside.table),
    ...computingValues(path, definition, space, beside),
  ];
  const fitting = [...asFacts(guesses, definition, space.day), NOT_GIVEN].filter(fits);
  if (definition.type !== 'string' || fitting.some((fact) => !isMissing(fact))) return fitting;
  const chosen = own.map(([variable, i]) => ({ variable, state: states[i] as number }));
  const texts = validValues(composeTexts(chosen), definition, space.day);
  return [...texts.map((value): Fact => ({ value })).filter(fits), ...fitting];
}

/**
 * Gives facts at random, each in the states that a box has of it by itself. What is computed or compared may lie in
 * others: half of the operands are drawn near the borders that the facts before them leave.
 */
export function createFactDraw(space: Space, table: FactTable, box: Box, roll: Dice): () => Facts {
  const computed = computedIn(table);
  const paths = [...jointFacts(space, table).union(askedIn(space))].filter((path) => !computed.has(path));
  const derivable = derivableAmong(paths, table);
  const drawn = paths.flatMap((path) => {
    const definition = table.get(path);
    if (!definition) return [];
    const own = ownVariables(path, space);
    const fits = (fact: Fact) => own.every(([variable, i]) => box[i]?.[variable.find(new Map([[path, fact]])) ?? -1]);
    const pool = [...asFacts(valuesOf(path, definition, space, table), definition, space.day), NOT_GIVEN].filter(fits);
    return [{ path, definition, fits, pool }];
  });
  return () => {
    const facts = new Map<string, Fact>();
    // From another one each time, so that each operand is once the last.
    const first = roll(drawn.length);
    for (const { path, definition, fits, pool } of [...drawn.slice(first), ...drawn.slice(0, first)]) {
      const near = roll(2) === 0 ? [] : computingValues(path, definition, space, { table, facts });
      const fitting = asFacts(near, definition, space.day).filter(fits);
      const from = fitting.length > 0 ? fitting : pool;
      facts.set(path, from[roll(from.length)] ?? NOT_GIVEN);
    }
    for (const { path, inputs } of derivable) {
      if (inputs.every((input) => !isMissing(facts.get(input) ?? NOT_GIVEN))) facts.delete(path);
    }
    return facts;
  };
}

/** Whether a value is a number with more digits than people write, such as the last double below a border. */
function isLong(value: FactValue): boolean {
  return typeof value === 'number' && !Number.isInteger(value) && String(value).length > MOST_WRITTEN;
}

const MOST_WRITTEN = 8;

/** The tenths on both sides of a number that people do not write. */
function roundedValues(value: FactValue): readonly FactValue[] {
  if (!isLong(value)) return [];
  const tenths = Number(value) * 10;
  return [Math.floor(tenths) / 10, Math.ceil(tenths) / 10];
}

/** A variable, and a state of it. */
interface Chosen {
  readonly variable: Variable;
  readonly state: number;
}

/** Between parts, so that a text does not have more parts than it needs: one for words, and one for numbers. */
const FILLERS = ['x', '0'];

/** Texts that may lie in all of these states: they have the parts, and may have others that they should not have. */
function composeTexts(chosen: readonly Chosen[]): readonly string[] {
  let combinations: readonly (readonly TextPart[])[] = [[]];
  for (const { variable, state } of chosen) {
    for (const [a, axis] of variable.axes.entries()) {
      const forms = alternativesIn(axis, variable.cells[a]?.[state] ?? []) ?? [];
      const parts = forms.flatMap(({ oneOf = [], lacks }) => oneOf.filter((part) => !lacks(part)));
      const wider = combinations.flatMap((before) => parts.slice(0, MOST_TEXT_PARTS).map((part) => [...before, part]));
      if (wider.length > 0 && wider.length <= MOST_TEXTS_COMBINED) combinations = wider;
    }
  }
  return combinations.flatMap(compose);
}

function compose(parts: readonly TextPart[]): readonly string[] {
  const textsOf = (place: TextPart['place']) => parts.flatMap((part) => (part.place === place ? [part.text] : []));
  const equalTexts = textsOf('is');
  if (equalTexts.length > 0) return equalTexts;
  const [start, middle, end] = [textsOf('startsWith'), textsOf('contains'), textsOf('endsWith')];
  return FILLERS.flatMap((filler) => {
    // A text may have a part elsewhere that it should not have at its start or end.
    const before = start.length > 0 ? start : [''];
    const after = end.length > 0 ? end : [''];
    return [
      [...before, ...middle, ...after],
      [...start, ...middle, ...after],
      [...before, ...middle, ...end],
    ].map((each) => each.join(filler));
  });
}

/** Some locations in the states of all three, if the variables are about nothing else. */
function locationsIn({ variables, samples }: Space, states: readonly number[]): readonly Location[] {
  const at = [...LOCATION, IP_COUNTRY].map((path) => variables.findIndex((each) => each.path === path));
  const [latitude, longitude, country] = at.map((i) => variables[i]);
  const [north, east, state] = at.map((i) => states[i] ?? 0) as [number, number, number];
  if (!latitude || !longitude || !country || state === 0) return [];
  const codes = (samples.get(IP_COUNTRY) ?? []).flatMap((fact) =>
    isMissing(fact) || country.find(new Map([[IP_COUNTRY, fact]])) !== state ? [] : String(fact.value),
  );
  const locations: Location[] = [];
  for (const code of codes.slice(0, MOST_COUNTRIES)) {
    for (const band of rangesOf(latitude, north) ?? []) {
      for (const slice of rangesOf(longitude, east) ?? []) {
        if (locations.length < MOST_LOCATIONS) locations.push(...pointsOf(code, band, slice));
      }
    }
  }
  return locations;
}
