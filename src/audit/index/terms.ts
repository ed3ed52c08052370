/** A decision's clear fields, or a filter -> the keys under which the index finds decisions. */

import { hash } from 'node:crypto';
import type { DecisionFields, NoteFields } from '../entry/entry.ts';
import type { Filter, FilteredFields } from '../read/filter.ts';
import { REASON_CRITERIA } from '../read/filter.ts';

const COUNTED_KINDS = ['outcome', 'policyVersion', 'decisive', 'rule', 'openRule', 'missing'] as const;

/** What is counted by day. These kinds have few texts, and the index keeps them. */
export type CountedKind = (typeof COUNTED_KINDS)[number];

/** What a term says of a decision; `open`: a rule was undetermined. */
type TermKind =
  | CountedKind
  | 'policy'
  | 'earlier'
  | 'fired'
  | 'undetermined'
  | 'open'
  | 'disposition'
  | 'subject'
  | 'reference';

/** A kind, and a text, or null for a decision that has none of this kind; `open` has no texts. */
export interface Term<Kind extends TermKind = TermKind> {
  readonly kind: Kind;
  readonly text: string | null;
}

/** The first 63 bits of a digest. Records that two terms share are told apart when they are read. */
export function keyOf({ kind, text }: Term): bigint {
  const digest = hash('sha256', text === null ? kind : `${kind}\0${text}`, 'buffer');
  return digest.readBigUInt64BE() >> 1n;
}

/** The same, which remembers the keys of kinds that have few texts: for what is indexed, not for what is asked. */
export function rememberedKeys(): (term: Term) => bigint {
  const keys = new Map<string, bigint>();
  return (term) => {
    if (term.kind === 'subject' || term.kind === 'reference') return keyOf(term);
    const name = `${term.kind} ${term.text}`;
    const key = keys.get(name) ?? keyOf(term);
    keys.set(name, key);
    return key;
  };
}

const termsOf = <Kind extends TermKind>(kind: Kind, texts: readonly string[]): Term<Kind>[] =>
  [...new Set(texts)].map((text) => ({ kind, text }));

const termsOrNone = <Kind extends TermKind>(kind: Kind, texts: readonly string[]): Term<Kind>[] =>
  texts.length > 0 ? termsOf(kind, texts) : [{ kind, text: null }];

type Indexed = FilteredFields & Pick<DecisionFields, 'missing'>;

/** What a decision is found by, each term once. */
export function termsOfDecision(decision: Indexed): readonly Term[] {
  const { outcome, policy, reasons, codes, rules, undetermined, subjects, reference } = decision;
  return [
    ...termsOf('outcome', [outcome]),
    ...termsOf('policy', [policy.name, policy.digest]),
    ...termsOf('policyVersion', [versionOf(policy)]),
    ...(reasons ? termsOf('decisive', reasons.decisive) : termsOf('earlier', codes ?? [])),
    ...termsOf('fired', reasons?.fired ?? []),
    ...termsOf('undetermined', reasons?.undetermined ?? []),
    ...termsOf('rule', rules),
    ...termsOf('openRule', undetermined),
    ...(undetermined.length > 0 ? [OPEN] : []),
    // Of any form: a search only compares them.
    ...termsOf('subject', Object.entries(subjects ?? {}).map(subjectText)),
    ...(typeof reference === 'string' ? termsOf('reference', [reference]) : []),
  ];
}

const OPEN: Term = { kind: 'open', text: null };

/** What a decision is found by from its first note on: how it was reviewed, and its label. */
export function dispositionTerm(disposition: NoteFields['disposition']): Term {
  return { kind: 'disposition', text: disposition };
}

/** What a decision counts for on its day, each once. */
export function countedOfDecision(decision: Indexed): readonly Term<CountedKind>[] {
  const { outcome, policy, reasons, rules, undetermined, missing } = decision;
  return [
    ...termsOf('outcome', [outcome]),
    ...termsOf('policyVersion', [versionOf(policy)]),
    ...(reasons ? termsOrNone('decisive', reasons.decisive) : []),
    ...termsOrNone('rule', rules),
    ...termsOrNone('openRule', undetermined),
    ...termsOf('missing', missingTexts(missing)),
  ];
}

function versionOf({ name, version }: Indexed['policy']): string {
  return `${name}@${version}`;
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

/** A criterion: a decision has one of these terms. */
export type Criterion = readonly Term[];

/** The criteria of a filter but for its times. INVARIANT: what `passes` accepts, or cannot tell, meets all of them. */
export function criteriaOf(filter: Filter): readonly Criterion[] {
  const { outcomes, rules, policies, undetermined, dispositions, subject, reference } = filter;
  const reasons = Object.entries(REASON_CRITERIA).flatMap(([criterion, list]): Criterion[] => {
    const wanted = filter[criterion as keyof typeof REASON_CRITERIA];
    return wanted ? [[...termsOf(list, wanted), ...termsOf('earlier', wanted)]] : [];
  });
  const criteria: readonly (Criterion | undefined)[] = [
    subject?.hashes.flatMap((digest) => termsOf('subject', [subjectText([subject.variable, digest])])),
    reference && termsOf('reference', reference),
    ...reasons,
    rules && termsOf('rule', rules),
    undetermined === true ? [OPEN] : undetermined && termsOf('openRule', undetermined),
    dispositions?.map(dispositionTerm),
    outcomes && termsOf('outcome', outcomes),
    policies && [...termsOf('policy', policies), ...termsOf('policyVersion', policies)],
  ];
  return criteria.filter((each) => each !== undefined);
}

/** Whether a filter asks for reasons, which an earlier record has in no role. */
export function asksForReasons(filter: Filter): boolean {
  return Object.keys(REASON_CRITERIA).some((criterion) => filter[criterion as keyof typeof REASON_CRITERIA]);
}

/** Whether records that have a term have reasons in no role: 1 if so; undefined if the term does not tell. */
export function earlierBy({ kind }: Term): 0 | 1 | undefined {
  if (kind === 'earlier') return 1;
  return Object.values<TermKind>(REASON_CRITERIA).includes(kind) ? 0 : undefined;
}
