/** A viewer and a decision on record -> what of it they may see. Nothing else masks, or shows what this hides. */

import { keepPolicy, type OpenAuditLog } from '../../audit/log.ts';
import type { DecisionRecord, RecordedDecision } from '../../audit/query/decision-record.ts';
import type { DecisionInputs } from '../../decision/decision.ts';
import { ANOTHER_VALUE, NOT_SHOWN } from '../../decision/explain/describe-change.ts';
import { explain } from '../../decision/explain/explain.ts';
import type { Explanation, NeededFact, Retry } from '../../decision/explain/explanation.ts';
import { factAt } from '../../decision/meaning/truth.ts';
import type { FactValue } from '../../facts/fact.ts';
import { isMissing, shownValue } from '../../facts/fact.ts';
import { isNamedList } from '../../policy/arguments.ts';
import { type IdentityFormat, identityOf, isPersonal } from '../../policy/identities.ts';
import { type Outcome, testsOf } from '../../policy/language.ts';
import { nameOfFact } from '../../report/words/fact-states.ts';
import { type Caller, hasRole, OF_QUEUE, READERS, type Role } from './roles.ts';

/** Who looks at a decision; `holds`: whether they hold its case. */
export interface Viewer extends Caller {
  readonly holds: boolean;
}

const has = (viewer: Caller, ...any: readonly Role[]) => hasRole(viewer, any);

/** Whether the viewer may see who noted something about a decision, and why. */
export function maySeeWords(viewer: Viewer): boolean {
  return has(viewer, 'audit') || viewer.holds;
}

/** The record without the words and names of people that the viewer may not see. */
export function visibleRecord(record: DecisionRecord, viewer: Viewer): DecisionRecord {
  const isVisible = ({ by }: { readonly by?: string }) => maySeeWords(viewer) || by === viewer.name;
  return {
    ...record,
    notes: record.notes.map((note) => (isVisible(note) ? note : withoutWords(note))),
    events: record.events.map((event) => (isVisible(event) ? event : withoutWords(event))),
  };
}

function withoutWords<Entry extends object>(entry: Entry & { by?: unknown; why?: unknown; details?: unknown }) {
  const { by: _, why: __, details: ___, ...others } = entry;
  return others;
}

/** Whether the viewer may be shown the personal facts of a decision, once they said why. */
export function mayReveal(viewer: Viewer): boolean {
  return has(viewer, 'audit') || (has(viewer, 'review') && viewer.holds);
}

/** Whether the viewer may open decisions: who approves policies sees how many there are, and which cases wait. */
export function maySeeDecisions(viewer: Caller): boolean {
  return hasRole(viewer, READERS);
}

/** Whether the viewer may know who has a case: the queue is theirs. */
export function maySeeReviewers(viewer: Caller): boolean {
  return hasRole(viewer, OF_QUEUE);
}

/** Whether the viewer may search for a person. */
export function maySearchPeople(viewer: Caller): boolean {
  return has(viewer, 'audit');
}

/** Whether the viewer may see the entries of lists, which may name people, and not their number alone. */
export function maySeeEntries(viewer: Caller): boolean {
  return has(viewer, 'edit', 'audit');
}

/** Explains a decision on record, without what the entries of lists are for a viewer who may not see them. */
export async function explainTo(
  viewer: Caller,
  { policy, facts, day, mapping }: RecordedDecision,
  to: Outcome,
): Promise<Explanation> {
  const explanation = await explain(policy, facts, day, { to, mapping });
  if (maySeeEntries(viewer)) return explanation;
  const tests = policy.rules.flatMap(({ when }) => [...testsOf(when)]);
  const listed = new Set(tests.flatMap(({ fact, argument }) => (isNamedList(argument) ? fact : [])));
  const hide = (needed: NeededFact): NeededFact => {
    if (!listed.has(needed.fact)) return needed;
    const needs = needed.needs.includes(String(needed.example)) ? ANOTHER_VALUE : needed.needs;
    return { ...needed, needs, example: NOT_SHOWN };
  };
  const inRetry = (retry: Retry): Retry => ({ ...retry, needs: retry.needs.map(hide) });
  const { changes, failedSources, retry } = explanation;
  return {
    ...explanation,
    changes: { ...changes, sets: changes.sets.map((set) => set.map(hide)) },
    failedSources: failedSources.map((source) => ({ ...source, retry: inRetry(source.retry) })),
    ...(retry ? { retry: inRetry(retry) } : {}),
  };
}

/**
 * A policy's digest for those without the keys of the log: the one that records have. With its own digest and the rest
 * of the policy, anyone could try whom it names; where no log has another form of it, it is hashed with a key.
 */
export async function shownDigest(
  used: DecisionInputs,
  { audit, hash }: { readonly audit: OpenAuditLog | undefined; readonly hash: (text: string) => string },
): Promise<string> {
  const archived = audit && (await keepPolicy(audit, used).catch(() => undefined));
  return archived ?? `keyed:${hash(used.policy.digest)}`;
}

/** The personal facts of a record, masked unless they were revealed; none if its facts cannot be read. */
export function personalFacts({ body }: DecisionRecord, isRevealed: boolean) {
  if ('closed' in body) return [];
  const { facts, policy } = body;
  return [...policy.facts.keys()].flatMap((path) => {
    const fact = isPersonal(path, policy.facts) ? factAt(facts, path) : undefined;
    if (!fact || isMissing(fact)) return [];
    const text = isRevealed ? String(shownValue(fact)) : mask(fact.value, identityOf(path, policy.facts));
    return [{ path, text, name: nameOfFact(path, policy.facts) }];
  });
}

const DOTS = '•••';

/** A network of so many bits has at least 256 addresses. */
const MOST_BITS = 24;

/** What applications are counted by, as far as it may be shown to all: a domain and a network name no one. */
export function maskedAs(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const [, bits = 32] = /^ip\/(\d+)$/.exec(name) ?? [];
  if (name === 'emailDomain' || Number(bits) <= MOST_BITS) return value;
  const format = name === 'mailbox' ? 'email' : name === 'phoneNo' ? 'phone' : name;
  return format === 'phone' || format === 'email' || format === 'ip' ? mask(value, format) : undefined;
}

/** Enough to tell one from another in a conversation, and too little to know it. */
function mask(value: FactValue, format: IdentityFormat | undefined): string {
  const text = String(value);
  if (format === 'phone' && text.length > 6) return `+${text[0]}${DOTS}${DOTS}${text.slice(-3)}`;
  if (format === 'email') return `${text[0]}${DOTS}@${DOTS}`;
  if (format === 'ip' && text.includes('.')) return `${text.slice(0, text.lastIndexOf('.'))}.•`;
  return DOTS;
}
