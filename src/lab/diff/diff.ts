/** Two policies on a day -> the regions of applicants that they decide differently. */

import type { Condition, Policy } from '../../policy/language.ts';
import { conditionWords } from '../edits/condition-words.ts';
import { describeEdits } from '../edits/describe-edits.ts';
import type { PolicyEdit } from '../edits/edit.ts';
import { diffReasons, type Limits, type ReasonDiff } from '../reasons/diff-reasons.ts';
import { isInBox, not } from '../solver/formula.ts';
import { type DiffRegion, findExample, type Part, regionsOf } from './region.ts';
import { createSearch } from './search.ts';

export interface DiffOptions {
  /** The day of the decisions, yyyy-MM-dd. */
  readonly at: string;
  /** After this time, in milliseconds, what is not proved is undecided. 60,000 by default. */
  readonly timeoutMs?: number;
  /** After this many regions no more are sought; those that differ in one fact alone are then joined. 20 by default. */
  readonly mostRegions?: number;
  /** A condition of the new policy: only applicants for whom it is true are compared. Default: all applicants. */
  readonly where?: Condition | undefined;
  /** Whether to compare the reason codes and notices of applicants who are decided the same. Default: no. */
  readonly reasons?: boolean | undefined;
}

/** How two policies differ. */
export interface PolicyDiff {
  /** Whom the comparison was restricted to, in words: `phone.country is GB`. */
  readonly where?: string;
  /** What was edited, whether or not it changes a decision. */
  readonly edits: readonly PolicyEdit[];
  /** Those with the fewest conditions first. */
  readonly regions: readonly DiffRegion[];
  /**
   * Applicants outside the regions: `same` if they are proved to be decided the same; `notSought` if there may be more
   * regions than were asked for; `undecided` if the time was over; `notProved` if there is no solver, which
   * `diffPolicies` refuses.
   */
  readonly elsewhere: 'same' | 'notSought' | 'undecided' | 'notProved';
  /** The reasons of applicants who are decided the same, if they were asked for. */
  readonly reasons?: ReasonDiff;
}

/**
 * Compares two policies: exactly, over the states that their rules tell apart. Each example was decided by the matcher.
 * Throws REQUEST_INVALID for policies that declare a fact in different ways, and CONFIGURATION_INVALID if the solver is
 * not installed.
 */
export async function diffPolicies(old: Policy, now: Policy, options: DiffOptions): Promise<PolicyDiff> {
  const { at, timeoutMs = 60_000, mostRegions = 20, where, reasons = false } = options;
  const limits = { at, timeoutMs, mostRegions, where, endsAt: performance.now() + timeoutMs };
  const diff = await diffOutcomes(old, now, limits);
  return reasons ? { ...diff, reasons: await diffReasons(old, now, limits) } : diff;
}

async function diffOutcomes(old: Policy, now: Policy, limits: Limits): Promise<PolicyDiff> {
  const { at, timeoutMs, mostRegions, where, endsAt } = limits;
  const search = await createSearch(old, now, at, where);
  const { solver, differ } = search;
  const parts: Part[] = [];
  const edits = describeEdits(old, now);
  const found = (elsewhere: PolicyDiff['elsewhere']): PolicyDiff => {
    const regions = [...regionsOf(search, parts)];
    const asked = where ? { where: conditionWords(where, now.facts) } : {};
    return {
      ...asked,
      edits,
      regions: regions.sort((one, other) => one.conditions.length - other.conditions.length),
      elsewhere,
    };
  };
  for (;;) {
    const answer = await solver.ask([differ], endsAt - performance.now());
    if (answer.kind === 'unsatisfiable') return found('same');
    if (answer.kind === 'unknown') return found('undecided');
    if (parts.length >= mostRegions) return found('notSought');
    const box = search.widen(answer.states);
    for (const restCase of search.casesIn(box)) {
      const example = await findExample(search, { box, restCase }, { timeoutMs, endsAt });
      if (example !== 'none') parts.push({ box, restCase, example });
    }
    solver.assert(not(isInBox(box)));
  }
}
