/** A decision -> the fields of its record that stay unencrypted, so that it can be searched without keys. */

import type { Decision } from '../../decision/decision.ts';
import { dayOfInstant } from '../../facts/day.ts';
import type { DecisionFields, RecordedOutcome } from './entry.ts';

/** The fields that can be searched without keys. */
export type SearchableFields = Pick<
  DecisionFields,
  'at' | 'id' | 'outcome' | 'codes' | 'rules' | 'undetermined' | 'causes' | 'policy' | 'mapping' | 'engine'
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
  const causes = [
    ...Object.values(signals.missing),
    ...undetermined.flatMap(({ missing }) => missing.map(({ cause }) => cause)),
  ];
  return {
    at: decidedAt,
    id,
    outcome: recordedOutcome({ outcome, signals }),
    codes: sorted(reasons.map(({ code }) => code)),
    rules: reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.rule] : [])),
    undetermined: undetermined.map(({ rule }) => rule),
    causes: sorted(causes),
    policy: { name, version, digest },
    mapping,
    engine,
  };
}

/** What the record says in clear: the outcome, unless nobody was given it. */
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
