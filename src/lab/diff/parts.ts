/** A box, and how a decision changes in it: a region before regions are joined; and parts -> fewer of them. */

import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import { MOST_CONDITIONS_LEFT_OUT, MOST_PIECES_COUNTED, MOST_VARIABLES_JOINED } from '../limits.ts';
import type { Formula } from '../solver/formula.ts';
import type { Box } from '../space/truths.ts';
import type { StateSet } from '../space/variable.ts';
import type { Steps } from '../steps.ts';

/** A change of the outcome. */
export interface Change {
  readonly from: Outcome;
  readonly to: Outcome;
}

/** All changes of the outcome. */
export const CHANGES: readonly Change[] = OUTCOMES.flatMap((from) =>
  OUTCOMES.flatMap((to) => (from === to ? [] : { from, to })),
);

/** What else has to hold for an applicant of a box, so that the decision changes. */
export interface ChangeCase {
  readonly change: Change;
  readonly formula: Formula;
  /** Equal for cases with the same change and formula. */
  readonly key: string;
  /** The formula for people; none if it holds in the whole box. */
  readonly words: readonly string[];
}

export interface Part {
  readonly box: Box;
  /** The states of the box in which it was found; the case may be another one there. */
  readonly states: readonly number[];
  /** A box in it whose applicants do not belong to the part; absent for none. */
  readonly without?: Box;
  readonly changeCase: ChangeCase;
}

/** Some parts; `none` if it is proved that no part is left, `unknown` if the steps ran out. */
type Next = (steps: Steps) => Promise<readonly Part[] | 'none' | 'unknown'>;

/** Finds parts of a difference, disjoint, until there are no more. */
export interface PartSource {
  readonly next: Next;
  /** Which of those who change are alike: they are probably of one part. */
  kindOf(states: readonly number[]): string;
  /**
   * The parts around states of those who change in a way; none if a part has them already, or if nobody changes so in
   * these states.
   */
  around(states: readonly number[], change: Change): readonly Part[];
  /** The kinds of differences, if they are few: `next` finds parts among which is one of the kind. */
  readonly kinds?: readonly { readonly how: Change; readonly next: Next }[];
}

/**
 * Parts of one case whose boxes differ in one variable alone, as one. With a calendar, which is a variable too, those
 * of a part who are in another one on other days all go to that one: each part goes on for as long as it can.
 */
export function joinParts(parts: readonly Part[], calendar?: number): readonly Part[] {
  const groups = Map.groupBy(parts, ({ changeCase }) => changeCase.key);
  return [...groups.values()].flatMap((group) => joinAll(group, calendar));
}

function joinAll(parts: readonly Part[], calendar: number | undefined): readonly Part[] {
  const left = [...parts];
  for (let one = 0; one < left.length; one++) {
    for (let other = one + 1; other < left.length; other++) {
      const both = join([left[one] as Part, left[other] as Part], calendar);
      if (!both) continue;
      left.splice(other, 1);
      left.splice(one, 1, ...both);
      // The joined box may now fit to one that it did not fit to before.
      one = -1;
      break;
    }
  }
  return left;
}

type Two = readonly [one: Part, other: Part];

/** One part, or two others; undefined for boxes that differ in too much. */
function join([one, other]: Two, calendar: number | undefined): readonly Part[] | undefined {
  const boxes = [one.box, other.box];
  const variables = findDiffering(boxes);
  if (variables.length === 1) return [{ ...one, box: hullOf(boxes, variables) }];
  const [variable, ...more] = variables.filter((i) => i !== calendar);
  if (calendar === undefined || variable === undefined || more.length > 0) return undefined;
  return prolong([one, other], variable, calendar) ?? prolong([other, one], variable, calendar);
}

/** The first part on the days of both, if it is among the second on its days; and the rest of the second. */
function prolong([one, other]: Two, variable: number, calendar: number): readonly Part[] | undefined {
  const [own, all] = [one.box[variable] as StateSet, other.box[variable] as StateSet];
  if (own.some((isIn, i) => isIn && !all[i])) return undefined;
  const rest = other.box.with(
    variable,
    all.map((isIn, i) => isIn && !own[i]),
  );
  return [
    { ...one, box: hullOf([one.box, other.box], [calendar]) },
    { ...other, box: rest },
  ];
}

/**
 * Parts of one case that fill a box but for a smaller one, as one: those who do not meet a condition of several facts
 * are one region and not one for each fact. The result cannot be joined further.
 */
export function joinAround(all: readonly Part[], calendar?: number): readonly Part[] {
  // Parts on other days are not left out of each other.
  const groups = Map.groupBy(all, ({ changeCase, box }) => `${changeCase.key} ${box[calendar ?? -1]?.join()}`);
  return [...groups.values()].flatMap((group) => {
    const wholeBox = fill(group);
    if (wholeBox) return [wholeBox];
    // Perhaps those that are alike in one variable.
    const ways = findDiffering(group.map(({ box }) => box)).map((i) =>
      [...Map.groupBy(group, ({ box }) => box[i]?.join()).values()].flatMap((alike) => fill(alike) ?? alike),
    );
    return ways.reduce((best, way) => (way.length < best.length ? way : best), group);
  });
}

/** The box around several parts, without the box that they leave out; undefined if what they leave out is not a box. */
function fill(parts: readonly Part[]): Part | undefined {
  const [first] = parts;
  if (!first || parts.length < 2) return undefined;
  const boxes = parts.map(({ box }) => box);
  const variables = findDiffering(boxes);
  if (variables.length > MOST_VARIABLES_JOINED) return undefined;
  const hull = hullOf(boxes, variables);
  let rest: readonly Box[] = [hull];
  for (const box of boxes) {
    rest = rest.flatMap((each) => subtract(each, box, variables));
    if (rest.length > MOST_PIECES_COUNTED) return undefined;
  }
  if (rest.length === 0) return { ...first, box: hull };
  const without = hullOf(rest, variables);
  if (findDiffering([hull, without]).length > MOST_CONDITIONS_LEFT_OUT) return undefined;
  return sizeOf([without], variables) === sizeOf(rest, variables) ? { ...first, box: hull, without } : undefined;
}

/** The variables that do not have the same states in all boxes. */
function findDiffering([first, ...others]: readonly Box[]): readonly number[] {
  return [...(first?.keys() ?? [])].filter((i) => others.some((box) => box[i]?.join() !== first?.[i]?.join()));
}

/** The smallest box around boxes that are alike in all variables but these. */
function hullOf(boxes: readonly Box[], variables: readonly number[]): Box {
  const [first = []] = boxes;
  const withAll = (box: Box, i: number) => {
    const states = box[i] as StateSet;
    return box.with(
      i,
      states.map((_, at) => boxes.some((each) => each[i]?.[at])),
    );
  };
  return variables.reduce(withAll, first);
}

/** A box without another one that is like it in all variables but these, as boxes that are apart. */
function subtract(box: Box, other: Box, variables: readonly number[]): readonly Box[] {
  const pieces: Box[] = [];
  let left = box;
  for (const i of variables) {
    const states = box[i] as StateSet;
    const outside = states.map((isIn, at) => isIn && !other[i]?.[at]);
    const inside = states.map((isIn, at) => isIn && other[i]?.[at] === true);
    if (!inside.some(Boolean)) return [box];
    if (outside.some(Boolean)) pieces.push(left.with(i, outside));
    left = left.with(i, inside);
  }
  return pieces;
}

/** How many combinations of states of these variables boxes have that are apart. */
function sizeOf(boxes: readonly Box[], variables: readonly number[]): bigint {
  const count = (states: StateSet | undefined) => BigInt(states?.filter(Boolean).length ?? 0);
  return boxes.reduce((sum, box) => sum + variables.reduce((size, i) => size * count(box[i]), 1n), 0n);
}
