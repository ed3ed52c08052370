/** The truth of every rule, and the facts -> the verdict with its reasons (policy language, "The verdict"). */

import type { Facts } from '../../facts/fact.ts';
import { asksWhenUnknown, type Outcome, type Policy, type Rule } from '../../policy/language.ts';
import { renderMessage } from '../../policy/read/message.ts';
import { type Evidence, gatherEvidence, gatherMissing, type MissingEvidence } from './evidence.ts';
import { type Score, settle, strictness } from './outcome.ts';
import { TRUE, type UNKNOWN } from './truth.ts';

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

/** A rule that fired, or is undetermined. */
export interface RuleTruth {
  readonly rule: Rule;
  readonly truth: typeof TRUE | typeof UNKNOWN;
}

/** The verdict, where these active rules fired or are undetermined, in the policy's order, and all others are false. */
export function giveVerdict(policy: Policy, found: readonly RuleTruth[], facts: Facts, day: string): Verdict {
  const counted = found.some(({ rule }) => rule.shadow) ? found.filter(({ rule }) => !rule.shadow) : found;
  const { outcome, decidedBy, score, bandAbove, isDefaultAsked, isOtherAsked } = settle(policy, counted);
  const isDecisive = (asked: Outcome | null, rule?: Rule) => (decidedBy ? rule === decidedBy : asked === outcome);
  const reasons: Reason[] = [];
  const undetermined: UndeterminedRule[] = [];
  for (const { rule, truth } of counted) {
    if (truth === TRUE) {
      const asked = rule.then ?? null;
      reasons.push(firedReason(rule, isDecisive(asked, rule), facts, day));
    } else {
      const asks = asksWhenUnknown(rule);
      const decisive = isDecisive(asks, rule);
      if (asks) reasons.push({ because: 'undetermined', rule: rule.id, code: rule.reason, outcome: asks, decisive });
      undetermined.push({ rule: rule.id, asks, missing: gatherMissing(rule.when, facts, day) });
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
  const shadow = counted === found ? [] : found.filter(({ rule }) => rule.shadow).map(shadowResult);
  return { outcome, reasons: sortReasons(reasons), undetermined, score, shadow };
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
    ...(notice === undefined ? {} : { notice }),
    evidence,
  };
}

/** A shadow rule that fires or is undetermined. */
function shadowResult({ rule, truth }: RuleTruth): ShadowResult {
  return { rule: rule.id, result: truth === TRUE ? 'fires' : 'undetermined', outcome: rule.then ?? null };
}

/** Decisive ones first, then the strictest, then as they stand: in the policy's order, score and default last. */
function sortReasons(reasons: Reason[]): Reason[] {
  const rank = (reason: Reason) => (reason.outcome === null ? -1 : strictness(reason.outcome));
  return reasons.sort((a, b) => Number(b.decisive) - Number(a.decisive) || rank(b) - rank(a));
}
