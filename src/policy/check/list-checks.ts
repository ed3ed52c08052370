/** Entries of lists -> warnings: twice in one list, expired, accepted by one list and rejected by another. */

import { count } from '../../text.ts';
import { isIpBlock, isNamedList, type NamedList } from '../arguments.ts';
import { fold } from '../fold.ts';
import { areActiveTogether, type Condition, type Rule } from '../language.ts';
import { operatorRow } from '../operators.ts';
import { type DeclaredList, type Entry, readFormattedText } from '../read/values/declared-list.ts';
import type { Check } from './context.ts';

/** More of one list, or of two, help nobody. */
const MAX_REPORTED = 10;

export function checkDuplicateEntries({ lists, warn }: Check): void {
  for (const list of lists) {
    if (valuesOf(list.list).size === list.entries.length) continue;
    const repeated = [...entriesByValue(list).values()].flatMap(([first, ...others]) =>
      others.map((other) => ({ other, first })),
    );
    for (const { other, first } of repeated.slice(0, MAX_REPORTED)) {
      const message = `the list "${list.name}" has this entry twice`;
      const days = [first, other].filter((entry) => entry?.written.until !== undefined).length;
      const hint = days > 0 ? 'remove one; the one with the later last day counts, or the one without' : 'remove one';
      const related = first && { at: first.span, message: 'the entry is here too' };
      warn(other.span, 'duplicate-entry', message, hint, related);
    }
  }
}

export function checkExpiredEntries({ lists, day, warn }: Check): void {
  for (const { name, entries } of lists) {
    const expired = entries.filter(({ written: { until } }) => until !== undefined && until < day);
    const more = expired.length > 1 ? `, and so have ${count(expired.length - 1, 'more')} of the list` : '';
    const message = `this entry of the list "${name}" expired on ${expired[0]?.written.until}${more}`;
    warn(expired[0]?.span, 'expired-entry', message, 'remove it, or write a later day');
  }
}

/** A rule that fires whenever a fact is in a list. */
interface Membership {
  readonly rule: Rule;
  readonly fact: string;
  readonly list: string;
}

export function checkConflictingEntries({ policy, lists, day, warn }: Check): void {
  const all = policy.rules.flatMap((rule) => (rule.shadow ? [] : membershipsOf(rule)));
  const byName = new Map(lists.map((list) => [list.name, list]));
  const seen = new Set<string>();
  for (const accept of all.filter(({ rule }) => rule.then === 'accept')) {
    for (const reject of all.filter(({ rule }) => rule.then === 'reject')) {
      const pair = JSON.stringify([accept.list, reject.list]);
      if (!areOpposed(accept, reject) || seen.has(pair)) continue;
      seen.add(pair);
      const [accepted, rejected] = [byName.get(accept.list), byName.get(reject.list)];
      for (const [entry, other] of accepted && rejected ? entriesInBoth(accepted, rejected, day) : []) {
        const what = `the rule "${accept.rule.id}" accepts this entry, and "${reject.rule.id}" rejects it`;
        const message = `${what} as one of the list "${reject.list}": reject decides`;
        const related = { at: other.span, message: 'the other entry is here' };
        warn(entry.span, 'conflicting-entry', message, 'remove it from one of the lists', related);
      }
    }
  }
}

/** The first entries that two lists share on a day, as each list has them. */
function entriesInBoth(one: DeclaredList, other: DeclaredList, day: string): readonly (readonly [Entry, Entry])[] {
  const common = valuesOf(one.list).intersection(valuesOf(other.list));
  if (common.size === 0) return [];
  const [inOne, inOther] = [one, other].map(entriesByValue);
  const counts = ({ written: { until } }: Entry) => until === undefined || until >= day;
  const found = [...common].flatMap((value) => {
    const [entry, against] = [inOne, inOther].map((entries) => entries?.get(value)?.find(counts));
    return entry && against ? [[entry, against] as const] : [];
  });
  return found.slice(0, MAX_REPORTED);
}

/** Whether the reject decides where both rules fire. A final accept is meant to lift rejects that are not final. */
function areOpposed(accept: Membership, reject: Membership): boolean {
  if (accept.fact !== reject.fact || accept.list === reject.list) return false;
  return areActiveTogether(accept.rule, reject.rule) && (reject.rule.final || !accept.rule.final);
}

/** The lists whose members a rule is about, whatever else is known of them. */
function membershipsOf(rule: Rule): readonly Membership[] {
  return sufficient(rule.when).map(({ fact, list }) => ({ rule, fact, list }));
}

function sufficient(condition: Condition): readonly Omit<Membership, 'rule'>[] {
  return fold<readonly Omit<Membership, 'rule'>[]>(condition, {
    test: ({ fact, operator, argument }) => {
      const isMember = operatorRow(operator).negates === undefined;
      return isMember && isNamedList(argument) ? [{ fact, list: argument.name }] : [];
    },
    not: () => [],
    atLeast: (count, parts) => (count === 1 ? parts.flat() : []),
  });
}

/** The values of a list, each once. */
function valuesOf({ entries, blocks }: NamedList): ReadonlySet<string> {
  return new Set([...entries.keys(), ...(blocks?.all.map(({ value }) => value) ?? [])]);
}

/** The entries of each value, in their order. */
function entriesByValue({ entries, format }: DeclaredList): ReadonlyMap<string, readonly Entry[]> {
  return Map.groupBy(entries, ({ written, span }) => {
    // INVARIANT: a policy that is checked has no entry that cannot be read.
    const value = readFormattedText(written.value, span, { path: '', format, takesBlocks: true });
    return value !== undefined && isIpBlock(value) ? value.value : (value ?? '');
  });
}
