/** The files of a policy -> the policy and its diagnostics, with the warnings of all checks. */

import type { Diagnostic, DiagnosticCode } from '../../diagnostics.ts';
import { dayOfInstant } from '../../facts/day.ts';
import { allowancesOf } from '../../platform/files/allowance.ts';
import type { Geodata } from '../../platform/formats/geo/geodata.ts';
import type { Policy } from '../language.ts';
import type { PolicyFiles } from '../read/files/policy-files.ts';
import { asRead, type LoadingOptions, type PartsRead, type ReadPolicy, readParts } from '../read/read-policy.ts';
import { type Check, createCheck, type PolicyParts } from './context.ts';
import {
  checkConflictingEntries,
  checkDuplicateEntries,
  checkExpiredEntries,
  checkRatios,
  checkStages,
  checkUnaskedVariables,
  checkUnreadVariables,
  checkUnusedConditions,
  checkUnusedFacts,
  checkUnusedLists,
  checkUnusedParameters,
} from './declaration-checks.ts';
import { checkCovered, checkNeverDecides, checkPairs, type PairCheck } from './pair-checks.ts';
import { checkBorderGaps, checkSharedBorders } from './range-checks.ts';
import { checkTableGaps } from './row-checks.ts';
import {
  checkActiveRules,
  checkBroadAccepts,
  checkExpiredRules,
  checkFiresOnMissing,
  checkIneffectiveAccepts,
  checkLevels,
  checkNeverFires,
  checkSameConditions,
  checkUnknownIgnored,
} from './rule-checks.ts';
import {
  checkBandsAlwaysReached,
  checkBandsNeverReached,
  checkOverrulingPoints,
  checkPointsWithoutScore,
  checkScoreWithoutPoints,
} from './score-checks.ts';
import {
  checkAlwaysTrue,
  checkBirthdays,
  checkFactPaths,
  checkNeverTrue,
  checkNumbers,
  checkPatterns,
  checkScales,
  checkSingleEntries,
} from './test-checks.ts';
import {
  checkHiddenCharacters,
  checkNoticeLanguages,
  checkNotices,
  checkPlaceholders,
  checkScripts,
  checkTypographicQuotes,
} from './text-checks.ts';
import { checkStrangers } from './velocity-checks.ts';

/** How a policy is read and checked. */
interface CheckingOptions extends LoadingOptions {
  /** The day of the checks, yyyy-MM-dd. Default: today, UTC. */
  readonly at?: string | undefined;
  /** Without geodata, the check of phone numbers is left out. */
  readonly geodata?: Geodata | undefined;
}

/** A policy as read, and what its checks share. */
interface PartsChecked extends PartsRead {
  /** Undefined if there is an error: the checks did not run. */
  readonly check: Check | undefined;
}

/** Reads a policy with settings for several policies, and checks it. Never throws: every problem is reported. */
export function checkParts(parts: PolicyFiles, options: CheckingOptions): PartsChecked {
  const read = readParts(parts, options);
  const { geodata, at: day = dayOfInstant(Date.now(), read.policy?.timeZone) } = options;
  const check = read.written && checkPolicy({ ...read.written, geodata, day });
  const allowances = allowancesOf(parts.diagnostics);
  allowances.reportMalformed();
  allowances.reportUnused(lookedFor(read.policy, parts.diagnostics, geodata));
  return { ...read, check };
}

/** Reads a policy from any source and checks it. Never throws: every problem is among the diagnostics. */
export function readChecked(parts: PolicyFiles, options: CheckingOptions): ReadPolicy {
  return asRead(checkParts(parts, options));
}

/** Whether a policy was searched for a warning: not for those of other files, and not to the end if it has errors. */
function lookedFor(
  policy: Policy | undefined,
  diagnostics: readonly Diagnostic[],
  geodata: Geodata | undefined,
): (code: DiagnosticCode) => boolean {
  const isWhole =
    policy !== undefined && diagnostics.every(({ code }) => code !== 'not-checked' && code !== 'too-many');
  const others: readonly string[] = [...ELSEWHERE, ...DEEP_CODES, ...(geodata ? [] : ['no-such-number'])];
  return (code) => isWhole && !others.includes(code);
}

/** The warnings of checks with proof, which `checkFilesDeeply` runs. */
export const DEEP_CODES: readonly DiagnosticCode[] = ['never-matters', 'never-reached', 'undecided'];

/** The warnings about files that no policy uses, about mappings, and about earlier revisions. */
const ELSEWHERE: readonly string[] = [
  ...['unused-file', 'unknown-file', 'unread-status', 'source-elsewhere', 'version-unchanged'],
];

/** The checks of two rules of which one fires whenever the other does. At most one of them reports a rule. */
const PAIR_CHECKS: { readonly [Code in DiagnosticCode]?: PairCheck } = {
  covered: checkCovered,
  'never-decides': checkNeverDecides,
};

/**
 * All other checks by code, in the order in which they run: what `never-true` and `same-condition` have reported, later
 * checks do not report again. Adding one is adding a row.
 */
const CHECKS: { readonly [Code in DiagnosticCode]?: (check: Check) => void } = {
  'hidden-character': checkHiddenCharacters,
  'typographic-quotes': checkTypographicQuotes,
  'mixed-scripts': checkScripts,
  'no-active-rule': checkActiveRules,
  'no-such-number': checkNumbers,
  'unused-condition': checkUnusedConditions,
  'unused-list': checkUnusedLists,
  'unused-parameter': checkUnusedParameters,
  'unused-fact': checkUnusedFacts,
  'expired-rule': checkExpiredRules,
  'expired-entry': checkExpiredEntries,
  'duplicate-entry': checkDuplicateEntries,
  'conflicting-entry': checkConflictingEntries,
  'stage-repeats': checkStages,
  'unasked-variable': checkUnaskedVariables,
  'unread-variable': checkUnreadVariables,
  'ratio-invalid': checkRatios,
  'wrong-scale': checkScales,
  'milder-level': checkLevels,
  'counts-strangers': checkStrangers,
  'single-entry': checkSingleEntries,
  'near-pattern': checkPatterns,
  'fixed-birthday': checkBirthdays,
  'fact-as-text': checkFactPaths,
  'near-placeholder': checkPlaceholders,
  'never-true': checkNeverTrue,
  'always-true': checkAlwaysTrue,
  'same-condition': checkSameConditions,
  'never-fires': checkNeverFires,
  'table-gap': checkTableGaps,
  'border-gap': checkBorderGaps,
  'shared-border': checkSharedBorders,
  'accept-no-effect': checkIneffectiveAccepts,
  'points-without-score': checkPointsWithoutScore,
  'score-without-points': checkScoreWithoutPoints,
  'band-never-reached': checkBandsNeverReached,
  'band-always-reached': checkBandsAlwaysReached,
  'points-overrule-then': checkOverrulingPoints,
  'notice-reveals': checkNotices,
  'notice-language': checkNoticeLanguages,
  'fires-on-missing': checkFiresOnMissing,
  'broad-accept': checkBroadAccepts,
  'unknown-ignored': checkUnknownIgnored,
};

/** Checks a policy that has no errors. Findings are warnings where they stand. Gives what the checks share. */
function checkPolicy(parts: PolicyParts): Check {
  const check = createCheck(parts);
  for (const run of Object.values(CHECKS)) run(check);
  checkPairs(check, Object.values(PAIR_CHECKS));
  return check;
}
