/** Real applicants whose outcome changes, and the regions of a comparison -> how many are in none of them, and why. */

import { applicantsIn } from '../backtest/applicants.ts';
import type { Backtest } from '../backtest/backtest.ts';
import type { DiffRegion } from '../diff/regions.ts';
import type { SeenChanges } from '../diff/seen-changes.ts';

/** How counted applicants fall to the regions of a comparison, which have their own numbers of them. */
export interface Placing {
  /** Those whose outcome changes, and who are in no region. */
  readonly outsideRegions: number;
  /** Those who change and were not looked for in the regions, because they are of too many kinds; absent for none. */
  readonly notPlaced?: number;
  /** The regions that begin after the first day and that of each applicant, so that they have none; absent for none. */
  readonly beginLater?: { readonly regions: number; readonly firstDay: string };
  /** The day whose rules and entries counted; absent for those of each applicant's own day. */
  readonly inForceOn?: string;
}

/** `at`: the first day that the regions are about; `seen`: what counted those who change for the comparison. */
export function placedIn(
  regions: readonly DiffRegion[],
  { changed = 0, period }: Pick<Backtest, 'changed' | 'period'>,
  { at, inForceOn, seen }: { at: string; inForceOn?: string | undefined; seen?: SeenChanges | undefined },
): Placing {
  const notPlaced = seen?.beyond ?? 0;
  const days = [at, ...(period ? [period.from, period.to] : [])];
  const later = regions.flatMap(({ firstDay }) => (days.every((day) => firstDay > day) ? firstDay : [])).sort();
  const [firstDay] = inForceOn === undefined ? later : [];
  return {
    outsideRegions: changed - applicantsIn(regions) - notPlaced,
    ...(notPlaced > 0 ? { notPlaced } : {}),
    ...(firstDay === undefined ? {} : { beginLater: { regions: later.length, firstDay } }),
    ...(inForceOn === undefined ? {} : { inForceOn }),
  };
}
