/** A decision on record -> the others that share something with it, and which of them its velocities counted. */

import { identityIn } from '../../decision/application.ts';
import { velocitiesIn } from '../../facts/velocity.ts';
import type { IdentityVariable } from '../../signals/variables.ts';
import { homeOf } from '../home.ts';
import type { LogIndex } from '../index/log-index.ts';
import { readIndexKeys } from '../keys/key-folder.ts';
import { type IndexKey, linksOf, subjectsOf } from '../keys/subject.ts';
import { type LogPlace, readLog } from '../place.ts';
import { subjectText, TERMS } from '../read/criteria.ts';
import type { Filter, Term } from '../read/filter.ts';
import { type Judged, judgementOf } from '../read/judgement.ts';
import { countsOf, type ReadCount } from './counted.ts';
import type { DecisionRecord } from './decision-record.ts';
import { type DecisionEntry, inTime, readDecisionsAbout } from './search-index.ts';

/** What decisions share, by its name: an identity variable, `mailbox`, or another key of a velocity. */
export interface Shared {
  readonly name: string;
  /** How many others were made until the decision, and later; up to `MOST_TOLD`. */
  readonly before: number;
  readonly later: number;
}

/** Another decision. */
export interface LinkedDecision extends Pick<DecisionEntry, 'id' | 'at' | 'outcome'>, Judged {
  /** The names of what it shares, in the order of `Linked.shared`. */
  readonly shares: readonly string[];
  readonly isLater: boolean;
  readonly isErased: boolean;
  /** Whether it has the same reference. */
  readonly isSameReference: boolean;
  /** The paths of the velocities that counted its application, of which it is the first decision. */
  readonly countedBy: readonly string[];
}

export interface Linked {
  readonly shared: readonly Shared[];
  /** The newest of each name, and those that were counted; the newest first. */
  readonly decisions: readonly LinkedDecision[];
  readonly counts: readonly ReadCount[];
}

/** Decisions of one name, before and after, that are counted; and the newest of them that are listed. */
const [MOST_TOLD, MOST_LISTED] = [1000, 50];

/**
 * By keyed hashes: those of the record, and of what its body says under each index key. Rejects with AUDIT_FAILED if a
 * line cannot be read.
 */
export async function linkedOf(
  { record, body }: Pick<DecisionRecord, 'record' | 'body'>,
  { place, index }: { readonly place: LogPlace; readonly index: LogIndex },
): Promise<Linked> {
  const home = await homeOf(place);
  const readKeys = async () => readIndexKeys(home.keys, (await readLog(home.log)).log);
  const [keys] = await Promise.all([readKeys(), index.catchUp()]);
  const terms = termsOf(record, body, keys);
  const search = async (filter: Filter) => {
    const { found, total } = await index.search({ filter, limit: MOST_LISTED + 1, mostCounted: MOST_TOLD + 1 });
    return { ids: found.flatMap(({ id }) => (id === record.id ? [] : [id])), total };
  };
  const next = new Date(Date.parse(record.at) + 1).toISOString();
  const naming = Promise.all(
    [...terms].map(async ([name, sought]) => {
      const [before, later] = await Promise.all([
        search({ sought: [sought], to: record.at }),
        search({ sought: [sought], from: next }),
      ]);
      const ids = [before, later].flatMap((each) => each.ids.slice(0, MOST_LISTED));
      return { name, before: Math.max(0, before.total - 1), later: Math.min(MOST_TOLD, later.total), ids };
    }),
  );
  const counting = 'closed' in body ? [] : countsOf(record, body, { home, index, terms });
  const [named, counts] = await Promise.all([naming, counting]);
  const ids = new Set([...named, ...counts].flatMap((each) => ('ids' in each ? each.ids : each.decisions)));
  const decisions = (await readDecisionsAbout(index, [...ids])).map(({ entry, notes, isErased }): LinkedDecision => {
    const { id, at, outcome } = entry;
    const { review, label } = judgementOf(notes);
    return {
      ...{ id, at, outcome, isErased, isLater: at > record.at, isSameReference: entry.reference === record.reference },
      ...(review ? { review: review.disposition } : {}),
      ...(label ? { label: label.disposition } : {}),
      shares: [...terms].flatMap(([name, own]) =>
        own.some(({ kind, text }) => TERMS[kind]?.(entry, {}).includes(text)) ? [name] : [],
      ),
      countedBy: counts.flatMap((count) => (count.decisions.includes(id) ? [count.path] : [])),
    };
  });
  return {
    shared: named.map(({ ids: _, ...shared }) => shared),
    // Two terms may have one key.
    decisions: decisions.filter(({ shares }) => shares.length > 0).sort((one, other) => inTime(other, one)),
    counts,
  };
}

/** What a record is linked by, by its name. Older records have no links, and an index key may be a new one. */
function termsOf(record: DecisionEntry, body: DecisionRecord['body'], keys: readonly IndexKey[]) {
  const all = [{ subjects: record.subjects, links: record.links ?? {} }];
  if (!('closed' in body)) {
    const { facts, policy } = body;
    const identity = Object.entries(identityIn(facts)).filter(([name]) => Object.hasOwn(record.subjects, name));
    const variables = new Map(identity as [IdentityVariable, string][]);
    for (const key of keys) {
      const links = linksOf(facts, velocitiesIn(policy.facts), record.subjects, key);
      all.push({ subjects: subjectsOf(variables, key), links });
    }
  }
  const terms = new Map<string, Term[]>();
  for (const [kind, hashes] of all.flatMap(
    ({ subjects, links }) =>
      [
        ['subject', subjects],
        ['link', links],
      ] as const,
  )) {
    for (const [name, hash] of Object.entries(hashes)) {
      const text = subjectText(name, hash);
      const known = terms.get(name) ?? [];
      if (!known.some((term) => term.text === text)) terms.set(name, [...known, { kind, text }]);
    }
  }
  return terms;
}
