/** TABLE: how each operator is written in each dialect. Adding an operator is adding a row; the compiler misses one that lacks. */

import type { FactType } from '../../facts/catalog.ts';
import { dayNumber } from '../../facts/day.ts';
import type { FactValue } from '../../facts/fact.ts';
import type { ArgumentKind, Arguments, NamedList, OPERATORS, OperatorName } from '../../policy/operators.ts';
import { type Dialect, type DialectName, join } from './dialect.ts';
import { LAST_DAY, writeLiteral } from './typed-columns.ts';

/** What a test may be written with, beside its fact and its argument. */
export interface TestScope {
  readonly dialect: Dialect;
  readonly type: FactType;
  /** The day of the decision as a day number: a literal, or an expression. */
  readonly day: number | string;
}

/** An argument: one of the policy's own, or another fact. */
export type SqlArgument<Kind extends ArgumentKind> =
  | { readonly literal: Arguments[Kind]; readonly other?: undefined }
  | { readonly other: string; readonly literal?: undefined };

/**
 * A test as a condition. INVARIANT: it is NULL if and only if the fact, or the other fact, is (policy language, "Three truth
 * values"); so no fact may be passed over because of another.
 */
export type Writer<Kind extends ArgumentKind> = (fact: string, argument: SqlArgument<Kind>, scope: TestScope) => string;

/** The kind of an operator's argument. */
type KindOf<Name extends OperatorName> = (typeof OPERATORS)[Name]['argument'];

/** An operator in each dialect; null where the dialect cannot say it. */
type Row<Kind extends ArgumentKind> = Readonly<Record<DialectName, Writer<Kind> | null>>;

const everywhere = <Kind extends ArgumentKind>(write: Writer<Kind>): Row<Kind> => ({
  duckdb: write,
  postgres: write,
  clickhouse: write,
});

const comparison = (sign: string): Row<'value'> & Row<'limit'> =>
  everywhere<'value' | 'limit'>((fact, argument, scope) => `${fact} ${sign} ${side(argument, scope)}`);

const textTest = (
  duckdb: string,
  postgres: (fact: string, text: string, length: number) => string,
  clickhouse: string,
) =>
  ({
    duckdb: (fact, { literal = '' }, { dialect }) => `${duckdb}(${fact}, ${dialect.text(literal)})`,
    postgres: (fact, { literal = '' }, { dialect }) =>
      postgres(fact, dialect.text(literal), Array.from(literal).length),
    clickhouse: (fact, { literal = '' }, { dialect }) => `${clickhouse}(${fact}, ${dialect.text(literal)})`,
  }) satisfies Row<'text'>;

/** The operators, in the order of the policy language's table. */
export const SQL_OPERATORS: { readonly [Name in OperatorName]: Row<KindOf<Name>> } = {
  is: comparison('='),
  isNot: comparison('<>'),
  in: everywhere((fact, { literal = [] }, scope) => isAnyOf(fact, literals(literal, scope))),
  notIn: everywhere((fact, { literal = [] }, scope) => `NOT (${isAnyOf(fact, literals(literal, scope))})`),
  known: everywhere((fact, { literal }) => `${fact} IS ${literal ? 'NOT ' : ''}NULL`),
  above: comparison('>'),
  atLeast: comparison('>='),
  below: comparison('<'),
  atMost: comparison('<='),
  between: everywhere((fact, { literal = [] }, scope) => `${fact} BETWEEN ${literals(literal, scope).join(' AND ')}`),
  startsWith: textTest('starts_with', (fact, text) => `starts_with(${fact}, ${text})`, 'startsWith'),
  endsWith: textTest('ends_with', (fact, text, length) => `right(${fact}, ${length}) = ${text}`, 'endsWith'),
  contains: {
    ...textTest('contains', (fact, text) => `strpos(${fact}, ${text}) > 0`, ''),
    clickhouse: (fact, { literal = '' }, { dialect }) => `position(${fact}, ${dialect.text(literal)}) > 0`,
  },
  matches: {
    duckdb: (fact, { literal }, { dialect }) => `regexp_matches(${fact}, ${dialect.text(literal?.source ?? '')}, 'i')`,
    // Its regular expressions are its own: other classes, other flags, backtracking.
    postgres: null,
    // Unlike RE2 itself it lets `.` match a line break, unless it is told not to.
    clickhouse: (fact, { literal }, { dialect }) => `match(${fact}, ${dialect.text(`(?i-s)${literal?.source ?? ''}`)})`,
  },
  inList: everywhere((fact, { literal }, scope) => isInList(fact, entriesOf(literal), scope)),
  notInList: everywhere((fact, { literal }, scope) => `NOT (${isInList(fact, entriesOf(literal), scope)})`),
  inDomainList: {
    duckdb: inDomains((fact, labels) => `array_to_string(str_split(${fact}, '.')[-${labels}:], '.')`),
    postgres: inDomains((fact, labels) => {
      const parts = `string_to_array(${fact}, '.')`;
      return `array_to_string((${parts})[cardinality(${parts}) - ${labels - 1}:], '.')`;
    }),
    clickhouse: inDomains((fact, labels) => `substringIndex(${fact}, '.', -${labels})`),
  },
  withinLast: everywhere((fact, { literal }, { day }) => `${day} - ${fact} BETWEEN 0 AND ${literal}`),
  olderThan: everywhere((fact, { literal }, { day }) => `${day} - ${fact} > ${literal}`),
  // The number of `never` is beyond every day: nothing is before it, and it is after nothing.
  before: everywhere((fact, argument, scope) =>
    argument.other === undefined
      ? `${fact} < ${side(argument, scope)}`
      : `${fact} < ${argument.other} AND (${argument.other} <= ${LAST_DAY} OR ${fact} IS NULL)`,
  ),
  after: everywhere((fact, argument, scope) =>
    argument.other === undefined
      ? `${fact} > ${side(argument, scope)} AND ${fact} <= ${LAST_DAY}`
      : `${fact} > ${argument.other} AND (${fact} <= ${LAST_DAY} OR ${argument.other} IS NULL)`,
  ),
  never: everywhere((fact, { literal }) => `${fact} ${literal ? '>' : '<='} ${LAST_DAY}`),
};

/** The writer of an operator in a dialect, without the kind of its argument in its type. */
export function writerOf(name: OperatorName, dialect: DialectName): Writer<ArgumentKind> | null {
  // INVARIANT: an argument reaches a writer only as the parser made it for the operator's own kind.
  return SQL_OPERATORS[name][dialect] as Writer<ArgumentKind> | null;
}

/** What a fact is compared with. */
function side(argument: SqlArgument<'value' | 'limit' | 'day'>, { dialect, type }: TestScope): string {
  return argument.other ?? writeLiteral(dialect, type, argument.literal);
}

function literals(values: readonly FactValue[], { dialect, type }: TestScope): string[] {
  return values.map((value) => writeLiteral(dialect, type, value));
}

function isAnyOf(fact: string, options: readonly string[]): string {
  return whereKnown(fact, `${fact} IN (${options.join(', ')})`);
}

/** Texts, each with the last day on which it counts. */
type Entries = readonly (readonly [text: string, until: string | undefined])[];

function entriesOf(list: NamedList | undefined): Entries {
  return [...(list?.entries ?? [])];
}

/** Whether a text is an entry that counts on the day. */
function isInList(fact: string, entries: Entries, scope: TestScope): string {
  return whereKnown(fact, isEntry(fact, entries, scope));
}

/**
 * Whether a text is an entry, or below one: an entry of n labels can only be the text's last n labels. `lastLabels` writes
 * those, and the whole text where it has fewer.
 */
function inDomains(lastLabels: (fact: string, labels: number) => string): Writer<'list'> {
  return (fact, { literal }, scope) => {
    const byLabels = Map.groupBy(entriesOf(literal), ([text]) => text.split('.').length);
    const ways = [...byLabels].map(([labels, entries]) => isEntry(lastLabels(fact, labels), entries, scope));
    return whereKnown(fact, anyOf(ways));
  };
}

/** A condition on a text that is not NULL. */
function isEntry(text: string, entries: Entries, { dialect, day }: TestScope): string {
  const lastDayOf = ([, until]: Entries[number]) => (until === undefined ? undefined : dayNumber(until));
  const isIn = (some: Entries) => `${text} IN (${some.map(([entry]) => dialect.text(entry)).join(', ')})`;
  if (typeof day === 'number') {
    const counting = entries.filter((entry) => (lastDayOf(entry) ?? day) >= day);
    return counting.length === 0 ? 'false' : isIn(counting);
  }
  const ways = [...Map.groupBy(entries, lastDayOf)].map(([lastDay, some]) =>
    lastDay === undefined ? isIn(some) : `(${day} <= ${lastDay} AND ${isIn(some)})`,
  );
  return anyOf(ways);
}

function anyOf(ways: readonly string[]): string {
  return ways.length === 0 ? 'false' : `(${join(ways, 'OR')})`;
}

/** ClickHouse, by some of its settings, says that NULL is in no list: hence this guard around every IN. */
function whereKnown(fact: string, condition: string): string {
  return `CASE WHEN ${fact} IS NOT NULL THEN ${condition} END`;
}
