/** Who reads, and a decision on record -> what of it they may see. Nothing else masks, or shows what this hides. */

import type { DecisionRecord } from '../../audit/query/decision-record.ts';
import { factAt } from '../../decision/meaning/truth.ts';
import type { FactValue } from '../../facts/fact.ts';
import { isMissing } from '../../facts/fact.ts';
import type { NamedList } from '../../policy/arguments.ts';
import { type IdentityFormat, identityOf, isPersonal } from '../../policy/identities.ts';
import type { Caller, Role } from './roles.ts';

/** Who reads; `holds`: whether they hold a case of the decision. */
export interface Reader extends Caller {
  readonly holds: boolean;
}

const has = ({ roles }: Caller, ...any: readonly Role[]) => any.some((role) => roles.includes(role));

/** Whether the reader may see who noted something about a decision, and why. */
export function maySeeWords(reader: Reader): boolean {
  return has(reader, 'audit') || reader.holds;
}

/** The record without the words and names of people whom the reader may not read. */
export function visibleRecord(record: DecisionRecord, reader: Reader): DecisionRecord {
  const isVisible = ({ by }: { readonly by?: string }) => maySeeWords(reader) || by === reader.name;
  const hidden = <Entry extends { readonly by?: string }>(entry: Entry): Entry => {
    const { by: _, why: __, details: ___, ...rest } = { why: undefined, details: undefined, ...entry };
    return isVisible(entry) ? entry : (rest as unknown as Entry);
  };
  return { ...record, notes: record.notes.map(hidden), events: record.events.map(hidden) };
}

/** Whether the reader may be shown the personal facts of a decision, once they said why. */
export function mayReveal(reader: Reader): boolean {
  return has(reader, 'audit') || (has(reader, 'review') && reader.holds);
}

/** Whether the reader may open decisions: who approves policies sees how many there are, and which cases wait. */
export function maySeeDecisions(reader: Caller): boolean {
  return has(reader, 'read', 'review', 'audit');
}

/** Whether the reader may know who has a case: the queue is theirs. */
export function maySeeReviewers(reader: Caller): boolean {
  return has(reader, 'review', 'approve', 'audit');
}

/** Whether the reader may search for a person. */
export function maySearchPeople(reader: Caller): boolean {
  return has(reader, 'audit');
}

/** The entries of a list, which may name people; undefined for a reader who sees their number alone. */
export function visibleEntries({ entries }: NamedList, reader: Caller): NamedList['entries'] | undefined {
  return has(reader, 'edit', 'audit') ? entries : undefined;
}

/** A personal fact that is known. */
export interface MaskedFact {
  readonly path: string;
  readonly text: string;
}

/** The personal facts of a record, masked; none if its facts cannot be read. */
export function maskedFacts({ body }: DecisionRecord): readonly MaskedFact[] {
  if ('closed' in body) return [];
  const { facts, policy } = body;
  return [...policy.facts.keys()].flatMap((path) => {
    const fact = isPersonal(path, policy.facts) ? factAt(facts, path) : undefined;
    if (!fact || isMissing(fact)) return [];
    return [{ path, text: mask(fact.value, identityOf(path, policy.facts)) }];
  });
}

const DOTS = '•••';

/** Enough to tell one from another in a conversation, and too little to know it. */
function mask(value: FactValue, format: IdentityFormat | undefined): string {
  const text = String(value);
  if (format === 'phone' && text.length > 6) return `+${text[0]}${DOTS}${DOTS}${text.slice(-3)}`;
  if (format === 'email') return `${text[0]}${DOTS}@${text.slice(text.lastIndexOf('@') + 1)}`;
  if (format === 'ip' && text.includes('.')) return `${text.slice(0, text.lastIndexOf('.'))}.•`;
  return DOTS;
}
