/** The result of a row by SQL -> the part of its verdict that needs no facts. */

import type { Outcome, Policy, Rule } from '../../../policy/language.ts';
import type { RuleTruth, Score } from '../../meaning/outcome.ts';
import { TRUE, UNKNOWN } from '../../meaning/truth.ts';
import {
  type DefaultReason,
  type FiredReason,
  giveVerdict,
  type ScoreReason,
  type UndeterminedReason,
  type Verdict,
} from '../../meaning/verdict.ts';

/** The result of a row by `toSql`. */
export interface SqlRow {
  readonly outcome: Outcome;
  /** Rule ids, in the policy's order. */
  readonly fired: readonly string[];
  readonly undetermined: readonly string[];
  readonly scoreLeast: number;
  readonly scoreMost: number;
}

/**
 * A verdict as SQL gives it, with the same keys. It lacks what needs the facts (`message` and `evidence` of
 * rules that fired, `missing` of undetermined ones) and shadow rules.
 */
export interface SqlVerdict {
  readonly outcome: Outcome;
  readonly reasons: readonly (
    | Omit<FiredReason, 'message' | 'evidence'>
    | UndeterminedReason
    | ScoreReason
    | DefaultReason
  )[];
  readonly undetermined: readonly { readonly rule: string; readonly asks: 'review' | null }[];
  readonly score: Score;
}

/** Creates the function that turns a row of a policy's SQL into a verdict. */
export function summariser(policy: Policy): (row: SqlRow) => SqlVerdict {
  const rules = new Map(policy.rules.map((rule, index) => [rule.id, { index, rule: withoutCondition(rule) }]));
  const findAll = (ids: readonly string[], truth: RuleTruth['truth']) =>
    ids.flatMap((id) => {
      const found = rules.get(id);
      return found ? [{ ...found, truth }] : [];
    });
  return (row) => {
    const found = [...findAll(row.fired, TRUE), ...findAll(row.undetermined, UNKNOWN)];
    found.sort((a, b) => a.index - b.index);
    // Without conditions and messages no fact and no day makes a difference.
    const verdict = giveVerdict(policy, found, new Map(), '');
    const { outcome, score } = verdict;
    if (outcome !== row.outcome || score.least !== row.scoreLeast || score.most !== row.scoreMost) {
      throw new Error('the outcome by SQL contradicts its own rules');
    }
    return withoutFacts(verdict);
  };
}

/** The part of a verdict that SQL gives, for comparison. */
export function withoutFacts({ outcome, reasons, undetermined, score }: Verdict): SqlVerdict {
  return {
    outcome,
    reasons: reasons.map((reason) => {
      if (reason.because !== 'fired') return reason;
      const { message: _message, evidence: _evidence, ...rest } = reason;
      return rest;
    }),
    undetermined: undetermined.map(({ rule, asks }) => ({ rule, asks })),
    score,
  };
}

function withoutCondition(rule: Rule): Rule {
  return { ...rule, when: { kind: 'all', of: [] }, message: undefined };
}
