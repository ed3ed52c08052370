/** The truth of every rule, and the facts -> the verdict with its reasons (policy language, "The verdict"). */

import type { Facts } from '../facts/fact.ts';
import { asksWhenUnknown, type Outcome, type Policy, type Rule } from '../policy/language.ts';
import { renderMessage } from '../policy/message.ts';
import { type Evidence, gatherEvidence, gatherMissing, type MissingEvidence } from './evidence.ts';
import { type Score, settle, strictness } from './outcome.ts';
import { examine, FALSE, TRUE, type Truth, UNKNOWN } from './truth.ts';

/** What every reason has. */
interface ReasonBase<Because extends string, Asked> {
  readonly because: Because;
  /** An UPPER_SNAKE code for machines. */
  readonly code: string;
  /** What it asks for; null for a rule that only adds points. */
  readonly outcome: Asked;
  /** Whether the outcome stands on it. */
  readonly decisive: boolean;
}

/** A rule fired. */
export interface FiredReason extends ReasonBase<'fired', Outcome | null> {
  readonly rule: string;
  readonly points?: number;
  /** For the analyst, with the facts' values in its places. */
  readonly message?: string;
  /** What the applicant may be told. */
  readonly notice?: string;
  readonly evidence: readonly Evidence[];
}

/** A rule could not be decided, and asks for review. */
export interface UndeterminedReason extends ReasonBase<'undetermined', 'review'> {
  readonly rule: string;
}

/** The score reaches a band, or might. */
export type ScoreReason = ReasonBase<'score', Outcome>;

/** Nothing certain was asked for. */
export type DefaultReason = ReasonBase<'default', Outcome>;

/** Why the outcome is what it is. */
export type Reason = FiredReason | UndeterminedReason | ScoreReason | DefaultReason;

/** A rule that could not be decided. */
export interface UndeterminedRule {
  readonly rule: string;
  readonly asks: 'review' | null;
  readonly missing: readonly MissingEvidence[];
}

/** A shadow rule that fires or is undetermined; it has no effect. */
export interface ShadowResult {
  readonly rule: string;
  readonly result: 'fires' | 'undetermined';
  readonly outcome: Outcome | null;
}

/**
 * What a policy says of facts on a day. The same policy, facts and day give the same verdict from every runner, byte for
 * byte as canonical JSON.
 */
export interface Verdict {
  readonly outcome: Outcome;
  /** The decisive ones first. */
  readonly reasons: readonly Reason[];
  /** Every rule that could not be decided, in the policy's order. */
  readonly undetermined: readonly UndeterminedRule[];
  readonly score: Score;
  readonly shadow: readonly ShadowResult[];
}

/** The verdict on `rules`, those of the policy that are active, with their truths in the same order. */
export function giveVerdict(
  policy: Policy,
  rules: readonly Rule[],
  truths: readonly Truth[],
  facts: Facts,
  day: string,
): Verdict {
  const counted = rules.filter((rule) => !rule.shadow);
  const countedTruths = truths.filter((_, i) => !rules[i]?.shadow);
  const { outcome, decidedBy, score, bandAbove, isDefaultAsked, isOtherAsked } = settle(policy, counted, countedTruths);
  const isDecisive = (asked: Outcome | null, rule?: Rule) => (decidedBy ? rule === decidedBy : asked === outcome);
  const reasons: Reason[] = [];
  const undetermined: UndeterminedRule[] = [];
  for (const [i, rule] of counted.entries()) {
    if (countedTruths[i] === TRUE) {
      const asked = rule.then ?? null;
      reasons.push({
        because: 'fired',
        rule: rule.id,
        code: rule.reason,
        outcome: asked,
        decisive: isDecisive(asked, rule),
        ...(rule.points === undefined ? {} : { points: rule.points }),
        ...(rule.message === undefined ? {} : { message: renderMessage(rule.message, facts, day) }),
        ...(rule.notice === undefined ? {} : { notice: rule.notice }),
        evidence: gatherEvidence(examine(rule.when, facts, day), facts),
      });
    } else if (countedTruths[i] === UNKNOWN) {
      const asks = asksWhenUnknown(rule);
      const decisive = isDecisive(asks, rule);
      if (asks) reasons.push({ because: 'undetermined', rule: rule.id, code: rule.reason, outcome: asks, decisive });
      undetermined.push({ rule: rule.id, asks, missing: gatherMissing(examine(rule.when, facts, day), facts) });
    }
  }
  const addScore = (code: string, asked: Outcome) =>
    reasons.push({ because: 'score', code, outcome: asked, decisive: isDecisive(asked) });
  if (score.band !== null) addScore('SCORE', score.band);
  if (bandAbove !== undefined) addScore('SCORE_UNDETERMINED', 'review');
  if (isDefaultAsked && (policy.default !== 'accept' || !isOtherAsked)) {
    const decisive = isDecisive(policy.default);
    reasons.push({ because: 'default', code: 'DEFAULT', outcome: policy.default, decisive });
  }
  return { outcome, reasons: sortReasons(reasons), undetermined, score, shadow: shadowResults(rules, truths) };
}

/** The shadow rules that fire or are undetermined, in the policy's order. */
function shadowResults(rules: readonly Rule[], truths: readonly Truth[]): ShadowResult[] {
  return rules.flatMap((rule, i): ShadowResult[] => {
    if (!rule.shadow || truths[i] === FALSE) return [];
    return [{ rule: rule.id, result: truths[i] === TRUE ? 'fires' : 'undetermined', outcome: rule.then ?? null }];
  });
}

/** Decisive ones first, then the strictest, then as they stand: in the policy's order, score and default last. */
function sortReasons(reasons: readonly Reason[]): Reason[] {
  const rank = (reason: Reason) => (reason.outcome === null ? -1 : strictness(reason.outcome));
  return [...reasons].sort((a, b) => Number(b.decisive) - Number(a.decisive) || rank(b) - rank(a));
}
