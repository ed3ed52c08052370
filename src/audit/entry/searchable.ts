/** A decision -> the fields of its record that stay unencrypted, so that it can be searched without keys. */

import { isDeepStrictEqual } from 'node:util';
import type { Decision } from '../../decision/decision.ts';
import {
  type BodyEntry,
  type DecisionFields,
  MISSING_CAUSES,
  type MissingFacts,
  type ReasonCodes,
  type RecordedOutcome,
} from './entry.ts';

/** The fields that can be searched without keys. */
export type SearchableFields = Pick<
  DecisionFields,
  'at' | 'id' | 'outcome' | 'reasons' | 'codes' | 'rules' | 'undetermined' | 'missing' | 'policy' | 'mapping' | 'engine'
>;

/** The searchable fields of a decision, in the present form. */
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
}: Decision): Omit<SearchableFields, 'codes'> & Required<Pick<SearchableFields, 'reasons'>> {
  const { name, version, digest } = policy;
  return {
    at: decidedAt,
    id,
    outcome: recordedOutcome({ outcome, signals }),
    reasons: reasonCodes(reasons),
    rules: reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.rule] : [])),
    undetermined: undetermined.map(({ rule }) => rule),
    missing: missingFacts({ signals, undetermined }),
    policy: { name, version, digest },
    mapping,
    engine,
  };
}

/** The codes by what they did. A code of several reasons may be in several lists. */
function reasonCodes(reasons: Decision['reasons']): ReasonCodes {
  const codesOf = (state: keyof ReasonCodes) =>
    sorted(reasons.flatMap((reason) => (stateOf(reason) === state ? [reason.code] : [])));
  return { decisive: codesOf('decisive'), fired: codesOf('fired'), undetermined: codesOf('undetermined') };
}

function stateOf({ because, code, decisive }: Decision['reasons'][number]): keyof ReasonCodes {
  if (because === 'undetermined' || (because === 'score' && code === 'SCORE_UNDETERMINED')) return 'undetermined';
  return decisive ? 'decisive' : 'fired';
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
export function recordedOutcome({
  outcome,
  signals,
}: Pick<Decision, 'outcome'> & Partial<Pick<Decision, 'signals'>>): RecordedOutcome {
  return signals?.warnings.some(({ code }) => code === 'DECISION_ABORTED') ? 'aborted' : outcome;
}

function sorted(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

/** Whether the clear fields of a record agree with the decision in its body. */
export function matchesDecision(entry: BodyEntry, decision: Decision): boolean {
  const clear = new Map<string, unknown>(Object.entries(entry));
  const { reasons, ...fields } = searchableFields(decision);
  // A record of the earlier form has all codes in one list.
  const expected = clear.has('codes')
    ? { ...fields, codes: sorted(Object.values(reasons).flat()) }
    : { ...fields, reasons };
  return Object.entries(expected).every(([name, value]) => isDeepStrictEqual(clear.get(name), value));
}
