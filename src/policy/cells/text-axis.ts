/** Tests of a string by literals and lists -> the cells of all texts: each literal, and each combination of lists. */

import type { FactValue } from '../../facts/fact.ts';
import { examplesOf } from '../../platform/formats/example.ts';
import type { Format } from '../../platform/formats/format.ts';
import type { IpBlock } from '../../platform/formats/ip.ts';
import { type Arguments, isIpBlock, isNamedList, type NamedList } from '../arguments.ts';
import type { Test } from '../language.ts';
import { askedOf, operatorRow } from '../operators.ts';
import { addressesByRegion } from './ip-regions.ts';
import { isListedDomain, listedParts, membershipOf, type TextForm } from './text-forms.ts';
import type { NamedCells, ValueAxis, ValueCell } from './value-axis.ts';

/** Whether a text is in a list, as itself, as an address of a block or as a domain; or in a block of a test. */
type Membership =
  | { readonly operator: 'inList' | 'inDomainList'; readonly argument: NamedList }
  | { readonly operator: 'in'; readonly argument: readonly IpBlock[] };

/** The day does not matter, as no entry here has a last day. */
const ANY_DAY = '2000-01-01';

/**
 * Each literal is a cell; all other texts that are in the same lists are one cell together. INVARIANT: no list of the
 * tests has an entry with a last day.
 */
export function textAxis(tests: readonly Test[], format: Format | undefined): ValueAxis {
  const literals = [...new Set(tests.flatMap(literalsOf))].map(String);
  const memberships = membershipsOf(tests);
  const groups = new Map<string, string>();
  for (const text of candidates(literals, memberships, format)) {
    const signature = signatureOf(text, memberships);
    if (!groups.has(signature)) groups.set(signature, text);
  }
  const witnesses = [...literals, ...groups.values()];
  const indexes = new Map(literals.map((text, i) => [text, i]));
  const groupIndexes = new Map([...groups.keys()].map((signature, i) => [signature, literals.length + i]));
  // Without domains and blocks, a text that is neither a literal nor an entry is in no list.
  const outside = groupIndexes.get(memberships.map(() => '0').join(''));
  const named = namedCells(indexes, memberships, groupIndexes, outside);
  const find = (value: FactValue) => {
    if (named) return named.cells.get(value) ?? named.others;
    const text = String(value);
    return indexes.get(text) ?? groupIndexes.get(signatureOf(text, memberships));
  };
  return {
    ...(named ? { named } : {}),
    isOrdered: false,
    formOf: (cell) => {
      const text = witnesses[cell] as string;
      return cell < literals.length ? formOfLiteral(text) : formOfGroup(text, cell, memberships, find);
    },
    changes: (test) => {
      const ownLiterals = literalsOf(test);
      // A test of blocks is true of whole groups, and of other tests' literals.
      return (ownLiterals.length > 0 && blocksIn(test).length === 0) || memberships.length === 0
        ? startsAndEnds(ownLiterals.map((text) => indexes.get(String(text))))
        : [...witnesses.keys()];
    },
    cells: witnesses.map((text, i): ValueCell => {
      const words = i < literals.length ? JSON.stringify(text) : describeGroup(text, memberships, literals.length > 0);
      return { words, witness: () => text, holds: (test) => holds(test, text) };
    }),
    find,
  };
}

function formOfLiteral(text: string): TextForm {
  return { oneOf: [{ place: 'is', text }], lacks: (part) => part.place === 'is' && part.text !== text };
}

/** What the texts that are in the same lists as one of them have in common. */
function formOfGroup(
  text: string,
  cell: number,
  memberships: readonly Membership[],
  find: (text: string) => number | undefined,
): TextForm {
  const parts = memberships.flatMap((each) =>
    each.operator !== 'in' && isIn(text, each) ? [listedParts(each.argument, each.operator)] : [],
  );
  const domains = memberships.flatMap((each) =>
    each.operator === 'inDomainList' && !isIn(text, each) ? [each.argument] : [],
  );
  return {
    oneOf: parts.find((each) => each !== undefined),
    lacks: (part) =>
      part.place === 'is' ? find(part.text) !== cell : domains.some((list) => isListedDomain(part, list)),
  };
}

/** The cell of each literal and list entry, and of all other texts; undefined if domains or blocks are asked about. */
function namedCells(
  literals: ReadonlyMap<string, number>,
  memberships: readonly Membership[],
  groups: ReadonlyMap<string, number>,
  others: number | undefined,
): NamedCells | undefined {
  if (memberships.some((each) => each.operator === 'inDomainList' || blocksOf(each).length > 0)) return undefined;
  const cells = new Map<FactValue, number>();
  for (const text of memberships.flatMap(entriesOf)) {
    const cell = groups.get(signatureOf(text, memberships));
    if (cell !== undefined) cells.set(text, cell);
  }
  for (const [text, cell] of literals) cells.set(text, cell);
  return { cells, others };
}

function membershipsOf(tests: readonly Test[]): readonly Membership[] {
  const byKey = new Map<string, Membership>();
  for (const test of tests) {
    const { operator, argument } = test;
    const blocks = blocksIn(test);
    if (blocks.length > 0) byKey.set(JSON.stringify(blocks), { operator: 'in', argument: blocks });
    if (isNamedList(argument)) {
      const membership = { operator: membershipOf(operator), argument };
      byKey.set(`${membership.operator} ${argument.name}`, membership);
    }
  }
  return [...byKey.values()];
}

/** The blocks that a test names. */
function blocksIn({ operator, argument }: Test): readonly IpBlock[] {
  return operatorRow(operator).argument === 'values' ? (argument as Arguments['values']).filter(isIpBlock) : [];
}

function entriesOf({ operator, argument }: Membership): readonly string[] {
  return operator === 'in' ? [] : [...argument.entries.keys()];
}

function blocksOf({ operator, argument }: Membership): readonly IpBlock[] {
  return operator === 'in' ? argument : (argument.blocks?.all ?? []);
}

/**
 * Texts that are not literals, at least one in each cell that a value of the format can lie in. One text below each
 * entry of a domain list is enough: another text is in the lists of the longest entry above it. In the same way an
 * address is in all blocks around the smallest one that it is in.
 */
function* candidates(
  literals: readonly string[],
  memberships: readonly Membership[],
  format: Format | undefined,
): Generator<string> {
  const entries = new Set(memberships.flatMap(entriesOf));
  const taken = entries.union(new Set(literals));
  const label = freshLabel(taken);
  const named = new Set(literals);
  const listed = function* (membership: Membership) {
    for (const entry of entriesOf(membership)) {
      if (!named.has(entry)) yield entry;
      if (membership.operator === 'inDomainList') yield `${label}.${entry}`;
    }
  };
  // Of a single list, which may have many thousand entries, one text is like all others.
  for (const each of memberships) yield* memberships.length > 1 ? listed(each) : listed(each).take(1);
  if (format === 'ip') yield* addressesByRegion(memberships.flatMap(blocksOf), taken);
  else if (format === undefined || format === 'domain') yield label;
  else for (const text of examplesOf(format)) if (!taken.has(text)) return yield text;
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

function isIn(text: string, { operator, argument }: Membership): boolean {
  return operatorRow(operator).holds(text, argument, { type: 'string', day: ANY_DAY });
}

function describeGroup(text: string, memberships: readonly Membership[], hasLiterals: boolean): string {
  const holders = memberships.filter((membership) => isIn(text, membership));
  const lists = holders.map(({ operator, argument }) => {
    if (operator === 'in') return `in ${argument.map(({ value }) => value).join(' or ')}`;
    return operator === 'inList' ? `in ${argument.name}` : `a domain of ${argument.name}`;
  });
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
  if (askedOf(operator) !== 'values') return [];
  return [argument as FactValue | Arguments['values']].flat().filter((value): value is FactValue => !isIpBlock(value));
}
