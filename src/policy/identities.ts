/** A policy's data -> the same data, with a replacement for every value that is compared with a personal fact. */

import type { FactTable } from '../facts/catalog.ts';
import type { Format } from '../platform/formats/format.ts';
import { isObject } from '../platform/json.ts';
import { isNamedList } from './arguments.ts';
import { ANY_CELL, type Policy, type Test, testsOf } from './language.ts';
import { askedOf, isOperator } from './operators.ts';
import { isParameterName } from './read/values/parameters.ts';

/** The formats of what identifies a person. A domain names an organisation, a country names no one. */
const IDENTITY_FORMATS = ['phone', 'email', 'ip'] as const satisfies readonly Format[];

/** The format of what identifies a person. */
export type IdentityFormat = (typeof IDENTITY_FORMATS)[number];

/** A part of a policy's data that may identify a person. */
export interface IdentityPart {
  /** The format of the facts that it is compared with; undefined if they have none, or if no test uses its list. */
  readonly format: IdentityFormat | undefined;
  /** The text as written; undefined for a number or a Boolean. */
  readonly text: string | undefined;
  /** The value, or the entry of a list with its note. */
  readonly data: unknown;
}

type Replace = (part: IdentityPart) => unknown;
type Json = Readonly<Record<string, unknown>>;

/** The format of a fact that identifies a person; undefined for any other fact. */
export function identityOf(path: string, facts: FactTable): IdentityFormat | undefined {
  const format = facts.get(path)?.format;
  return IDENTITY_FORMATS.find((one) => one === format);
}

/**
 * Whether the values of a fact are kept out of messages, pages and answers: it is what was sent of the applicant, or a
 * part of that, identifies a person otherwise, or is declared `personal`.
 */
export function isPersonal(path: string, facts: FactTable): boolean {
  return path.startsWith('applicant.') || namesPeople(path, facts);
}

/** Whether what a policy compares a fact with may be about a person. A domain is one of many people. */
export function namesPeople(path: string, facts: FactTable): boolean {
  return facts.get(path)?.personal === true || identityOf(path, facts) !== undefined;
}

/** Whether the values of a fact are personal texts, so that a text of the policy may be about a person too. */
export function hasPersonalTexts(path: string, facts: FactTable): boolean {
  return facts.get(path)?.type === 'string' && namesPeople(path, facts);
}

/**
 * Whether a test compares a personal fact with values written in the policy: values of other people, or, if the test is
 * true, of the applicant. A limit of a number or a date is neither.
 */
export function namesPersonalValue({ fact, operator, other }: AskedTest, facts: FactTable): boolean {
  const asked = askedOf(operator);
  return other === undefined && (asked === 'values' || asked === 'parts') && isPersonal(fact, facts);
}

type AskedTest = Pick<Test, 'fact' | 'operator' | 'other'>;

/**
 * Replaces the literals, elements, cells and list entries that are compared with personal facts, and the parameters
 * too. The limits of a number or a date stay, such as an age. The entries of a list that no test uses are replaced too,
 * because their kind is unknown; so is the text of a parameter that nothing uses.
 */
export function replaceIdentities(policy: Policy, data: unknown, replace: Replace): unknown {
  const { facts, parameters } = policy;
  return replaceInFile(data as Json, { facts, parameters, lists: factsOfLists(policy), replace });
}

interface Context {
  readonly facts: FactTable;
  /** The facts that are looked up in each list; none for a list that no test uses. */
  readonly lists: ReadonlyMap<string, ReadonlySet<string>>;
  readonly parameters: Policy['parameters'];
  readonly replace: Replace;
}

function factsOfLists({ rules, guarantees, conditions }: Policy): Context['lists'] {
  const lists = new Map<string, Set<string>>();
  for (const condition of [...[...rules, ...guarantees].map(({ when }) => when), ...conditions.values()]) {
    for (const { fact, argument } of testsOf(condition)) {
      if (isNamedList(argument)) lists.set(argument.name, (lists.get(argument.name) ?? new Set()).add(fact));
    }
  }
  return lists;
}

/** A policy's own data, or those of a rule set. */
function replaceInFile(file: Json, context: Context): Json {
  const { parameters, lists, conditions, rules, guarantees, tables, ruleSets } = file;
  return {
    ...file,
    ...(parameters === undefined
      ? {}
      : { parameters: mapValues(parameters, (one, name) => inParameter(one, name, context)) }),
    ...(lists === undefined ? {} : { lists: mapValues(lists, (list, name) => replaceInList(list, name, context)) }),
    ...(conditions === undefined ? {} : { conditions: mapValues(conditions, (one) => inCondition(one, context)) }),
    ...(rules === undefined ? {} : { rules: mapItems(rules, (rule) => inRule(rule as Json, context)) }),
    ...(guarantees === undefined ? {} : { guarantees: mapItems(guarantees, (one) => inRule(one as Json, context)) }),
    ...(tables === undefined ? {} : { tables: mapItems(tables, (table) => inTable(table as Json, context)) }),
    ...(ruleSets === undefined ? {} : { ruleSets: mapItems(ruleSets, (set) => replaceInFile(set as Json, context)) }),
  };
}

/** A rule or a guarantee. */
function inRule(rule: Json, context: Context): Json {
  return { ...rule, when: inCondition(rule['when'], context) };
}

function replaceInList(list: unknown, name: string, { facts, lists, replace }: Context): unknown {
  const use = useOf(lists.get(name), facts);
  if (!use) return list;
  const inEntry = (data: unknown) => {
    const text = typeof data === 'string' ? data : (data as Json)['value'];
    return typeof text === 'string' ? replace({ ...use, text, data }) : data;
  };
  if (Array.isArray(list)) return list.map(inEntry);
  const { entries, ...about } = list as Json;
  return { ...about, entries: mapItems(entries, inEntry) };
}

/** A parameter as declared; a default that the policy overrides is written for the same places. */
function inParameter(data: unknown, name: string, { parameters, facts, replace }: Context): unknown {
  const value = typeof data === 'object' && data !== null ? (data as Json)['value'] : data;
  const { isUsed = false, facts: compared } = parameters.get(name) ?? {};
  const use = useOf(isUsed ? compared : undefined, facts);
  const text = textIn(value);
  // A number that nothing uses is about nobody.
  return use && (isUsed || text !== undefined) ? replace({ ...use, text, data }) : data;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The format of a value that is compared with these facts, or with none; undefined if none of them is personal. */
function useOf(paths: ReadonlySet<string> | undefined, facts: FactTable): Pick<IdentityPart, 'format'> | undefined {
  const personal = [...(paths ?? [])].filter((path) => namesPeople(path, facts));
  if (paths && personal.length === 0) return undefined;
  return { format: personal.map((path) => identityOf(path, facts)).find((format) => format !== undefined) };
}

function inCondition(condition: unknown, context: Context): unknown {
  // This is the name of a condition.
  if (typeof condition !== 'object' || condition === null) return condition;
  return mapValues(condition, (value, key) => {
    if (key === 'all' || key === 'any') return mapItems(value, (part) => inCondition(part, context));
    if (key === 'not') return inCondition(value, context);
    if (key === 'atLeastOf') {
      return { ...(value as Json), of: mapItems((value as Json)['of'], (part) => inCondition(part, context)) };
    }
    return inTests(key, value, context);
  });
}

/** The condition on a fact: a value, a list of values, another fact, or operators with their arguments. */
function inTests(fact: string, tests: unknown, { facts, replace }: Context): unknown {
  if (!namesPeople(fact, facts)) return tests;
  const format = identityOf(fact, facts);
  const inArgument = (argument: unknown): unknown => {
    if (Array.isArray(argument)) return argument.map(inArgument);
    if (typeof argument === 'object' || isParameterName(String(argument))) return argument;
    return replace({ format, text: textIn(argument)?.replace(/^\$\$/, '$'), data: argument });
  };
  if (!isObject(tests)) return inArgument(tests);
  return mapValues(tests, (argument, operator) =>
    isOperator(operator) && namesPersonalValue({ fact, operator, other: undefined }, facts)
      ? inArgument(argument)
      : argument,
  );
}

/** The rows of a file come with their columns. */
function inTable(table: Json, context: Context): Json {
  const { rows } = table;
  if (typeof rows === 'object' && !Array.isArray(rows)) return { ...table, rows: inTable(rows as Json, context) };
  const columns = table['columns'] as readonly string[];
  const inCell = (cell: unknown, i: number) => (cell === ANY_CELL ? cell : inTests(columns[i] ?? '', cell, context));
  return { ...table, rows: mapItems(table['rows'], (row) => mapItems(row, inCell)) };
}

function mapValues(data: unknown, change: (value: unknown, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(data as Json).map(([key, value]) => [key, change(value, key)]));
}

function mapItems(data: unknown, change: (item: unknown, i: number) => unknown): unknown {
  return Array.isArray(data) ? data.map(change) : data;
}
