/**
 * The tests of one fact in several policies -> copies of them for common cells: the same test of two policies is one
 * test, and a list that is not the same in both is two lists.
 */

import { IpBlocks, isNamedList, type NamedList } from '../../policy/arguments.ts';
import type { Test } from '../../policy/language.ts';
import { listKey } from '../../policy/sameness.ts';
import { MOST_OWN_ENTRIES } from '../limits.ts';

/** A test of a policy, and the test by which cells are cut. */
export interface Copy {
  readonly test: Test;
  readonly copy: Test;
}

/** Copies whose keys are equal for tests that ask the same on a day. */
export function copiesOf(tests: readonly Test[], day: string): readonly Copy[] {
  const lists = new Set(tests.flatMap(({ argument }) => (isNamedList(argument) ? [argument] : [])));
  const onDay = new Map([...lists].map((list) => [list, listOn(day, list)]));
  const contents = new Map([...onDay].map(([list, on]) => [list, listKey(on)]));
  return tests.map((test) => {
    const { argument, key } = test;
    if (!isNamedList(argument)) return { test, copy: test };
    const named = [...lists].filter(({ name }) => name === argument.name);
    const versions = [...new Set(named.map((list) => contents.get(list)))];
    const at = versions.indexOf(contents.get(argument));
    // The policies come in their order: the list of the last keeps its name.
    const isLast = at === versions.length - 1;
    const name = isLast ? argument.name : `the old ${argument.name}${at === 0 ? '' : ` ${at + 1}`}`;
    const list = { ...(onDay.get(argument) ?? argument), name };
    return { test, copy: { ...test, key: `${key} ${at}`, argument: list, expected: name } };
  });
}

/** The entries that count on a day, and no others: it is asked on no other day. */
function listOn(day: string, list: NamedList): NamedList {
  const counts = (until: string | undefined) => until === undefined || day <= until;
  const blocks = list.blocks?.all.filter(({ until }) => counts(until));
  return {
    ...list,
    entries: new Map([...list.entries].filter(([, until]) => counts(until)).map(([text]) => [text, undefined])),
    ...(blocks ? { blocks: new IpBlocks(blocks.map((block) => ({ ...block, until: undefined }))) } : {}),
  };
}

/**
 * The tests that cut the cells of a fact: the copies, and a test of the texts that only some versions of a list have,
 * so that each of them is a cell.
 */
export function testsToCut(copies: readonly Copy[]): readonly Test[] {
  const tests = [...new Map(copies.map(({ copy }) => [copy.key, copy])).values()];
  const listed = copies.flatMap(({ test, copy: { argument } }) =>
    isNamedList(test.argument) && isNamedList(argument) ? [{ test, name: test.argument.name, list: argument }] : [],
  );
  const changed = new Set<string>();
  for (const versions of Map.groupBy(listed, ({ name }) => name).values()) {
    const [first, ...others] = new Map(versions.map(({ list }) => [list.name, list])).values();
    for (const { entries } of others) for (const entry of differing(first?.entries, entries)) changed.add(entry);
  }
  const [any] = listed;
  if (!any || changed.size === 0 || changed.size > MOST_OWN_ENTRIES) return tests;
  return [...tests, { ...any.test, operator: 'in', argument: [...changed], key: 'the entries of some versions' }];
}

type Entries = NamedList['entries'];

function differing(one: Entries | undefined, other: Entries): Iterable<string> {
  return new Set(one?.keys()).symmetricDifference(new Set(other.keys()));
}
