/** The kinds of arguments of operators: their form, what their tests ask for, and whether a value is among them. */

import type { FactDefinition } from '../facts/catalog.ts';
import type { FactValue } from '../facts/fact.ts';
import { type IpBlock, ipNumber } from '../platform/formats/ip.ts';

/** A regular expression in RE2 syntax, which takes time linear in the text. */
export interface Pattern {
  readonly source: string;
  /** Whether it matches anywhere in a folded text, without regard to case. */
  test(text: string): boolean;
}

/** A list of a policy, with its texts in the form of the facts that are looked up in it. */
export interface NamedList {
  readonly name: string;
  /** The texts in their one form, each with the last day on which it counts, or undefined if it always counts. */
  readonly entries: ReadonlyMap<string, string | undefined>;
  /** The length of the longest entry, in UTF-16 code units. */
  readonly longest: number;
  /** The CIDR blocks of a list of IP addresses; absent if it has none. */
  readonly blocks?: IpBlocks;
}

/** The kinds of arguments, each with the form in which an operator's row receives it. */
export interface Arguments {
  /** A literal of the fact's type, folded; or another fact, if the row allows it. */
  value: FactValue;
  /** A limit in the fact's order: a literal, or another fact. For an integer, any number. */
  limit: FactValue;
  /** Literals of the fact's type, at least one; for IP addresses CIDR blocks too. */
  values: readonly (FactValue | IpBlock)[];
  /** The ends of a range, both included. */
  range: readonly [least: FactValue, most: FactValue];
  /** A count of days. */
  duration: number;
  /** Tests of a number of completed years, all of which have to hold, in the order of the operators. */
  years: readonly YearsTest[];
  /** A calendar day, yyyy-MM-dd; or another fact. */
  day: string;
  /** true or false. */
  truth: boolean;
  /** A folded text that is not empty. */
  text: string;
  /** A regular expression. */
  pattern: Pattern;
  /** The name of a list. */
  list: NamedList;
}

/** The operators that `yearsSince` can ask with: those of a number that is always known. */
export const YEARS_OPERATORS = [
  'is',
  'isNot',
  'in',
  'notIn',
  'above',
  'atLeast',
  'below',
  'atMost',
  'between',
] as const;

/** A number of completed years, as the fact that its operators test. */
export const YEARS: FactDefinition = { type: 'integer', origin: 'derived', description: '' };

/** One operator with its argument, on a number of completed years. */
export interface YearsTest {
  readonly operator: (typeof YEARS_OPERATORS)[number];
  readonly argument: Argument;
}

/** Whether an argument is a list. */
export function isNamedList(argument: unknown): argument is NamedList {
  return typeof argument === 'object' && argument !== null && 'longest' in argument;
}

/** Whether a list has neither texts nor blocks. */
export function isEmptyList({ entries, blocks }: NamedList): boolean {
  return entries.size === 0 && blocks === undefined;
}

/** Whether one of some values is a CIDR block. */
export function isIpBlock(value: FactValue | IpBlock): value is IpBlock {
  return typeof value === 'object';
}

/** A kind of argument. */
export type ArgumentKind = keyof Arguments;

/** An argument of any kind. */
export type Argument = Arguments[ArgumentKind];

/** What the tests of an operator ask for, and what they are compared on, by the kind of their argument. */
export interface KindRow {
  /** Values in full, parts of texts, limits of ranges, entries of a list, or a state of the fact. */
  readonly asksFor: 'values' | 'parts' | 'limits' | 'entries' | 'state';
  /**
   * What the tests cut: the values of the fact, a date's ages in days, or its completed years. Tests `alone` are not
   * compared with each other: each has an axis of its own.
   */
  readonly axis: 'value' | 'age' | 'years' | 'alone';
}

/** The kinds of arguments. */
export const ARGUMENT_KINDS: Readonly<Record<ArgumentKind, KindRow>> = {
  value: { asksFor: 'values', axis: 'value' },
  limit: { asksFor: 'limits', axis: 'value' },
  values: { asksFor: 'values', axis: 'value' },
  range: { asksFor: 'limits', axis: 'value' },
  duration: { asksFor: 'limits', axis: 'age' },
  years: { asksFor: 'limits', axis: 'years' },
  day: { asksFor: 'limits', axis: 'value' },
  truth: { asksFor: 'state', axis: 'value' },
  text: { asksFor: 'parts', axis: 'alone' },
  pattern: { asksFor: 'parts', axis: 'alone' },
  list: { asksFor: 'entries', axis: 'value' },
};

/** Whether a value is one of some literals, or lies in a block among them. */
export function isAmong(value: FactValue, literals: Arguments['values']): boolean {
  return literals.includes(value) || literals.some((each) => isIpBlock(each) && isInBlock(String(value), each));
}

/** Whether a text is in a list on a day: as an entry, or as an address of a block. */
export function isListed(text: string, list: NamedList, day: string): boolean {
  return isEntry(text, list, day) || (list.blocks?.has(text, day) ?? false);
}

/** Whether a text is an entry that counts on a day. */
function isEntry(text: string, { entries }: NamedList, day: string): boolean {
  const until = entries.get(text);
  return until === undefined ? entries.has(text) : day <= until;
}

/** Whether a domain or one above it is an entry: `a.b.example`, `b.example`, `example`. */
export function isInDomains(domain: string, list: NamedList, day: string): boolean {
  for (let at = 0; at >= 0; at = domain.indexOf('.', at) + 1 || -1) {
    // Longer texts are skipped: a text of dots alone would otherwise take quadratic time.
    if (domain.length - at <= list.longest && isEntry(domain.slice(at), list, day)) return true;
  }
  return false;
}

/** A block of a list; `until` is undefined if it always counts. */
export interface BlockEntry extends IpBlock {
  readonly until: string | undefined;
}

/** Whether an address is in a block. */
function isInBlock(address: string, { first, last }: IpBlock): boolean {
  const number = ipNumber(address);
  return first <= number && number <= last;
}

/** Any number of blocks: an address is looked up once for each block size, of which there are at most 33. */
export class IpBlocks {
  readonly all: readonly BlockEntry[];
  /** The last days of the blocks of each size, by first address. */
  readonly #bySize = new Map<number, Map<number, string | undefined>>();

  /** INVARIANT: no block occurs twice. */
  constructor(all: readonly BlockEntry[]) {
    this.all = all;
    for (const { first, last, until } of all) {
      const size = last - first + 1;
      const sameSize = this.#bySize.get(size) ?? new Map<number, string | undefined>();
      this.#bySize.set(size, sameSize.set(first, until));
    }
  }

  /** Whether an address is in a block that counts on a day. */
  has(address: string, day: string): boolean {
    const number = ipNumber(address);
    for (const [size, ends] of this.#bySize) {
      const first = number - (number % size);
      if (!ends.has(first)) continue;
      const until = ends.get(first);
      if (until === undefined || day <= until) return true;
    }
    return false;
  }
}
