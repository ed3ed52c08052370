/** A list of a policy -> its conditions without one of the entries. */

import { IpBlocks } from '../../policy/ip-blocks.ts';
import type { Condition, Policy, Test } from '../../policy/language.ts';
import { isNamedList, type NamedList } from '../../policy/operators.ts';
import { placeOfEntry } from '../../policy/source-map.ts';

/** The entries of longer lists are data that somebody else keeps: nobody tests them one by one. */
const MOST_ENTRIES = 10;

/** The texts and blocks of a list that are taken out, each with its number from 1; and how many are not. */
export function entriesToDrop(list: NamedList): {
  readonly entries: readonly { readonly entry: string; readonly number: number }[];
  readonly left: number;
} {
  const all = [...list.entries.keys(), ...(list.blocks?.all ?? []).map(({ value }) => value)];
  if (all.length > MOST_ENTRIES) return { entries: [], left: all.length };
  return { entries: inOrder(list, all).map((entry, i) => ({ entry, number: i + 1 })), left: 0 };
}

/** Entries in the order in which they are written. A list has its blocks behind its texts, wherever they are. */
function inOrder(list: NamedList, all: readonly string[]): readonly string[] {
  const placed = all.map((entry, i) => ({ entry, ...placeOfEntry(list, i)?.position }));
  placed.sort(({ line = 0, column = 0 }, other) => line - (other.line ?? 0) || column - (other.column ?? 0));
  return placed.map(({ entry }) => entry);
}

/** A condition whose tests ask a list without an entry; itself if none of them asks the list. */
export function withoutEntry(condition: Condition, name: string, entry: string): Condition {
  if (condition.kind === 'test') return testWithout(condition, name, entry);
  const of = condition.of.map((part) => withoutEntry(part, name, entry));
  return of.every((each, i) => each === condition.of[i]) ? condition : ({ ...condition, of } as Condition);
}

function testWithout(test: Test, name: string, entry: string): Test {
  const { argument } = test;
  if (!isNamedList(argument) || argument.name !== name) return test;
  const { entries, blocks, ...list } = argument;
  const kept = new Map([...entries].filter(([text]) => text !== entry));
  const keptBlocks = blocks?.all.filter(({ value }) => value !== entry) ?? [];
  const withBlocks = keptBlocks.length > 0 ? { blocks: new IpBlocks(keptBlocks) } : {};
  return { ...test, argument: { ...list, entries: kept, ...withBlocks } };
}

/** The lists that rules ask, each with the first test that asks it. */
export function listsAsked(policy: Policy, tests: Iterable<Test>): ReadonlyMap<string, readonly [NamedList, Test]> {
  const found = new Map<string, readonly [NamedList, Test]>();
  for (const test of tests) {
    const { argument } = test;
    if (!isNamedList(argument) || found.has(argument.name)) continue;
    found.set(argument.name, [policy.lists.get(argument.name) ?? argument, test]);
  }
  return found;
}
