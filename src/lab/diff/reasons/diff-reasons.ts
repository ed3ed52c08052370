/** Two policies on a day -> the applicants with the same outcome and other reason codes or notices. */

import type { Verdict } from '../../../decision/meaning/verdict.ts';
import { type Collected, collectRegions, type Limits } from '../collect-regions.ts';
import type { Search } from '../search.ts';
import { partsByReasons } from './by-reasons.ts';
import { keyOf, type Reasons, reasonsOf } from './given-reasons.ts';
import type { ReasonChange } from './reason-case.ts';

/** How the reasons of two policies differ where the outcome is the same: regions of one change each. */
export type ReasonDiff = Collected<ReasonChange>;

/** Compares the reasons of two policies, exactly. The search is one for `REASONS`. */
export function diffReasons(search: Search, limits: Limits): Promise<ReasonDiff> {
  return collectRegions(search, partsByReasons(search), isChanged, limits);
}

function isChanged(change: ReasonChange, [before, after]: readonly [Verdict, Verdict]): boolean {
  if (before.outcome !== after.outcome) return false;
  const [old, now] = [reasonsOf(before), reasonsOf(after)];
  const found: ReasonChange = { added: without(now, old), removed: without(old, now) };
  return JSON.stringify(found) === JSON.stringify(change);
}

/** What one verdict gives and the other does not. */
function without(one: Reasons, other: Reasons): Reasons {
  const [codes, notices] = [other.codes, other.notices.map(keyOf)];
  return {
    codes: one.codes.filter((code) => !codes.includes(code)),
    notices: one.notices.filter((notice) => !notices.includes(keyOf(notice))),
  };
}
