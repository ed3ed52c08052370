/** The lists of two policies -> a sentence for each list and for its entries that were added, removed or limited. */

import type { Place } from '../../../diagnostics.ts';
import { isPersonal } from '../../../policy/identities.ts';
import { type Policy, testsOf } from '../../../policy/language.ts';
import { isNamedList, type NamedList } from '../../../policy/operators.ts';
import { entriesOf, listKey } from '../../../policy/sameness.ts';
import { placeOfEntry } from '../../../policy/source-map.ts';
import { changesOf, editOf, type PolicyEdit } from './edit.ts';
import type { Version } from './written.ts';

/** The edits of lists, by list. */
export function listEdits(old: Version, now: Version): readonly PolicyEdit[] {
  const isShown = shownLists([old.policy, now.policy]);
  const isEqual = (one: NamedList, other: NamedList) => listKey(one) === listKey(other);
  return changesOf(old.policy.lists, now.policy.lists, isEqual).flatMap(({ name, old: before, now: after }) => {
    const path = ['lists', name];
    if (!before && after) {
      return [editOf('added', path, `list ${name} is new: ${amount(entriesOf(after).size)}`)];
    }
    if (before && !after) {
      return [editOf('removed', path, `list ${name} is removed: ${amount(entriesOf(before).size)}`)];
    }
    if (!before || !after) return [];
    const written = new Map([old, now].flatMap(({ written: { entries } }) => [...(entries.get(name) ?? [])]));
    const show = (entry: string) => (isShown(name) ? (written.get(entry) ?? entry) : undefined);
    return entryEdits(name, before, after, show);
  });
}

/** `show` gives an entry as written; undefined if it may be personal. */
function entryEdits(
  name: string,
  old: NamedList,
  now: NamedList,
  show: (entry: string) => string | undefined,
): readonly PolicyEdit[] {
  const changes = changesOf(lastDaysOf(old), lastDaysOf(now), (one, other) => one === other);
  const groups = Map.groupBy(changes, ({ old: before, now: after }) =>
    before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
  );
  return [...groups].map(([kind, own]) => {
    const [first] = own;
    const isOne = own.length === 1;
    const shown = first && show(first.name);
    const which = isOne && shown !== undefined ? `entry ${shown}` : amount(own.length);
    const what = {
      added: isOne ? 'is new' : 'are new',
      removed: isOne ? 'is removed' : 'are removed',
      changed: isOne ? `${untilWords(first?.old)} is now ${untilWords(first?.now)}` : 'have another last day',
    }[kind];
    const such = shown === undefined ? ' (not shown)' : isOne ? '' : `, such as ${shown}`;
    const place = first && placeOfText(kind === 'removed' ? old : now, first.name);
    return editOf(kind, ['lists', name, 'entries'], `list ${name}: ${which} ${what}${such}`, place);
  });
}

/** The entries with the last day on which each counts, the empty text for always, by text. */
function lastDaysOf(list: NamedList): ReadonlyMap<string, string> {
  const entries = [...entriesOf(list)].sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map(entries.map(([text, until]) => [text, until ?? '']));
}

function placeOfText(list: NamedList, entry: string): Place | undefined {
  return placeOfEntry(list, [...entriesOf(list).keys()].indexOf(entry));
}

function amount(entries: number): string {
  return entries === 1 ? '1 entry' : `${entries} entries`;
}

function untilWords(until: string | undefined): string {
  return until ? `until ${until}` : 'without a last day';
}

/** Whether entries of a list may be shown: somebody has to look something up in it that is not personal. */
function shownLists(policies: readonly Policy[]): (name: string) => boolean {
  const shown = new Map<string, boolean>();
  for (const { rules, conditions, facts } of policies) {
    for (const condition of [...rules.map(({ when }) => when), ...conditions.values()]) {
      for (const { fact, argument } of testsOf(condition)) {
        if (!isNamedList(argument)) continue;
        shown.set(argument.name, shown.get(argument.name) !== false && !isPersonal(fact, facts));
      }
    }
  }
  return (name) => shown.get(name) ?? false;
}
