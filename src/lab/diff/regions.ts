/** Parts of a difference, one after the other -> regions, each with an example and in words. */

import { isDeepStrictEqual } from 'node:util';
import type { Matcher } from '../../decision/matcher/matcher.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import { setComputed } from '../../facts/compute.ts';
import type { Fact, Facts } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { lazy } from '../../platform/lazy.ts';
import { EXAMPLE_SHARE, KIND_SHARE } from '../limits.ts';
import { applicantIn, type ExampleLine, exampleLine, findApplicant } from '../question/find-applicant.ts';
import type { Time } from '../question/reasoner.ts';
import { holdsIn } from '../solver/circuit.ts';
import { isInBox, not } from '../solver/formula.ts';
import type { Box } from '../space/truths.ts';
import type { Variable } from '../space/variable.ts';
import { describeBox } from './describe-box.ts';
import { type Change, joinAround, joinParts, type Part, type PartSource } from './parts.ts';
import type { Search } from './search.ts';

/** The share of a question about an example, if none was sought yet: larger policies take longer. */
function shareOfExample({ timeoutMs, endsAt }: Time): number {
  const elapsed = timeoutMs - (endsAt - performance.now());
  return Math.max(EXAMPLE_SHARE.least, EXAMPLE_SHARE.most * Math.min(1, elapsed / EXAMPLE_SHARE.mostAfterMs));
}

/** Some applicants. Regions of one difference are disjoint. */
export interface Region {
  /** What holds for exactly these applicants, in words; all at once. */
  readonly conditions: readonly string[];
  /**
   * One of them, as a line of facts for `evaluate` of the new policy: as few facts as possible, those of the conditions
   * first. Undefined if none was found, which proves nothing.
   */
  readonly example: ExampleLine | undefined;
  /** The line for the old policy, where the new one has not declared the same facts with the same values. */
  readonly oldExample?: ExampleLine;
  /** Whether facts lie in the region. Ages are those on the day of the decision, by default the day of the diff. */
  contains(facts: Facts, day?: string): boolean;
}

/** Whether the verdicts of both policies on an applicant differ in a way. */
export type IsChanged<How> = (change: How, verdicts: readonly [old: Verdict, now: Verdict]) => boolean;

/** An applicant of a part; undefined if none was found, `none` if there is proof that there is none. */
async function findExample<How>(
  search: Search,
  part: Part<How>,
  isChanged: IsChanged<How>,
  time: Time,
  share: number,
): Promise<Facts | undefined | 'none'> {
  const { space, matchers, table } = search;
  const { change, formula } = part.changeCase;
  // As `evaluate` reads them: facts that are not given are derived from those that are.
  const isOf = (given: Facts) => {
    const verdictOf = ({ policy, verdict }: Matcher) => verdict(readFacts(given, policy.facts, space.day), space.day);
    const [before, after] = matchers;
    const verdicts = [verdictOf(before), verdictOf(after)] as const;
    return isChanged(change, verdicts) && liesIn(search, part, readFacts(given, table, space.day));
  };
  const asked = [isInBox(part.box), ...(part.without ? [not(isInBox(part.without))] : []), formula];
  return applicantIn(search, part.states, isOf, time) ?? findApplicant(search, asked, isOf, time, share);
}

function liesIn(
  { space }: Search,
  { box, without, changeCase }: Part<unknown>,
  facts: Facts,
  day = space.day,
): boolean {
  const states = space.variables.map((variable) => variable.find(facts, day));
  const isIn = (one: Box) => states.every((state, i) => one[i]?.[state]);
  return isIn(box) && !(without && isIn(without)) && holdsIn(changeCase.formula, states);
}

/** Facts that one policy has read do not have what only the other computes. */
function withComputed({ space, policies, table }: Search, facts: Facts): Facts {
  if (space.sides[0]?.policy === policies[0]) return facts;
  const all = new Map(facts);
  setComputed(all, table);
  return all;
}

/** Applicants whose outcome changes in one way. */
export type DiffRegion = Change & Region;

/** A part as a region, with the change. */
function regionOf<How>(search: Search, part: Part<How>, example: Facts | undefined): How & Region {
  const { change, words } = part.changeCase;
  return {
    ...change,
    conditions: [...describeBox(search.space, part.box, part.without), ...words],
    ...examplesOf(search, part, example),
    contains: (facts, day) => liesIn(search, part, withComputed(search, facts), day),
  };
}

/** The lines of an applicant for both policies, the facts first that the box limits. */
function examplesOf(
  { space, policies: [old, now] }: Search,
  { box, without }: Part<unknown>,
  given: Facts | undefined,
): Pick<Region, 'example' | 'oldExample'> {
  if (!given) return { example: undefined };
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
  const sorted = new Map([...named, ...given]);
  const [oldExample, example] = [exampleLine(sorted, old.facts), exampleLine(sorted, now.facts)];
  return JSON.stringify(oldExample) === JSON.stringify(example) ? { example } : { example, oldExample };
}

/** The time, and after how many regions no more are sought, but for kinds of difference that have none yet. */
export interface Limits extends Time {
  readonly mostRegions: number;
}

/** Regions of one kind of difference. */
export interface Collected<How> {
  /** Those with the fewest conditions first. */
  readonly regions: readonly (How & Region)[];
  /**
   * Applicants outside the regions: `same` if they are proved to be decided the same; `notSought` if there may be more
   * regions than were asked for; `undecided` if the time was over.
   */
  readonly elsewhere: 'same' | 'notSought' | 'undecided';
  /** Where others are not `same`: the kinds of difference, if they are few, that are proved not to occur. */
  readonly excluded?: readonly How[];
}

/** Joins parts to regions, and leaves out those in which there is no applicant. */
export async function collectRegions<How>(
  search: Search,
  source: PartSource<How>,
  isChanged: IsChanged<How>,
  { mostRegions, ...time }: Limits,
): Promise<Collected<How>> {
  const examples = new Map<Part<How>, Facts | undefined>();
  const share = lazy(() => shareOfExample(time));
  const settled = async (parts: readonly Part<How>[]): Promise<readonly Part<How>[]> => {
    const left: Part<How>[] = [];
    for (const part of parts) {
      const example = examples.has(part)
        ? examples.get(part)
        : await findExample(search, part, isChanged, time, share());
      if (example === 'none') continue;
      examples.set(part, example);
      left.push(part);
    }
    return left;
  };
  const isEnough = (each: readonly Part<How>[]) => each.length >= mostRegions && joinAround(each).length >= mostRegions;
  const isAmong = (each: readonly Part<How>[], how: How) =>
    each.some(({ changeCase }) => isDeepStrictEqual(changeCase.change, how));
  let parts: readonly Part<How>[] = [];
  let elsewhere: Collected<How>['elsewhere'] | undefined;
  while (!elsewhere) {
    const more = await source.next(time.endsAt - performance.now());
    if (more === 'none') elsewhere = 'same';
    else if (more === 'unknown') elsewhere = 'undecided';
    else {
      const joined = joinParts(parts);
      if (isEnough(joined)) parts = await settled(joined);
      if (isEnough(joined) && isEnough(parts)) {
        elsewhere = 'notSought';
        // The source does not give a part again, so the only one of its kind stays.
        const found = parts;
        const isNew = ({ changeCase }: Part<How>) => !isAmong(found, changeCase.change);
        if (source.kinds) parts = [...found, ...more.filter(isNew)];
      } else parts = [...parts, ...more];
    }
  }
  parts = await settled(joinAround(joinParts(parts)));
  const excluded: How[] = [];
  for (const { how, next } of elsewhere === 'same' ? [] : (source.kinds ?? [])) {
    if (isAmong(parts, how)) continue;
    const more = await next(Math.min(time.endsAt - performance.now(), time.timeoutMs * KIND_SHARE));
    if (more === 'none') excluded.push(how);
    else if (more !== 'unknown') parts = await settled([...parts, ...more]);
  }
  const regions = parts.map((part) => regionOf(search, part, examples.get(part)));
  return {
    regions: regions.sort((one, other) => one.conditions.length - other.conditions.length),
    elsewhere,
    ...(elsewhere !== 'same' && source.kinds ? { excluded } : {}),
  };
}
