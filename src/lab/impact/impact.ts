/** Real applicants and two policies -> how many are decided differently, in which ways, and the worst of them. */

import type { Outcome, Policy } from '../../policy/language.ts';
import type { Applicant, ChangedApplicant, Flow, Unjudged } from '../backtest/applicants.ts';
import { type Backtest, BacktestTally } from '../backtest/backtest.ts';
import type { JointFacts } from '../backtest/joint-facts.ts';
import type { Grouped } from '../backtest/outcome-counts.ts';
import type { DiffRegion } from '../diff/regions.ts';
import type { SeenChanges } from '../diff/seen-changes.ts';
import type { EditCount, EditEffects } from './edit-effects.ts';

/** What a change of the policy means for real applicants. */
export interface Impact {
  /** Those that both policies decide. */
  readonly applicants: number;
  /** Those whose outcome changes. */
  readonly changed: number;
  /** All nine, from mild to strict. */
  readonly flows: readonly Flow[];
  /** What each edit does by itself; absent where edits are not counted. */
  readonly edits?: EditEffects;
  /** The same by the values of a fact, or by month, if that was asked for. */
  readonly groups: readonly Grouped[];
  /** Reviews by each policy for a day of the calendar, from the first day to the last; absent for a single day. */
  readonly reviewsADay?: { readonly days: number; readonly old: number; readonly new: number };
  /** Those whose outcome changes, and who are in no region. */
  readonly outsideRegions: number;
  /** Those who change and were not looked for in the regions, because they are of too many kinds; absent for none. */
  readonly notPlaced?: number;
  /** The regions that begin after the first day and that of each applicant, so that they have none; absent for none. */
  readonly beginLater?: { readonly regions: number; readonly firstDay: string };
  /** The day whose rules and entries counted; absent for those of each applicant's own day. */
  readonly inForceOn?: string;
  /** The worst changes first. */
  readonly worst: readonly ChangedApplicant[];
  readonly unjudged: Unjudged;
}

/** What a tally counts. */
export interface TallyOptions {
  /** The most changed applicants that are kept. */
  readonly worst: number;
  /** The day whose rules and entries the policies have on every day. Default: those of the applicant's own day. */
  readonly inForceOn?: string | undefined;
  /** A fact of the joint table, or `month`. */
  readonly by?: string | undefined;
  /** What counts the edits of the policies. */
  readonly edits?: EditCount | undefined;
  /** What counts those whose outcome changes by the states of a comparison. */
  readonly seen?: SeenChanges | undefined;
}

/** Counts applicants whom two policies decide. */
export interface ImpactCount {
  readonly tally: BacktestTally;
  /** `regions`: those of the comparison, with the applicants in them. `at`: the first day that they are about. */
  result(regions: readonly DiffRegion[], at: string): Impact;
}

/** Takes the policies as they are in force on the day of the options, if there is one. */
export function countImpact(
  policies: readonly [old: Policy, now: Policy],
  joint: JointFacts,
  { worst, inForceOn, by, edits, seen }: TallyOptions,
): ImpactCount {
  const groups = by === undefined ? [] : [by];
  const onChanged = ({ facts, day }: Applicant, from: Outcome, to: Outcome) => seen?.add(facts, day, { from, to });
  const options = { by: groups, worst, compares: true, onChanged, ...(edits ? { onRows: edits.addRows } : {}) };
  const tally = new BacktestTally(policies, joint, options);
  return {
    tally,
    result(regions, at) {
      const { decided, flows = [], groups, period, worst = [], undecided } = tally.result();
      const { policyMissing: _, problems: __, ...unjudged } = undecided;
      const countIf = (isMeant: (flow: Flow) => boolean) =>
        flows.filter(isMeant).reduce((sum, flow) => sum + flow.applicants, 0);
      const { days = 0 } = period ?? {};
      const changed = countIf(({ from, to }) => from !== to);
      const inRegions = regions.reduce((sum, { applicants = 0 }) => sum + applicants, 0);
      const notPlaced = seen?.beyond ?? 0;
      const aDay = (end: 'from' | 'to') => countIf((flow) => flow[end] === 'review') / days;
      return {
        applicants: decided,
        changed,
        flows,
        ...(edits ? { edits: edits.result() } : {}),
        groups,
        ...(days > 1 ? { reviewsADay: { days, old: aDay('from'), new: aDay('to') } } : {}),
        outsideRegions: changed - inRegions - notPlaced,
        ...(notPlaced > 0 ? { notPlaced } : {}),
        ...(inForceOn === undefined ? beginLater(regions, at, period) : { inForceOn }),
        ...{ worst, unjudged },
      };
    },
  };
}

function beginLater(
  regions: readonly DiffRegion[],
  at: string,
  period: Backtest['period'],
): Pick<Impact, 'beginLater'> {
  const days = [at, ...(period ? [period.from, period.to] : [])];
  const later = regions.flatMap(({ firstDay }) => (days.every((day) => firstDay > day) ? firstDay : [])).sort();
  const [firstDay] = later;
  return firstDay ? { beginLater: { regions: later.length, firstDay } } : {};
}
