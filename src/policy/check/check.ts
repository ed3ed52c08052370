/** A policy without errors, as a whole -> warnings about what it says and hardly means. */

import type { DiagnosticCode } from '../../diagnostics.ts';
import { type Check, createCheck, type PolicyParts } from './context.ts';
import {
  checkConflictingEntries,
  checkDuplicateEntries,
  checkExpiredEntries,
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
import { checkAlwaysTrue, checkNeverTrue, checkNumbers, checkScales } from './test-checks.ts';
import {
  checkHiddenCharacters,
  checkNoticeLanguages,
  checkNotices,
  checkOutdatedTexts,
  checkTypographicQuotes,
} from './text-checks.ts';

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
  'wrong-scale': checkScales,
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
  'outdated-text': checkOutdatedTexts,
  'notice-reveals': checkNotices,
  'notice-language': checkNoticeLanguages,
  'fires-on-missing': checkFiresOnMissing,
  'broad-accept': checkBroadAccepts,
  'unknown-ignored': checkUnknownIgnored,
};

/** Checks a policy that has no errors. Findings are warnings where they stand. Gives what the checks share. */
export function checkPolicy(parts: PolicyParts): Check {
  const check = createCheck(parts);
  for (const run of Object.values(CHECKS)) run(check);
  checkPairs(check, Object.values(PAIR_CHECKS));
  return check;
}
