/** Parts of a difference, one after the other -> regions, each with an example. */

import { isDeepStrictEqual } from 'node:util';
import type { Facts } from '../../facts/fact.ts';
import { lazy } from '../../platform/lazy.ts';
import type { Time } from '../question/reasoner.ts';
import { joinAround, joinParts } from './join-parts.ts';
import type { Part, PartSource } from './part.ts';
import { findExample, type IsChanged, type Region, regionOf, shareOfExample } from './region.ts';
import type { Search } from './search.ts';

/** The time, and after how many regions no more are sought, but for kinds of difference that have none yet. */
export interface Limits extends Time {
  readonly mostRegions: number;
}

/** The share of the whole time that one kind without a region may take. */
const KIND_SHARE = 0.05;

/** Regions of one kind of difference. */
export interface Collected<How> {
  /** Those with the fewest conditions first. */
  readonly regions: readonly (How & Region)[];
  /**
   * Applicants outside the regions: `same` if they are proved to be decided the same; `notSought` if there may be more
   * regions than were asked for; `undecided` if the time was over.
   */
  readonly elsewhere: 'same' | 'notSought' | 'undecided';
  /** Where others are not `same`: the kinds of difference, if they are few, that are proved to happen to nobody. */
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
