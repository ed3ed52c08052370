/** TABLE: how each operator is written in each dialect. The compiler reports a missing row. */

import type { FactType } from '../../facts/catalog.ts';
import { anniversaryNumber, DAYS_OF_LONGEST_YEAR, DAYS_TO_1970, dayNumber } from '../../facts/day.ts';
import type { FactValue } from '../../facts/fact.ts';
import { ipAddress } from '../../platform/formats/ip.ts';
import {
  type ArgumentKind,
  type Arguments,
  type BlockEntry,
  isIpBlock,
  type NamedList,
  YEARS,
  type YearsTest,
} from '../../policy/arguments.ts';
import type { OPERATORS, OperatorName } from '../../policy/operators.ts';
import { type Dialect, type DialectName, join } from './dialect.ts';
import { LAST_DAY, writeLiteral } from './table-columns.ts';

/** The context on which the text of a test depends, besides its fact and its argument. */
export interface TestScope {
  readonly dialect: Dialect;
  readonly type: FactType;
  /** The day of the decision as a day number: a literal or an expression. */
  readonly day: number | string;
}

/** An argument: a literal of the policy, or another fact as an expression. */
export type SqlArgument<Kind extends ArgumentKind> =
  | { readonly literal: Arguments[Kind]; readonly other?: undefined }
  | { readonly other: string; readonly literal?: undefined };

/**
 * Writes a test as an SQL condition. INVARIANT: it is NULL if and only if the fact or the other fact is NULL.
 * So a condition must not ignore one fact because of the value of the other.
 */
export type Writer<Kind extends ArgumentKind> = (fact: string, argument: SqlArgument<Kind>, scope: TestScope) => string;

/** The kind of an operator's argument. */
type KindOf<Name extends OperatorName> = (typeof OPERATORS)[Name]['argument'];

/** An operator in each dialect; null if the dialect has no exact equivalent. */
type Row<Kind extends ArgumentKind> = Readonly<Record<DialectName, Writer<Kind> | null>>;

const everywhere = <Kind extends ArgumentKind>(write: Writer<Kind>): Row<Kind> => ({
  duckdb: write,
  postgres: write,
  clickhouse: write,
});

const comparison = (sign: string): Row<'value'> & Row<'limit'> =>
  everywhere<'value' | 'limit'>((fact, argument, scope) => `${fact} ${sign} ${rightSide(argument, scope)}`);

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

/** The operators, in the order of `OPERATORS`. */
const SQL_OPERATORS: { readonly [Name in OperatorName]: Row<KindOf<Name>> } = {
  is: comparison('='),
  isNot: comparison('<>'),
  in: everywhere((fact, { literal = [] }, scope) => isAnyOf(fact, literal, scope)),
  notIn: everywhere((fact, { literal = [] }, scope) => `NOT (${isAnyOf(fact, literal, scope)})`),
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
    // PostgreSQL's own regular expressions have other classes and flags, and backtrack.
    postgres: null,
    // Unlike RE2 itself, ClickHouse lets `.` match a line break by default.
    clickhouse: (fact, { literal }, { dialect }) => `match(${fact}, ${dialect.text(`(?i-s)${literal?.source ?? ''}`)})`,
  },
  inList: everywhere((fact, { literal }, scope) => isInList(fact, literal, scope)),
  notInList: everywhere((fact, { literal }, scope) => `NOT (${isInList(fact, literal, scope)})`),
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
  // `never` has a number beyond every day, but no day is before it, and it is after no day.
  before: everywhere((fact, argument, scope) =>
    argument.other === undefined
      ? `${fact} < ${rightSide(argument, scope)}`
      : `${fact} < ${argument.other} AND (${argument.other} <= ${LAST_DAY} OR ${fact} IS NULL)`,
  ),
  after: everywhere((fact, argument, scope) =>
    argument.other === undefined
      ? `${fact} > ${rightSide(argument, scope)} AND ${fact} <= ${LAST_DAY}`
      : `${fact} > ${argument.other} AND (${fact} <= ${LAST_DAY} OR ${argument.other} IS NULL)`,
  ),
  never: everywhere((fact, { literal }) => `${fact} ${literal ? '>' : '<='} ${LAST_DAY}`),
  yearsSince: everywhere((years, { literal = [] }, scope) => isOfYears(years, literal, scope)),
};

/** The writer of an operator in a dialect, without the kind of argument in its type. */
export function writerOf(name: OperatorName, dialect: DialectName): Writer<ArgumentKind> | null {
  // INVARIANT: a writer gets only arguments that the parser made for its own kind of operator.
  return SQL_OPERATORS[name][dialect] as Writer<ArgumentKind> | null;
}

/** Tests of completed years, as `writeYears` gives them. */
function isOfYears(years: string, tests: readonly YearsTest[], { dialect, day }: TestScope): string {
  const scope: TestScope = { dialect, day, type: YEARS.type };
  const written = tests.map(({ operator, argument }) => {
    const write = writerOf(operator, dialect.name) as Writer<ArgumentKind>;
    return `(${write(years, { literal: argument }, scope)})`;
  });
  return `${years} > ${YEARS_OF_NEVER} AND ${written.join(' AND ')}`;
}

/** `never` has a number beyond every day, so it has fewer years than any day: two days are at most 9999 years apart. */
const YEARS_OF_NEVER = -10_000;

/** The completed years from one day number to another: `completedYears` of facts/day.ts in SQL. */
export function writeYears(from: string, to: number | string): string {
  const until = typeof to === 'number' ? String(anniversaryNumber(to)) : writeAnniversary(to);
  return `floor((${until} - (${writeAnniversary(from)})) / ${DAYS_OF_LONGEST_YEAR}e0)`;
}

function writeAnniversary(day: string): string {
  const shifted = `(${day} + ${DAYS_TO_1970})`;
  const century = `floor((4 * ${shifted} + 3) / 146097e0)`;
  const dayOfCentury = `(${shifted} - floor(146097 * ${century} / 4e0))`;
  const year = `floor((4 * ${dayOfCentury} + 3) / 1461e0)`;
  return `${DAYS_OF_LONGEST_YEAR} * (100 * ${century} + ${year}) + ${dayOfCentury} - floor(1461 * ${year} / 4e0)`;
}

/** The right side of a comparison. */
function rightSide(argument: SqlArgument<'value' | 'limit' | 'day'>, { dialect, type }: TestScope): string {
  return argument.other ?? writeLiteral(dialect, type, argument.literal);
}

function literals(values: readonly FactValue[], { dialect, type }: TestScope): string[] {
  return values.map((value) => writeLiteral(dialect, type, value));
}

function isAnyOf(fact: string, options: Arguments['values'], scope: TestScope): string {
  const values = options.filter((each): each is FactValue => !isIpBlock(each));
  const blocks = options.filter(isIpBlock).map((block) => ({ ...block, until: undefined }));
  const isValue = values.length === 0 ? [] : [`${fact} IN (${literals(values, scope).join(', ')})`];
  return whereKnown(fact, anyOf([...isValue, ...isInBlocks(fact, blocks, scope)]));
}

/** The texts of a list, each with the last day on which it counts. */
type Entries = readonly (readonly [text: string, until: string | undefined])[];

function entriesOf(list: NamedList | undefined): Entries {
  return [...(list?.entries ?? [])];
}

/** Whether a fact is an entry that counts on the day, or lies in a block that does; NULL if the fact is. */
function isInList(fact: string, list: NamedList | undefined, scope: TestScope): string {
  const blocks = isInBlocks(fact, list?.blocks?.all ?? [], scope);
  return whereKnown(fact, anyOf([isEntry(fact, entriesOf(list), scope), ...blocks]));
}

/**
 * Whether an address is in one of some blocks. It compares texts, because reading a number could fail: a block is one
 * to 128 prefixes of dotted addresses, as `198.18.0.0/15` is `198.18` and `198.19`.
 */
function isInBlocks(fact: string, blocks: readonly BlockEntry[], scope: TestScope): readonly string[] {
  const labelsOf = ({ first, last }: BlockEntry) => Math.ceil((32 - Math.log2(last - first + 1)) / 8);
  return [...Map.groupBy(blocks, labelsOf)].map(([labels, some]) => {
    const step = 2 ** (8 * (4 - labels));
    const entries = some.flatMap(({ first, last, until }) =>
      Array.from({ length: (last - first + 1) / step }, (_, i) => {
        const beginning = ipAddress(first + i * step).split('.', labels);
        return [beginning.join('.'), until] as const;
      }),
    );
    return isEntry(labels === 0 ? scope.dialect.text('') : scope.dialect.firstLabels(fact, labels), entries, scope);
  });
}

/**
 * Whether a domain is an entry or a subdomain of one: an entry of n labels must equal the domain's last n labels.
 * `lastLabels` writes these, or the whole domain if it has fewer.
 */
function inDomains(lastLabels: (fact: string, labels: number) => string): Writer<'list'> {
  return (fact, { literal }, scope) => {
    const byLabels = Map.groupBy(entriesOf(literal), ([text]) => text.split('.').length);
    const conditions = [...byLabels].map(([labels, entries]) => isEntry(lastLabels(fact, labels), entries, scope));
    return whereKnown(fact, anyOf(conditions));
  };
}

/** Whether a text that is not NULL is an entry that counts on the day. */
function isEntry(text: string, entries: Entries, { dialect, day }: TestScope): string {
  const lastDayOf = ([, until]: Entries[number]) => (until === undefined ? undefined : dayNumber(until));
  const isIn = (some: Entries) => `${text} IN (${some.map(([entry]) => dialect.text(entry)).join(', ')})`;
  if (typeof day === 'number') {
    const counting = entries.filter((entry) => (lastDayOf(entry) ?? day) >= day);
    return counting.length === 0 ? 'false' : isIn(counting);
  }
  const conditions = [...Map.groupBy(entries, lastDayOf)].map(([lastDay, some]) =>
    lastDay === undefined ? isIn(some) : `(${day} <= ${lastDay} AND ${isIn(some)})`,
  );
  return anyOf(conditions);
}

function anyOf(conditions: readonly string[]): string {
  if (conditions.length === 1) return conditions[0] as string;
  return conditions.length === 0 ? 'false' : `(${join(conditions, 'OR')})`;
}

/** Guards every IN: with some settings of ClickHouse, NULL IN a list is false. */
function whereKnown(fact: string, condition: string): string {
  return `CASE WHEN ${fact} IS NOT NULL THEN ${condition} END`;
}
