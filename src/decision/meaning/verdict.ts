/** The truth of every rule, and the facts -> the verdict with its reasons. */

import type { Facts } from '../../facts/fact.ts';
import { readGiven } from '../../platform/given/read-given.ts';
import { type Notice, type Outcome, type Policy, type Rule, strictness } from '../../policy/language.ts';
import { renderMessage } from '../../policy/read/message.ts';
import { asksWhenUnknown } from '../../policy/weight.ts';
import { type Evidence, gatherEvidence, gatherMissing, type MissingEvidence } from './evidence.ts';
import { isDecisive, type RuleTruth, type Score, type Settlement, settle } from './outcome.ts';
import { TRUE } from './truth.ts';

/** The fields of every reason. */
interface ReasonBase<Because extends string, Asked> {
  readonly because: Because;
  /** An UPPER_SNAKE code for machines. */
  readonly code: string;
  /** The outcome it asks for; null for a rule that only adds points. */
  readonly outcome: Asked;
  /** Whether it led to the outcome. */
  readonly decisive: boolean;
}

/** A rule fired. */
export interface FiredReason extends ReasonBase<'fired', Outcome | null> {
  readonly rule: string;
  readonly points?: number;
  /** For the analyst, with the values of its facts filled in. */
  readonly message?: string;
  /** What the applicant may be told, as the policy says it; `noticesOf` finds the text in a language. */
  readonly notice?: Notice;
  readonly evidence: readonly Evidence[];
}

/** A rule is undetermined, and asks for review. */
export interface UndeterminedReason extends ReasonBase<'undetermined', 'review'> {
  readonly rule: string;
}

/** The score reaches a band (`SCORE`), or may reach a stricter one (`SCORE_UNDETERMINED`). */
export interface ScoreReason extends ReasonBase<'score', Outcome> {
  readonly notice?: Notice;
}

/** Neither a rule that fired nor the score asks for anything. */
export interface DefaultReason extends ReasonBase<'default', Outcome> {
  readonly notice?: Notice;
}

/** A reason for the outcome. */
export type Reason = FiredReason | UndeterminedReason | ScoreReason | DefaultReason;

/** The codes of the reasons that decided, each once; `CODE?` where only undetermined rules give it. */
export function decisiveCodes({ reasons }: Pick<Verdict, 'reasons'>): readonly string[] {
  const decisive = reasons.filter((reason) => reason.decisive);
  const knownCodes = new Set(decisive.flatMap(({ because, code }) => (because === 'undetermined' ? [] : code)));
  return [...new Set(decisive.map(({ code }) => (knownCodes.has(code) ? code : `${code}?`)))];
}

/** A rule whose condition is unknown, with the missing facts that leave it so. */
export interface UndeterminedRule {
  readonly rule: string;
  readonly asks: 'review' | null;
  readonly missing: readonly MissingEvidence[];
}

/** A shadow rule that fires or is undetermined. It has no effect on the outcome. */
export interface ShadowResult {
  readonly rule: string;
  readonly result: 'fires' | 'undetermined';
  readonly outcome: Outcome | null;
}

/**
 * The answer of a policy on facts and a day. Every runner gives the same verdict for the same policy, facts and
 * day, byte for byte as canonical JSON.
 */
export interface Verdict {
  readonly outcome: Outcome;
  /** The decisive ones first, then the strictest. */
  readonly reasons: readonly Reason[];
  /** Every rule whose condition is unknown, in the policy's order. */
  readonly undetermined: readonly UndeterminedRule[];
  readonly score: Score;
  readonly shadow: readonly ShadowResult[];
}

/**
 * The reasons of rules that fired, the decisive ones first. Undetermined rules, the score and the default are left
 * out, because they state nothing about the applicant.
 */
export function firedReasons<Given extends Reason>(verdict: {
  readonly reasons: readonly Given[];
}): Extract<Given, { readonly because: 'fired' }>[] {
  type Fired = Extract<Given, { readonly because: 'fired' }>;
  return readGiven('REQUEST_INVALID', 'the decision', () =>
    verdict.reasons.filter((reason): reason is Fired => reason.because === 'fired'),
  );
}

/** Gives the verdict. `truths` are the active rules that fired or are undetermined, in order; all others are false. */
export function giveVerdict(policy: Policy, truths: readonly RuleTruth[], facts: Facts, day: string): Verdict {
  const counted = truths.some(({ rule }) => rule.shadow) ? truths.filter(({ rule }) => !rule.shadow) : truths;
  const settlement = settle(policy, counted);
  const { outcome, score } = settlement;
  const reasons: Reason[] = [];
  const undetermined: UndeterminedRule[] = [];
  for (const { rule, truth } of counted) {
    if (truth === TRUE) {
      const asked = rule.then ?? null;
      reasons.push(firedReason(rule, isDecisive(settlement, asked, rule), facts, day));
    } else {
      const asks = asksWhenUnknown(rule);
      const decisive = isDecisive(settlement, asks, rule);
      if (asks) reasons.push({ because: 'undetermined', rule: rule.id, code: rule.reason, outcome: asks, decisive });
      undetermined.push({ rule: rule.id, asks, missing: gatherMissing(rule.when, facts, day) });
    }
  }
  reasons.push(...reasonsBesideRules(policy, settlement));
  const shadow = counted === truths ? [] : truths.filter(({ rule }) => rule.shadow).map(shadowResult);
  return { outcome, reasons: sortReasons(reasons), undetermined, score, shadow };
}

/** The reasons other than rules: the score and the default. */
export function reasonsBesideRules(policy: Policy, settlement: Settlement): readonly (ScoreReason | DefaultReason)[] {
  const { score, bandAbove, isDefaultAsked, isOtherAsked } = settlement;
  const reasons: (ScoreReason | DefaultReason)[] = [];
  const addScore = (code: string, asked: Outcome) => {
    const decisive = isDecisive(settlement, asked);
    const notice = asked === 'accept' ? undefined : policy.scoreNotices[asked];
    reasons.push({ because: 'score', code, outcome: asked, decisive, ...noticeField(notice) });
  };
  if (score.band !== null) addScore('SCORE', score.band);
  if (bandAbove !== undefined) addScore('SCORE_UNDETERMINED', 'review');
  if (isDefaultAsked && (policy.default !== 'accept' || !isOtherAsked)) {
    const decisive = isDecisive(settlement, policy.default);
    const notice = noticeField(policy.defaultNotice);
    reasons.push({ because: 'default', code: 'DEFAULT', outcome: policy.default, decisive, ...notice });
  }
  return reasons;
}

function firedReason(rule: Rule, decisive: boolean, facts: Facts, day: string): FiredReason {
  const { id, reason: code, then = null, points, message, notice } = rule;
  const evidence = gatherEvidence(rule.when, facts, day);
  return {
    because: 'fired',
    rule: id,
    code,
    outcome: then,
    decisive,
    ...(points === undefined ? {} : { points }),
    ...(message === undefined ? {} : { message: renderMessage(message, facts, day) }),
    ...noticeField(notice),
    evidence,
  };
}

function noticeField(notice: Notice | undefined): { readonly notice?: Notice } {
  return notice === undefined ? {} : { notice };
}

function shadowResult({ rule, truth }: RuleTruth): ShadowResult {
  return { rule: rule.id, result: truth === TRUE ? 'fires' : 'undetermined', outcome: rule.then ?? null };
}

/** Decisive reasons first, then the strictest; else in the policy's order, with score and default last. */
function sortReasons(reasons: Reason[]): Reason[] {
  return reasons.sort(
    (a, b) => Number(b.decisive) - Number(a.decisive) || strictness(b.outcome) - strictness(a.outcome),
  );
}
