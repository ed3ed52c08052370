/** What SQL says of a row -> the part of the verdict that can be known without the facts. */

import type { Outcome, Policy, Rule } from '../../../policy/language.ts';
import type { Score } from '../../meaning/outcome.ts';
import { TRUE, UNKNOWN } from '../../meaning/truth.ts';
import {
  type DefaultReason,
  type FiredReason,
  giveVerdict,
  type RuleTruth,
  type ScoreReason,
  type UndeterminedReason,
  type Verdict,
} from '../../meaning/verdict.ts';

/** A row of the result of `toSql`. */
export interface SqlRow {
  readonly outcome: Outcome;
  /** Ids of rules, in the policy's order. */
  readonly fired: readonly string[];
  readonly undetermined: readonly string[];
  readonly scoreLeast: number;
  readonly scoreMost: number;
}

/**
 * A verdict as SQL gives it: each key stands where it does in a verdict. What needs the facts is left out, `message` and
 * `evidence` of rules that fired and `missing` of undetermined ones; and so are shadow rules.
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

/** Summarises rows of one policy's SQL. */
export type Summarise = (row: SqlRow) => SqlVerdict;

/** A summariser. Reasons are put together as for any verdict, from rules without conditions. */
export function summariser(policy: Policy): Summarise {
  const places = new Map(policy.rules.map((rule, place) => [rule.id, { place, rule: withoutCondition(rule) }]));
  const findAll = (ids: readonly string[], truth: RuleTruth['truth']) =>
    ids.flatMap((id) => {
      const found = places.get(id);
      return found ? [{ ...found, truth }] : [];
    });
  return (row) => {
    const found = [...findAll(row.fired, TRUE), ...findAll(row.undetermined, UNKNOWN)];
    // Without conditions and messages there is nothing that a fact or a day could change.
    const verdict = giveVerdict(
      policy,
      found.sort((a, b) => a.place - b.place),
      new Map(),
      '',
    );
    const { outcome, score } = verdict;
    if (outcome !== row.outcome || score.least !== row.scoreLeast || score.most !== row.scoreMost) {
      throw new Error('the outcome by SQL is not what its own rules come to');
    }
    return withoutFacts(verdict);
  };
}

/** The part of a verdict that SQL gives. */
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
