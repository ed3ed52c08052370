/** A decision's clear fields -> the terms under which the index finds and counts it, and the keys of terms. */

import { hash } from 'node:crypto';
import { type DecisionFields, REASON_LISTS } from '../entry/entry.ts';
import { CRITERIA, TERMS } from '../read/criteria.ts';
import type { Term } from '../read/filter.ts';
import type { ClearFields } from '../read/search-entry.ts';

/** What is counted by day. These kinds have few texts, and the index keeps them. */
export type CountedKind = 'outcome' | 'policyVersion' | 'decisive' | 'rule' | 'openRule' | 'missing';

/** The first 63 bits of a digest. Records that two terms share are told apart when they are read. */
export function keyOf({ kind, text }: Term): bigint {
  const digest = hash('sha256', text === null ? kind : `${kind}\0${text}`, 'buffer');
  return digest.readBigUInt64BE() >> 1n;
}

/** The same, which remembers the keys of kinds that have few texts: for what is indexed, not for what is asked. */
export function rememberedKeys(): (term: Term) => bigint {
  const keys = new Map<string, bigint>();
  return (term) => {
    if (term.kind in CRITERIA.subject.terms || term.kind in CRITERIA.reference.terms) return keyOf(term);
    const name = `${term.kind} ${term.text}`;
    const key = keys.get(name) ?? keyOf(term);
    keys.set(name, key);
    return key;
  };
}

function termsOf<Kind extends string>(kind: Kind, texts: readonly (string | null)[] = []): Term<Kind>[] {
  return [...new Set(texts)].map((text) => ({ kind, text }));
}

/** What a decision is found by, each term once; what people say of it comes with its notes. */
export function termsOfDecision(decision: ClearFields): readonly Term[] {
  return Object.entries(TERMS).flatMap(([kind, textsOf]) => termsOf(kind, textsOf(decision, {})));
}

/** What a decision counts for on its day, each once; null where it has none of a kind. */
export function countedOfDecision(decision: ClearFields): readonly Term<CountedKind>[] {
  const counted = (kind: CountedKind, none: readonly null[] = []) => {
    const texts = TERMS[kind]?.(decision, {}) ?? [];
    return termsOf(kind, texts.length > 0 ? texts : none);
  };
  return [
    ...counted('outcome'),
    ...counted('policyVersion'),
    ...(decision.reasons ? counted('decisive', [null]) : []),
    ...counted('rule', [null]),
    ...counted('openRule', [null]),
    ...termsOf('missing', missingTexts(decision.missing)),
  ];
}

/** `sourceFailed email.darkWeb`: why, and the group of the facts that are missing, which come together. */
function missingTexts(missing: DecisionFields['missing']): readonly string[] {
  return Object.entries(missing).flatMap(([cause, facts = []]) =>
    facts.map((fact) => `${cause} ${fact.includes('.') ? fact.slice(0, fact.lastIndexOf('.')) : fact}`),
  );
}

/** Whether records that have a term have reasons in no role: 1 if so; undefined if the term does not tell. */
export function earlierBy({ kind }: Term): 0 | 1 | undefined {
  if (kind === 'earlier') return 1;
  return REASON_LISTS.some((list) => list === kind) ? 0 : undefined;
}
