/** Two policies on a day -> the regions of applicants that they decide differently. */

import { conditionWords } from '../../decision/explain/sentence.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import { FLAG, optionsReader } from '../../given/options.ts';
import type { Condition, Policy } from '../../policy/language.ts';
import { REASONS } from '../../policy/sameness.ts';
import { MOST_OWN_RULES } from '../limits.ts';
import { CONDITION, checkPolicies, QUESTION_OPTIONS } from '../question/reasoner.ts';
import { partsByKind } from './by-kind.ts';
import { diffReasons, type ReasonDiff } from './by-reasons.ts';
import { partsByRules } from './by-rules.ts';
import { describeEdits } from './edits/describe-edits.ts';
import type { PolicyEdit } from './edits/edit.ts';
import type { Change } from './parts.ts';
import { type Collected, collectRegions, type DiffRegion, type Limits } from './regions.ts';
import { createSearch, type Search } from './search.ts';

export interface DiffOptions {
  /** The day of the decisions, yyyy-MM-dd. */
  readonly at: string;
  /** After this time, in milliseconds, what is not proved is undecided. 60,000 by default. */
  readonly timeoutMs?: number;
  /**
   * After this many regions only changes are sought that none of them has; those that differ in one fact alone are then
   * joined. 20 by default.
   */
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
  /** Where others are not `same`: the changes that are proved to happen to nobody. */
  readonly excluded?: readonly Change[];
  /** The reasons of applicants who are decided the same, if they were asked for. */
  readonly reasons?: ReasonDiff;
}

const readOptions = optionsReader<DiffOptions>('the options of the diff', {
  ...QUESTION_OPTIONS,
  'mostRegions?': {
    expected: 'a whole number of 1 or more',
    is: (value) => Number.isInteger(value) && Number(value) > 0,
  },
  'where?': CONDITION,
  'reasons?': FLAG,
});

/**
 * Compares two policies: exactly, over the states that their rules tell apart. Each example was decided by the matcher.
 * Throws REQUEST_INVALID for policies that declare a fact in different ways, unless both compute it, and
 * CONFIGURATION_INVALID if the solver is not installed.
 */
export async function diffPolicies(old: Policy, now: Policy, options: DiffOptions): Promise<PolicyDiff> {
  const { at, timeoutMs = 60_000, mostRegions = 20, where, reasons = false } = readOptions(options);
  checkPolicies(old, now);
  const limits = { timeoutMs, mostRegions, endsAt: performance.now() + timeoutMs };
  return {
    ...(where ? { where: conditionWords(where, now.facts) } : {}),
    edits: describeEdits(old, now),
    ...(await diffOutcomes(await createSearch(old, now, at, where), limits)),
    ...(reasons ? { reasons: await diffReasons(await createSearch(old, now, at, where, REASONS), limits) } : {}),
  };
}

function diffOutcomes(search: Search, limits: Limits): Promise<Collected<Change>> {
  const isLarge = search.own.flat().length > MOST_OWN_RULES;
  const source = isLarge ? partsByKind(search) : partsByRules(search);
  return collectRegions(search, source, isOutcomeChanged, limits);
}

function isOutcomeChanged({ from, to }: Change, [before, after]: readonly [Verdict, Verdict]): boolean {
  return before.outcome === from && after.outcome === to;
}
