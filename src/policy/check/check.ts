/** A policy without errors, as a whole -> warnings about what it says and hardly means. */

import type { DiagnosticCode } from '../../diagnostics.ts';
import { type Check, createCheck, type PolicyParts } from './context.ts';
import { checkHiddenCharacters } from './hidden-character.ts';
import { checkConflictingEntries } from './lists/conflicting-entry.ts';
import { checkDuplicateEntries } from './lists/duplicate-entry.ts';
import { checkExpiredEntries } from './lists/expired-entry.ts';
import { checkActiveRules } from './no-active-rule.ts';
import { checkBorderGaps } from './ranges/border-gap.ts';
import { checkSharedBorders } from './ranges/shared-border.ts';
import { checkTableGaps } from './ranges/table-gap.ts';
import { checkIdleAccepts } from './rules/accept-no-effect.ts';
import { checkBroadAccepts } from './rules/broad-accept.ts';
import { checkCovered } from './rules/covered.ts';
import { checkPairs, type PairCheck } from './rules/covering.ts';
import { checkExpiredRules } from './rules/expired-rule.ts';
import { checkFiresOnMissing } from './rules/fires-on-missing.ts';
import { checkNeverDecides } from './rules/never-decides.ts';
import { checkNeverFires } from './rules/never-fires.ts';
import { checkNoticeLanguages } from './rules/notice-language.ts';
import { checkNotices } from './rules/notice-reveals.ts';
import { checkSameConditions } from './rules/same-condition.ts';
import { checkUnknownIgnored } from './rules/unknown-ignored.ts';
import { checkBandsAlwaysReached } from './score/band-always-reached.ts';
import { checkBandsNeverReached } from './score/band-never-reached.ts';
import { checkOverrulingPoints } from './score/points-overrule-then.ts';
import { checkPointsWithoutScore } from './score/points-without-score.ts';
import { checkScoreWithoutPoints } from './score/score-without-points.ts';
import { checkStages } from './stages/stage-repeats.ts';
import { checkUnaskedVariables } from './stages/unasked-variable.ts';
import { checkUnreadVariables } from './stages/unread-variable.ts';
import { checkAlwaysTrue } from './tests/always-true.ts';
import { checkNeverTrue } from './tests/never-true.ts';
import { checkNumbers } from './tests/no-such-number.ts';
import { checkTypographicQuotes } from './tests/typographic-quotes.ts';
import { checkScales } from './tests/wrong-scale.ts';
import { checkOutdatedTexts } from './texts/outdated-text.ts';
import { checkUnusedConditions } from './unused-condition.ts';
import { checkUnusedFacts } from './unused-fact.ts';
import { checkUnusedLists } from './unused-list.ts';
import { checkUnusedParameters } from './unused-parameter.ts';

/** The checks of two rules of which one fires whenever the other does. At most one of them reports a rule. */
const PAIR_CHECKS: { readonly [Code in DiagnosticCode]?: PairCheck } = {
  covered: checkCovered,
  'never-decides': checkNeverDecides,
};

/**
 * All other checks by code, in the order in which they run: what `never-true` and `same-condition` have reported, later
 * checks do not report again. Each has a file named like its code; adding one is adding a row.
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
  'accept-no-effect': checkIdleAccepts,
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
