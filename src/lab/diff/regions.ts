/** Parts of a difference, one after the other -> regions, each with an example and in words. */

import { isDeepStrictEqual } from 'node:util';
import { TRUTH_BITS, truthsOf } from '../../decision/meaning/truth.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import type { Fact, Facts } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { lazy } from '../../platform/lazy.ts';
import { EXAMPLE_SHARE, KIND_SHARE, MOST_KINDS_TRIED, MOST_STATES_TRIED } from '../limits.ts';
import {
  applicantIn,
  drawApplicant,
  type ExampleLine,
  exampleLine,
  findApplicant,
} from '../question/find-applicant.ts';
import { holdsIn } from '../solver/circuit.ts';
import { isInBox, not } from '../solver/formula.ts';
import { byPath } from '../space/own-computations.ts';
import { dayIn, daysIn, statesOn } from '../space/space.ts';
import { type Box, truthsIn } from '../space/truths.ts';
import type { Variable } from '../space/variable.ts';
import type { Steps } from '../steps.ts';
import { describeBox } from './describe-box.ts';
import { type Change, joinAround, joinParts, type Part, type PartSource } from './parts.ts';
import { pointAt, type Search, withComputed } from './search.ts';
import type { SeenChange } from './seen-changes.ts';

/** The share of a question about an example, if none was sought yet: larger policies take longer. */
function shareOfExample({ spent }: Steps): number {
  return Math.max(EXAMPLE_SHARE.least, EXAMPLE_SHARE.most * Math.min(1, spent / EXAMPLE_SHARE.mostAfter));
}

/** Some applicants. Regions of one difference are disjoint. */
export interface Region {
  /** What holds for exactly these applicants, in words; all of it together. */
  readonly conditions: readonly string[];
  /**
   * One of them, as a line of facts for `evaluate` of the new policy: as few facts as possible, those of the conditions
   * first. Undefined if none was found, which proves nothing.
   */
  readonly example: ExampleLine | undefined;
  /** The line for the old policy, where it takes another: it declares or counts facts otherwise. */
  readonly oldExample?: ExampleLine;
  /** The ids of the edited rules that fire or are undetermined there, in either policy; none for other edits. */
  readonly rules: readonly string[];
  /** The first day of the decision on which they are applicants of the region, yyyy-MM-dd. */
  readonly firstDay: string;
  /** The last such day; absent if there is one on all later days that were compared. */
  readonly lastDay?: string;
  /**
   * Whether facts lie in the region. Ages are those on the day of the decision, by default the day of the diff; the
   * rules and entries are those in force on that day.
   */
  contains(facts: Facts, day?: string): boolean;
}

/** Whether the verdicts of both policies on an applicant differ in a way. */
export type IsChanged = (change: Change, verdicts: readonly [old: Verdict, now: Verdict]) => boolean;

/** An applicant of a part, and the first day on which there may be one. */
interface Example {
  /** Undefined if none was found. */
  readonly given: Facts | undefined;
  readonly firstDay: string;
}

/**
 * An applicant of a part, on the first day on which there is one; `none` if there is proof that there is none on any.
 */
async function findFirstExample(
  search: Search,
  part: Part,
  isChanged: IsChanged,
  steps: Steps,
  share: number,
): Promise<Example | 'none'> {
  const { space } = search;
  const { calendar } = space;
  const find = (on: Part) => findExample(search, on, isChanged, steps, share);
  if (calendar === undefined) {
    const found = await find(part);
    return found === 'none' ? found : { given: found?.given, firstDay: space.day };
  }
  let example: Example | undefined;
  for (let left = part; ; ) {
    const [{ firstDay }] = daysIn(space, left.box);
    const onDays = (holds: (day: string) => boolean) => {
      const states = left.box[calendar]?.map((isIn, i) => isIn && i > 0 && holds(space.days[i - 1] as string)) ?? [];
      return { states, part: { ...part, box: part.box.with(calendar, states) } };
    };
    const applicant = await find(left);
    if (applicant === 'none') return example ?? 'none';
    if (!applicant) {
      // The first day by itself may be easier. Without an example and without a proof there may be one on it.
      const first = await find(onDays((day) => day === firstDay).part);
      return { given: first && first !== 'none' ? first.given : undefined, firstDay };
    }
    const { given, day } = applicant;
    example = { given, firstDay: day };
    const earlier = onDays((each) => each < day);
    if (!earlier.states.includes(true)) return example;
    left = earlier.part;
  }
}

/** An applicant of a part on a day; undefined if none was found, `none` if there is proof that there is none. */
async function findExample(
  search: Search,
  part: Part,
  isChanged: IsChanged,
  steps: Steps,
  share: number,
): Promise<{ readonly given: Facts; readonly day: string } | undefined | 'none'> {
  const { space, matchers, readers, table } = search;
  const { change, formula } = part.changeCase;
  let day = space.day;
  const isOf = (given: Facts, states: readonly number[]) => {
    day = dayIn(space, states);
    const verdictOf = (side: 0 | 1) => matchers[side].verdict(readers[side](given, day), day);
    const verdicts = [verdictOf(0), verdictOf(1)] as const;
    return isChanged(change, verdicts) && liesIn(search, part, readFacts(given, table, day), day);
  };
  const asked = [isInBox(part.box), ...(part.without ? [not(isInBox(part.without))] : []), formula];
  const given =
    applicantIn(search, part.states, isOf, steps) ??
    (await findApplicant(search, asked, isOf, steps, share)) ??
    drawApplicant(search, part.box, isOf, steps);
  return given === undefined || given === 'none' ? given : { given, day };
}

function liesIn({ space }: Search, part: Part, facts: Facts, day = space.day): boolean {
  return hasStates(part, statesOn(space, facts, day));
}

/** Whether applicants in some states are of a part. */
function hasStates({ box, without, changeCase }: Part, states: readonly number[]): boolean {
  const isIn = (one: Box) => states.every((state, i) => one[i]?.[state]);
  return isIn(box) && !(without && isIn(without)) && holdsIn(changeCase.formula, states);
}

/** Applicants whose outcome changes in one way. */
export interface DiffRegion extends Change, Region {
  /** How many of those whose outcome was seen to change are in it; absent where none were counted. */
  readonly applicants?: number;
}

/** How many of the applicants who change are in a part. */
function seenIn(part: Part, seen: readonly SeenChange[]): number {
  const { from, to } = part.changeCase.change;
  return seen.reduce((sum, each) => {
    return each.from === from && each.to === to && hasStates(part, each.states) ? sum + each.applicants : sum;
  }, 0);
}

/** A part as a region, with the change. */
function regionOf(
  search: Search,
  part: Part,
  { given, firstDay }: Example,
  seen: readonly SeenChange[] | undefined,
): DiffRegion {
  const { change, words } = part.changeCase;
  const lastDay = daysIn(search.space, part.box).at(-1)?.lastDay;
  return {
    ...change,
    conditions: [...describeBox(search.space, part.box, part.without), ...words],
    rules: rulesBehind(search, part),
    firstDay,
    ...(lastDay === undefined ? {} : { lastDay }),
    ...examplesOf(search, part, given),
    ...(seen ? { applicants: seenIn(part, seen) } : {}),
    contains: (facts, day) => liesIn(search, part, withComputed(search, facts), day),
  };
}

function rulesBehind({ own, space }: Search, { states }: Part): readonly string[] {
  const truths = truthsIn(pointAt(space, states), space);
  const asking = own.flat().filter(({ when }) => truthsOf(when, truths) !== TRUTH_BITS.false);
  return [...new Set(asking.map(({ id }) => id))];
}

/** The lines of an applicant for both policies, the facts first that the box limits. */
function examplesOf(
  search: Search,
  { box, without }: Part,
  given: Facts | undefined,
): Pick<Region, 'example' | 'oldExample'> {
  if (!given) return { example: undefined };
  const { space } = search;
  const limited = new Set(
    box.flatMap((states, i) => {
      const { path, axes } = space.variables[i] as Variable;
      return [states, without?.[i] ?? states].every((each) => each.every(Boolean))
        ? []
        : [path, ...axes.flatMap(({ other }) => other ?? [])];
    }),
  );
  const named = [...limited].flatMap((path): readonly (readonly [string, Fact])[] => {
    const fact = given.get(path);
    return fact ? [[path, fact]] : [];
  });
  return linesOf(search, new Map([...named, ...given]));
}

/** The lines of an applicant: for both policies, or one where they take the same. */
export function linesOf({ policies: [old, now], counts }: Search, given: Facts) {
  const [oldExample, example] = [exampleLine(byPath(given, counts), old.facts), exampleLine(given, now.facts)];
  return JSON.stringify(oldExample) === JSON.stringify(example) ? { example } : { example, oldExample };
}

/** The steps, and after how many regions no more are sought, but for kinds of difference that have none yet. */
export interface Limits {
  readonly steps: Steps;
  readonly mostRegions: number;
}

/** Regions of one kind of difference. */
export interface Collected {
  /** Those with the fewest conditions first. */
  readonly regions: readonly DiffRegion[];
  /**
   * Applicants outside the regions: `same` if they are proved to be decided the same; `notSought` if there may be more
   * regions than were asked for; `undecided` if the steps were over.
   */
  readonly elsewhere: 'same' | 'notSought' | 'undecided';
  /** Of `undecided`: the steps that were too few; absent if more of them would decide no more. */
  readonly tooFewSteps?: number;
  /** Where others are not `same`: the kinds of difference, if they are few, that are proved not to occur. */
  readonly excluded?: readonly Change[];
}

/** Regions of one change and the same days that say the same, as one: a value that is not shown may tell them apart. */
function joinAlike(regions: readonly DiffRegion[]): DiffRegion[] {
  const groups = Map.groupBy(regions, ({ example: _, oldExample: __, rules: ___, applicants: ____, ...said }) =>
    JSON.stringify(said),
  );
  return [...groups.values()].flatMap((alike) => {
    const first = alike.find(({ example }) => example) ?? alike[0];
    if (!first || alike.length === 1) return alike;
    const rules = [...new Set(alike.flatMap((each) => each.rules))];
    const applicants = alike.reduce((sum, each) => sum + (each.applicants ?? 0), 0);
    return [
      {
        ...{ ...first, rules },
        ...(first.applicants === undefined ? {} : { applicants }),
        contains: (...asked) => alike.some((each) => each.contains(...asked)),
      },
    ];
  });
}

/**
 * The parts around the applicants who change, beginning with the commonest kind, until enough parts have some of them.
 * Applicants of one kind are mostly in one part.
 */
function partsAround(
  { kindOf, around }: PartSource,
  seen: readonly SeenChange[],
  isEnough: (parts: readonly Part[]) => boolean,
): readonly Part[] {
  const sizeOf = (group: readonly SeenChange[]) => group.reduce((sum, { applicants }) => sum + applicants, 0);
  const inOrder = (groups: Iterable<readonly SeenChange[]>) =>
    [...groups].filter(({ length }) => length > 0).sort((one, other) => sizeOf(other) - sizeOf(one));
  const known = seen.slice(0, MOST_STATES_TRIED).filter(({ states }) => !states.includes(-1));
  let groups = inOrder(Map.groupBy(known, ({ from, to, states }) => `${from} ${to} ${kindOf(states)}`).values());
  const found: Part[] = [];
  const having: Part[] = [];
  for (let tries = 0; tries < MOST_KINDS_TRIED && !isEnough(having); tries++) {
    const group = groups.shift();
    const [first, ...others] = group ?? [];
    if (!first) break;
    const parts = around(first.states, first);
    if (parts.length === 0) continue;
    const own = parts.filter((part) => seenIn(part, [first, ...others, ...groups.flat()]) > 0);
    found.push(...parts);
    having.push(...own);
    const isLeft = (each: SeenChange) => own.every((part) => seenIn(part, [each]) === 0);
    groups = inOrder([others, ...groups].map((each) => each.filter(isLeft)));
  }
  return found;
}

/**
 * Joins parts to regions, and leaves out those without an applicant. `seen`: the applicants who change, the commonest
 * first; the parts around them come before all others.
 */
export async function collectRegions(
  search: Search,
  source: PartSource,
  isChanged: IsChanged,
  { mostRegions, steps }: Limits,
  seen?: readonly SeenChange[],
): Promise<Collected> {
  const { calendar } = search.space;
  const examples = new Map<Part, Example>();
  const share = lazy(() => shareOfExample(steps));
  const settled = async (parts: readonly Part[]): Promise<readonly Part[]> => {
    const left: Part[] = [];
    for (const part of parts) {
      const example = examples.get(part) ?? (await findFirstExample(search, part, isChanged, steps, share()));
      if (example === 'none') continue;
      examples.set(part, example);
      left.push(part);
    }
    return left;
  };
  const isEnough = (each: readonly Part[]) =>
    each.length >= mostRegions && joinAround(each, calendar).length >= mostRegions;
  const isAmong = (each: readonly Part[], how: Change) =>
    each.some(({ changeCase }) => isDeepStrictEqual(changeCase.change, how));
  let parts = partsAround(source, seen ?? [], isEnough);
  let elsewhere: Collected['elsewhere'] | undefined;
  while (!elsewhere) {
    const more = await source.next(steps);
    if (more === 'none') elsewhere = 'same';
    else if (more === 'unknown') elsewhere = 'undecided';
    else {
      const joined = joinParts(parts, calendar);
      if (isEnough(joined)) parts = await settled(joined);
      if (isEnough(joined) && isEnough(parts)) {
        elsewhere = 'notSought';
        // The source does not give a part again, so the only one of its kind stays.
        const foundParts = parts;
        const isNew = ({ changeCase }: Part) => !isAmong(foundParts, changeCase.change);
        if (source.kinds) parts = [...foundParts, ...more.filter(isNew)];
      } else parts = [...parts, ...more];
    }
  }
  parts = await settled(joinAround(joinParts(parts, calendar), calendar));
  const isShort = elsewhere === 'undecided' && steps.wereShort;
  const excluded: Change[] = [];
  for (const { how, next } of elsewhere === 'same' ? [] : (source.kinds ?? [])) {
    if (isAmong(parts, how)) continue;
    const more = await next(steps.part(KIND_SHARE));
    if (more === 'none') excluded.push(how);
    else if (more !== 'unknown') parts = await settled([...parts, ...more]);
  }
  const regions = parts.flatMap((part) => {
    const example = examples.get(part);
    return example ? regionOf(search, part, example, seen) : [];
  });
  return {
    regions: joinAlike(regions).sort((one, other) => one.conditions.length - other.conditions.length),
    elsewhere,
    ...(isShort ? { tooFewSteps: steps.all } : {}),
    ...(elsewhere !== 'same' && source.kinds ? { excluded } : {}),
  };
}
