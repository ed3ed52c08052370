/** A decision and its facts -> what its record says in clear, and its body, which is sealed; and back. */

import type { AuditEntry } from '../decision/audit.ts';
import type { Decision } from '../decision/decide.ts';
import { canonicalJson } from '../digest.ts';
import { dayOfInstant } from '../facts/day.ts';
import type { Fact, Facts } from '../facts/fact.ts';
import type { DecisionFields } from './line.ts';

/** What can be searched without the keys. */
export type ClearFields = Pick<
  DecisionFields,
  'at' | 'id' | 'outcome' | 'codes' | 'rules' | 'undetermined' | 'causes' | 'policy' | 'mapping' | 'engine'
>;

/** What a decision's record says in clear. */
export function clearFields({
  id,
  decidedAt,
  outcome,
  reasons,
  undetermined,
  policy,
  mapping,
  engine,
  signals,
}: Decision): ClearFields {
  const { name, version, digest } = policy;
  const causes = [
    ...Object.values(signals.missing),
    ...undetermined.flatMap(({ missing }) => missing.map(({ cause }) => cause)),
  ];
  return {
    at: decidedAt,
    id,
    outcome,
    codes: sorted(reasons.map(({ code }) => code)),
    rules: reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.rule] : [])),
    undetermined: undetermined.map(({ rule }) => rule),
    causes: sorted(causes),
    policy: { name, version, digest },
    mapping,
    engine,
  };
}

function sorted(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

/** What a record's body holds. */
export interface DecisionBody {
  readonly decision: Decision;
  readonly facts: Facts;
}

/** The body as a text: canonical JSON. */
export function bodyText({ decision, facts }: Pick<AuditEntry, 'decision' | 'facts'>): string {
  return canonicalJson({ decision, facts: Object.fromEntries(facts) });
}

/** The body of JSON data. INVARIANT: it is that of a record that verifies. */
export function readBody(data: unknown): DecisionBody {
  const { decision, facts } = data as { decision: Decision; facts: Record<string, Fact> };
  return { decision, facts: new Map(Object.entries(facts)) };
}

/** The day that a decision was made on, yyyy-MM-dd. */
export function dayOf({ decidedAt }: Pick<Decision, 'decidedAt'>): string {
  return dayOfInstant(Date.parse(decidedAt));
}
