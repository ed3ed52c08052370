/** Tests of a string by literals and lists -> the cells of all texts: each literal, and each combination of lists. */

import type { FactValue } from '../../facts/fact.ts';
import type { Test } from '../language.ts';
import { type NamedList, operatorRow } from '../operators.ts';
import type { NamedCells, ValueAxis, ValueCell } from './value-axis.ts';

/** Whether a text is in a list, as itself or as a domain. */
interface Membership {
  readonly operator: 'inList' | 'inDomainList';
  readonly list: NamedList;
}

/** No entry here has a last day, so any day will do. */
const ANY_DAY = '2000-01-01';

/**
 * Each literal is a cell; all other texts that are in the same lists are one cell together. INVARIANT: no list of the
 * tests has an entry with a last day.
 */
export function textAxis(tests: readonly Test[]): ValueAxis {
  const literals = [...new Set(tests.flatMap(literalsOf))].map(String);
  const memberships = membershipsOf(tests);
  const groups = new Map<string, string>();
  for (const text of candidates(literals, memberships)) {
    const signature = signatureOf(text, memberships);
    if (!groups.has(signature)) groups.set(signature, text);
  }
  const witnesses = [...literals, ...groups.values()];
  const indexes = new Map(literals.map((text, i) => [text, i]));
  const groupIndexes = new Map([...groups.keys()].map((signature, i) => [signature, literals.length + i]));
  const named = namedCells(indexes, memberships, (text) => groupIndexes.get(signatureOf(text, memberships)));
  return {
    ...(named ? { named } : {}),
    isOrdered: false,
    changes: (test) => {
      const own = literalsOf(test);
      return own.length > 0 || memberships.length === 0
        ? startsAndEnds(own.map((text) => indexes.get(String(text))))
        : [...witnesses.keys()];
    },
    cells: witnesses.map((text, i): ValueCell => {
      const words = i < literals.length ? JSON.stringify(text) : describeGroup(text, memberships, literals.length > 0);
      return { words, witness: () => text, holds: (test) => holds(test, text) };
    }),
    find: (value) => {
      if (named) return named.cells.get(value) ?? named.others;
      const text = String(value);
      return indexes.get(text) ?? groupIndexes.get(signatureOf(text, memberships));
    },
  };
}

/** The cell of each literal and list entry, and the cell of all other texts; undefined if a test is about domains. */
function namedCells(
  literals: ReadonlyMap<string, number>,
  memberships: readonly Membership[],
  findGroup: (text: string) => number | undefined,
): NamedCells | undefined {
  if (memberships.some(({ operator }) => operator === 'inDomainList')) return undefined;
  const cells = new Map<FactValue, number>();
  const entries = memberships.flatMap(({ list }) => [...list.entries.keys()]);
  for (const text of entries) {
    const cell = findGroup(text);
    if (cell !== undefined) cells.set(text, cell);
  }
  for (const [text, cell] of literals) cells.set(text, cell);
  return { cells, others: findGroup(freshLabel(new Set([...literals.keys(), ...entries]))) };
}

function membershipsOf(tests: readonly Test[]): readonly Membership[] {
  const found = new Map<string, Membership>();
  for (const { operator, argument } of tests) {
    if (operator !== 'inList' && operator !== 'notInList' && operator !== 'inDomainList') continue;
    const list = argument as NamedList;
    const membership = { operator: operator === 'inDomainList' ? operator : ('inList' as const), list };
    found.set(`${membership.operator} ${list.name}`, membership);
  }
  return [...found.values()];
}

/**
 * Texts, none of them a literal, of which at least one lies in each cell. A text that is not an entry itself is in the
 * domain lists of the longest entry that it is below, so one text below each entry is enough.
 */
function* candidates(literals: readonly string[], memberships: readonly Membership[]): Generator<string> {
  const taken = new Set([...literals, ...memberships.flatMap(({ list }) => [...list.entries.keys()])]);
  const label = freshLabel(taken);
  const named = new Set(literals);
  for (const { operator, list } of memberships) {
    for (const entry of list.entries.keys()) {
      if (!named.has(entry)) yield entry;
      if (operator === 'inDomainList') yield `${label}.${entry}`;
    }
  }
  yield label;
}

/** A text that is neither one of the taken ones nor the first label of one. */
function freshLabel(taken: ReadonlySet<string>): string {
  let label = 'other';
  while ([...taken].some((text) => text === label || text.startsWith(`${label}.`))) label += 'x';
  return label;
}

function signatureOf(text: string, memberships: readonly Membership[]): string {
  return memberships.map((membership) => (isIn(text, membership) ? '1' : '0')).join('');
}

function isIn(text: string, { operator, list }: Membership): boolean {
  return operatorRow(operator).holds(text, list, { type: 'string', day: ANY_DAY });
}

function describeGroup(text: string, memberships: readonly Membership[], hasLiterals: boolean): string {
  const found = memberships.filter((membership) => isIn(text, membership));
  const lists = found.map(({ operator, list }) =>
    operator === 'inList' ? `in ${list.name}` : `a domain of ${list.name}`,
  );
  if (lists.length > 0) return lists.join(' and ');
  return hasLiterals || memberships.length > 0 ? 'any other' : 'any value';
}

function holds({ operator, argument, type }: Test, text: FactValue): boolean {
  return argument !== undefined && operatorRow(operator).holds(text, argument, { type, day: ANY_DAY });
}

/** Where single cells start and end. */
export function startsAndEnds(cells: readonly (number | undefined)[]): readonly number[] {
  return cells.flatMap((cell) => (cell === undefined ? [] : [cell, cell + 1]));
}

/** The literals that a test compares a value with for equality. */
export function literalsOf({ operator, argument }: Test): readonly FactValue[] {
  if (operator === 'is' || operator === 'isNot') return [argument as FactValue];
  return operator === 'in' || operator === 'notIn' ? (argument as readonly FactValue[]) : [];
}
