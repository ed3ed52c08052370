/**
 * A policy as plain data, as in YAML -> its rules, table rows included, in the policy's order, and its
 * conditions and lists.
 */

import { CATALOG, type FactDefinition, type FactType } from '../../../src/facts/catalog.ts';
import type { Cause, FactValue } from '../../../src/facts/fact.ts';
import type { Format } from '../../../src/platform/formats/format.ts';
import type { Outcome, WhenUnknown } from '../../../src/policy/language.ts';

/** A condition as in YAML: a name or a map. */
export type PlainCondition = string | { readonly [key: string]: unknown };

/** The settings of a rule or a table. */
interface PlainCircumstances {
  readonly whenUnknown?: WhenUnknown;
  readonly mode?: 'shadow';
  readonly from?: string;
  readonly until?: string;
  readonly tags?: readonly string[];
  readonly description?: string;
  readonly owner?: string;
}

/** A text, or one for each language. */
export type PlainNotice = string | { readonly [language: string]: string };

export interface PlainRule extends PlainCircumstances {
  readonly id: string;
  readonly when: PlainCondition;
  readonly then?: Outcome;
  readonly reason?: string;
  readonly message?: string;
  readonly notice?: PlainNotice;
  readonly points?: number;
  readonly final?: boolean;
}

/** A decision table: a cell for each column in every row. */
export interface PlainDecisionTable extends PlainCircumstances {
  readonly id: string;
  readonly final?: boolean;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** An entry of a list. */
export type PlainEntry = string | { readonly value: string; readonly until?: string; readonly note?: string };

/** A list, with the entries of a list file inserted. */
export type PlainList =
  | readonly PlainEntry[]
  | { readonly entries: readonly PlainEntry[]; readonly description?: string };

/** The value of a parameter, or a map with it. */
export type PlainParameter =
  | string
  | number
  | boolean
  | { readonly value: string | number | boolean; readonly description?: string };

/** The contents of a policy file, with its rule sets inserted. */
export interface PlainRuleSet {
  /** What is counted: a whole number each, which a case gives. */
  readonly velocity?: { readonly [name: string]: unknown };
  readonly rules?: readonly PlainRule[];
  readonly tables?: readonly PlainDecisionTable[];
  readonly conditions?: { readonly [name: string]: PlainCondition };
  readonly lists?: { readonly [name: string]: PlainList };
  readonly parameters?: { readonly [name: string]: PlainParameter };
  readonly ruleSets?: readonly PlainRuleSet[];
}

/** A band of the score: where it begins, perhaps with a notice. */
export type PlainBand = number | { readonly atLeast: number; readonly notice?: PlainNotice };

/** A policy as in YAML, with its rule sets and list files inserted. */
export interface PlainPolicy extends PlainRuleSet {
  readonly default: Outcome;
  readonly whenUnknown?: WhenUnknown;
  readonly facts?: PlainFactTable;
  readonly score?: { readonly review?: PlainBand; readonly reject?: PlainBand; readonly notice?: PlainNotice };
  readonly defaultNotice?: PlainNotice;
}

export interface PlainDefinition {
  readonly type: FactType;
  readonly values?: readonly string[];
  readonly past?: boolean;
  readonly format?: Format;
  readonly range?: readonly [least: number, most: number];
  /** In place of `range`, in a policy. */
  readonly min?: number;
  readonly max?: number;
  /** A computation with its operands: numbers, and paths of facts. */
  readonly compute?: { readonly [name: string]: readonly (number | string)[] };
}

/** Definitions by path. */
export type PlainFactTable = { readonly [path: string]: PlainDefinition };

/** The catalog, which computes nothing. */
export const PLAIN_CATALOG: Readonly<Record<string, Omit<FactDefinition, 'compute'>>> = CATALOG;

/** A fact as it came, not folded. */
export type PlainFact = { readonly value: FactValue } | { readonly missing: Cause };
export type PlainFacts = { readonly [path: string]: PlainFact };

/** The columns of a table that are keys of a rule. */
export const EFFECTS = ['then', 'reason', 'message', 'notice', 'points'];

/** The rules of a file and of its rule sets, in the policy's order. */
export function rulesOf({ rules = [], tables = [], ruleSets = [] }: PlainRuleSet): readonly PlainRule[] {
  return [...rules, ...tables.flatMap(rowsOf), ...ruleSets.flatMap(rulesOf)];
}

function rowsOf({ id, columns, rows, ...circumstances }: PlainDecisionTable): PlainRule[] {
  return rows.map((cells, i) => {
    const row = columns.map((column, at) => [column, cells[at]] as const);
    const asked = row.filter(([column, cell]) => !EFFECTS.includes(column) && cell !== 'any');
    const effects = row.filter(([column, cell]) => EFFECTS.includes(column) && cell !== 'none');
    return { ...circumstances, ...Object.fromEntries(effects), id: `${id}/${i + 1}`, when: Object.fromEntries(asked) };
  });
}

/** The facts that a policy declares in all of its files. */
export function factsOfPolicy(policy: PlainPolicy): PlainFactTable {
  return { ...policy.facts, ...velocitiesOf(policy) };
}

function velocitiesOf({ velocity = {}, ruleSets = [] }: PlainRuleSet): PlainFactTable {
  const count: PlainDefinition = { type: 'integer', range: [0, Number.MAX_SAFE_INTEGER] };
  const own = Object.fromEntries(Object.keys(velocity).map((name) => [`velocity.${name}`, count]));
  return Object.assign(own, ...ruleSets.map(velocitiesOf));
}

/** The named conditions of all files. */
export function conditionsOf({ conditions, ruleSets = [] }: PlainRuleSet): NonNullable<PlainRuleSet['conditions']> {
  return Object.assign({}, conditions, ...ruleSets.map(conditionsOf));
}

/** The lists of all files. */
export function listsOf({ lists, ruleSets = [] }: PlainRuleSet): NonNullable<PlainRuleSet['lists']> {
  return Object.assign({}, lists, ...ruleSets.map(listsOf));
}
