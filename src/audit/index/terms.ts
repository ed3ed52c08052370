/** A decision's clear fields, or a filter -> the keys under which the index finds decisions. */

import { hash } from 'node:crypto';
import type { DecisionFields } from '../entry/entry.ts';
import type { Filter, FilteredFields } from '../query/filter.ts';
import { REASON_CRITERIA } from '../query/filter.ts';

/** What a term says of a decision. Those of `COUNTED` are counted by day. */
type TermKind =
  | 'outcome'
  | 'policy'
  | 'policyVersion'
  | 'decisive'
  | 'fired'
  | 'undetermined'
  | 'earlier'
  | 'rule'
  | 'openRule'
  | 'missing'
  | 'subject'
  | 'reference';

/** What a decision is found by: a kind, and a text, or null for a decision that has none of this kind. */
export interface Term {
  readonly kind: TermKind;
  readonly text: string | null;
}

const COUNTED_KINDS = ['outcome', 'policyVersion', 'decisive', 'rule', 'openRule', 'missing'] as const;

/** The kinds of terms that are counted by day. */
export type CountedKind = (typeof COUNTED_KINDS)[number];

/** The kinds that have few texts. The index keeps the texts of these alone. */
export const COUNTED: ReadonlySet<TermKind> = new Set<TermKind>([...COUNTED_KINDS]);

/** The first 63 bits of a digest. Records that two terms share are told apart when they are read. */
export function keyOf({ kind, text }: Term): bigint {
  const digest = hash('sha256', text === null ? kind : `${kind}\0${text}`, 'buffer');
  return digest.readBigUInt64BE() >> 1n;
}

const termsOf = (kind: TermKind, texts: readonly string[]): Term[] => texts.map((text) => ({ kind, text }));

const termsOrNone = (kind: TermKind, texts: readonly string[]): Term[] =>
  texts.length > 0 ? termsOf(kind, texts) : [{ kind, text: null }];

/** All terms of a decision, each once. */
export function termsOfDecision(decision: FilteredFields & Pick<DecisionFields, 'missing'>): readonly Term[] {
  const { outcome, policy, reasons, codes, rules, undetermined, missing, subjects, reference } = decision;
  const version = `${policy.name}@${policy.version}`;
  return [
    ...termsOf('outcome', [outcome]),
    ...termsOf('policy', [...new Set([policy.name, policy.digest])]),
    ...termsOf('policyVersion', [version]),
    ...(reasons ? termsOrNone('decisive', unique(reasons.decisive)) : termsOf('earlier', unique(codes ?? []))),
    ...termsOf('fired', unique(reasons?.fired ?? [])),
    ...termsOf('undetermined', unique(reasons?.undetermined ?? [])),
    ...termsOrNone('rule', unique(rules)),
    ...termsOrNone('openRule', unique(undetermined)),
    ...termsOf('missing', unique(missingTexts(missing))),
    // Of any form: a search only compares them.
    ...termsOf('subject', Object.entries(subjects ?? {}).map(subjectText)),
    ...(typeof reference === 'string' ? termsOf('reference', [reference]) : []),
  ];
}

/** `sourceFailed email.darkWeb`: why, and the group of the facts that are missing, which come together. */
function missingTexts(missing: DecisionFields['missing']): readonly string[] {
  return Object.entries(missing).flatMap(([cause, facts = []]) =>
    facts.map((fact) => `${cause} ${fact.includes('.') ? fact.slice(0, fact.lastIndexOf('.')) : fact}`),
  );
}

function subjectText([variable, digest]: readonly [string, unknown]): string {
  return `${variable}\0${digest}`;
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

/** A criterion: a decision has one of `any`, or, if `isNone`, does not have the one of `any`. */
export interface Criterion {
  readonly any: readonly Term[];
  readonly isNone?: true;
}

/** The criteria of a filter but for its times. INVARIANT: what `passes` accepts, or cannot tell, meets all of them. */
export function criteriaOf(filter: Filter): readonly Criterion[] {
  const { outcomes, rules, policies, undetermined, subject, reference } = filter;
  const reasons = Object.entries(REASON_CRITERIA).flatMap(([criterion, list]): Criterion[] => {
    const wanted = filter[criterion as keyof typeof REASON_CRITERIA];
    return wanted ? [{ any: [...termsOf(list, wanted), ...termsOf('earlier', wanted)] }] : [];
  });
  const criteria: readonly (Criterion | undefined)[] = [
    subject && {
      any: termsOf(
        'subject',
        subject.hashes.map((digest) => subjectText([subject.variable, digest])),
      ),
    },
    reference && { any: termsOf('reference', reference) },
    ...reasons,
    rules && { any: termsOf('rule', rules) },
    undetermined === true
      ? { any: [{ kind: 'openRule', text: null }], isNone: true }
      : undetermined && { any: termsOf('openRule', undetermined) },
    outcomes && { any: termsOf('outcome', outcomes) },
    policies && { any: [...termsOf('policy', policies), ...termsOf('policyVersion', policies)] },
  ];
  return criteria.filter((each) => each !== undefined);
}

/** Whether a filter asks for reasons, which an earlier record has in no role. */
export function asksForReasons(filter: Filter): boolean {
  return Object.keys(REASON_CRITERIA).some((criterion) => filter[criterion as keyof typeof REASON_CRITERIA]);
}
