/** Two policies on a day -> the regions of applicants that they decide differently, or one such applicant. */

import { conditionWords } from '../../decision/explain/sentence.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import type { Facts } from '../../facts/fact.ts';
import { FLAG, optionsReader, wholeNumber } from '../../platform/given/options.ts';
import type { Condition, Outcome, Policy } from '../../policy/language.ts';
import { DEFAULT_STEPS, MOST_OWN_RULES, ONE_DIFFERENCE_STEPS, REWRITTEN_SHARE } from '../limits.ts';
import { type ExampleLine, findApplicant } from '../question/find-applicant.ts';
import { CONDITION, checkPolicies, QUESTION_OPTIONS } from '../question/reasoner.ts';
import { type OutcomeFormulas, outcomeFormulas, outcomesDiffer } from '../solver/encode.ts';
import { daysOf } from '../space/calendar.ts';
import { Steps } from '../steps.ts';
import { partsByKind } from './by-kind.ts';
import { partsByRules } from './by-rules.ts';
import { describeEdits } from './edits/describe-edits.ts';
import type { PolicyEdit } from './edits/edit.ts';
import type { Change } from './parts.ts';
import { type Collected, collectRegions, type DiffRegion, type Limits, linesOf } from './regions.ts';
import { createSearch, ownRulesDiffer, type Search, withoutRewritten } from './search.ts';
import { SeenChanges } from './seen-changes.ts';

export interface DiffOptions {
  /** The first day of the decisions, yyyy-MM-dd. */
  readonly at: string;
  /** Whether no other day counts. Default: later days on which a rule or an entry of a list begins or ends do. */
  readonly onDay?: boolean | undefined;
  /** After so many steps of the solver, what is not proved is undecided. 30,000,000 by default. */
  readonly steps?: number;
  /**
   * After this many regions only changes are sought that none of them has; those that differ in one fact alone are then
   * joined. 20 by default.
   */
  readonly mostRegions?: number;
  /** A condition of the new policy: only applicants for whom it is true are compared. Default: all applicants. */
  readonly where?: Condition | undefined;
}

/** How two policies differ. */
export interface PolicyDiff {
  /** Whom the comparison was restricted to, in words: `phone.country is GB`. */
  readonly where?: string;
  /** The days that were compared, ascending: the first, and those on which something begins or ends. */
  readonly days: readonly string[];
  /** The last day that was compared; absent if it is every later one. */
  readonly lastDay?: string;
  /** What was edited, whether or not it changes a decision. */
  readonly edits: readonly PolicyEdit[];
  /** Those with the fewest conditions first. */
  readonly regions: readonly DiffRegion[];
  /**
   * Applicants outside the regions: `same` if they are proved to be decided the same; `notSought` if there may be more
   * regions than were asked for; `undecided` if the steps were over; `notProved` if there is no solver, which
   * `diffPolicies` refuses.
   */
  readonly elsewhere: 'same' | 'notSought' | 'undecided' | 'notProved';
  /** Of `undecided`: the steps that were too few; absent if more of them would decide no more. */
  readonly tooFewSteps?: number;
  /** Where others are not `same`: the changes that are proved to happen to no applicant. */
  readonly excluded?: readonly Change[];
}

const readOptions = optionsReader<DiffOptions>('the options of the diff', {
  ...QUESTION_OPTIONS,
  'mostRegions?': wholeNumber(1),
  'where?': CONDITION,
  'onDay?': FLAG,
});

/**
 * Compares two policies: exactly, over the states that their rules tell apart. Each example was decided by the matcher.
 * Throws REQUEST_INVALID for policies that declare a fact in different ways, unless both compute or count it, and
 * CONFIGURATION_INVALID if the solver is not installed.
 */
export async function diffPolicies(old: Policy, now: Policy, options: DiffOptions): Promise<PolicyDiff> {
  return (await openDiff(old, now, options)).find();
}

/** A comparison of two policies, before its regions are sought. */
export interface OpenDiff {
  /** Gives what counts applicants whose outcome changes, perhaps by the rules and entries in force on a day. */
  see(inForceOn?: string): SeenChanges;
  /** Finds the regions: with the applicants who were seen to change, and around them first. */
  find(seen?: SeenChanges): Promise<PolicyDiff>;
}

/** Prepares a comparison, as `diffPolicies` makes it. Throws as it does. */
export async function openDiff(old: Policy, now: Policy, options: DiffOptions): Promise<OpenDiff> {
  const { at, steps: most = DEFAULT_STEPS, mostRegions = 20, where, onDay } = readOptions(options);
  checkPolicies(old, now);
  const limits = { steps: new Steps(most), mostRegions };
  const { days, ...end } = daysOf([old, now], at, onDay, where ? [where] : []);
  const { search, rewritten } = await withoutRewritten(
    await createSearch(old, now, days, where),
    limits.steps.part(REWRITTEN_SHARE),
  );
  return {
    see: (inForceOn) => new SeenChanges(search, inForceOn),
    find: async (seen) => ({
      ...(where ? { where: conditionWords(where, now.facts) } : {}),
      days,
      ...end,
      edits: describeEdits(old, now, new Set(rewritten.map(({ id }) => id))),
      ...(await diffOutcomes(search, limits, seen)),
    }),
  };
}

function diffOutcomes(search: Search, limits: Limits, seen: SeenChanges | undefined): Promise<Collected> {
  const isLarge = search.own.flat().length > MOST_OWN_RULES;
  const source = isLarge ? partsByKind(search) : partsByRules(search);
  return collectRegions(search, source, isOutcomeChanged, limits, seen?.all);
}

function isOutcomeChanged({ from, to }: Change, [before, after]: readonly [Verdict, Verdict]): boolean {
  return before.outcome === from && after.outcome === to;
}

export interface DifferenceOptions {
  /** The day of the decisions, yyyy-MM-dd. */
  readonly at: string;
  /** The most steps of the solver. 5,000,000 by default. */
  readonly steps?: number;
}

/**
 * An applicant whose outcome differs, with the line for the old policy where it takes another; `same` if there is proof
 * that there is none; `undecided` if none was found.
 */
export type Difference =
  | (Change & { readonly kind: 'different'; readonly example: ExampleLine; readonly oldExample?: ExampleLine })
  | { readonly kind: 'same' | 'undecided' };

const readDifferenceOptions = optionsReader<DifferenceOptions>('the options of the comparison', QUESTION_OPTIONS);

/**
 * Finds an applicant whom two policies decide differently, with as few facts as possible. The matcher has decided the
 * example. Throws as `diffPolicies` does.
 */
export async function findDifference(old: Policy, now: Policy, options: DifferenceOptions): Promise<Difference> {
  const { at, steps: most = ONE_DIFFERENCE_STEPS } = readDifferenceOptions(options);
  checkPolicies(old, now);
  const steps = new Steps(most);
  const { search } = await withoutRewritten(await createSearch(old, now, [at]), steps.part(REWRITTEN_SHARE));
  const { space, encoding, matchers, readers } = search;
  const [before, after] = space.sides.map((side) => outcomeFormulas(side, encoding));
  const differ = outcomesDiffer(before as OutcomeFormulas, after as OutcomeFormulas);
  const outcomesOf = (given: Facts) =>
    ([0, 1] as const).map((side) => matchers[side].outcome(readers[side](given, at), at).outcome);
  const isDifferent = (given: Facts) => new Set(outcomesOf(given)).size > 1;
  // Where the own rules agree, so do the policies: that is far easier to prove, and says the same.
  const asked = [ownRulesDiffer(search), differ];
  const given = await findApplicant(search, asked, isDifferent, steps, 1);
  if (given === 'none') return { kind: 'same' };
  if (!given) return { kind: 'undecided' };
  const [from, to] = outcomesOf(given) as [Outcome, Outcome];
  return { kind: 'different', from, to, ...linesOf(search, given) };
}
