/** A decision -> the fields of its record that stay unencrypted, so that it can be searched without keys. */

import { isDeepStrictEqual } from 'node:util';
import type { Decision } from '../../decision/decision.ts';
import { dayOfInstant } from '../../facts/day.ts';
import {
  type BodyEntry,
  type DecisionFields,
  MISSING_CAUSES,
  type MissingFacts,
  type RecordedOutcome,
} from './entry.ts';

/** The fields that can be searched without keys. */
export type SearchableFields = Pick<
  DecisionFields,
  'at' | 'id' | 'outcome' | 'codes' | 'rules' | 'undetermined' | 'missing' | 'policy' | 'mapping' | 'engine'
>;

/** The searchable fields of a decision. */
export function searchableFields({
  id,
  decidedAt,
  outcome,
  reasons,
  undetermined,
  policy,
  mapping,
  engine,
  signals,
}: Decision): SearchableFields {
  const { name, version, digest } = policy;
  return {
    at: decidedAt,
    id,
    outcome: recordedOutcome({ outcome, signals }),
    codes: sorted(reasons.map(({ code }) => code)),
    rules: reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.rule] : [])),
    undetermined: undetermined.map(({ rule }) => rule),
    missing: missingFacts({ signals, undetermined }),
    policy: { name, version, digest },
    mapping,
    engine,
  };
}

/** The facts that the policy reads and that were missing, by their causes. */
function missingFacts({ signals, undetermined }: Pick<Decision, 'signals' | 'undetermined'>): MissingFacts {
  const found = [
    ...Object.entries(signals.missing).map(([fact, cause]) => ({ fact, cause })),
    ...undetermined.flatMap(({ missing }) => missing),
  ];
  return Object.fromEntries(
    MISSING_CAUSES.flatMap((cause) => {
      const facts = found.flatMap((each) => (each.cause === cause ? [each.fact] : []));
      return facts.length === 0 ? [] : [[cause, sorted(facts)]];
    }),
  );
}

/** What the record says in clear: the outcome, or that no decision was returned. */
export function recordedOutcome({ outcome, signals }: Pick<Decision, 'outcome'> & Partial<Decision>): RecordedOutcome {
  return signals?.warnings.some(({ code }) => code === 'DECISION_ABORTED') ? 'aborted' : outcome;
}

function sorted(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

/** The day of a decision, yyyy-MM-dd. */
export function dayOf({ at }: Pick<DecisionFields, 'at'>): string {
  return dayOfInstant(Date.parse(at));
}

/** Whether the clear fields of a record agree with the decision in its body. */
export function matchesDecision(entry: BodyEntry, decision: Decision): boolean {
  const clear = new Map<string, unknown>(Object.entries(entry));
  return Object.entries(searchableFields(decision)).every(([name, value]) => isDeepStrictEqual(clear.get(name), value));
}
