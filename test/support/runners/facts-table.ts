/** Policies and applicants as plain data -> a facts table: typed columns by the convention, and rows. */

import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import { columnOf, neverColumnOf } from '../../../src/decision/sql/table-columns.ts';
import type { FactType } from '../../../src/facts/catalog.ts';
import { givenFacts } from '../../../src/facts/compute.ts';
import { fold } from '../../../src/platform/formats/fold.ts';
import { type Format, readFormat } from '../../../src/platform/formats/format.ts';
import type { Policy } from '../../../src/policy/language.ts';
import type { PlainFact, PlainFacts } from './plain.ts';

/** A cell; null if the fact is missing. */
export type Cell = number | boolean | string | null;

/** The type of a column, by the convention of docs/at-scale.md. */
export type CellType = 'id' | 'number' | 'integer' | 'boolean' | 'text' | 'date';

export interface FactsTable {
  readonly columns: readonly { readonly name: string; readonly type: CellType }[];
  readonly rows: readonly (readonly Cell[])[];
}

const CELL_TYPES: Readonly<Record<FactType, CellType>> = {
  number: 'number',
  integer: 'integer',
  level: 'text',
  boolean: 'boolean',
  enum: 'text',
  string: 'text',
  date: 'date',
};

/**
 * Applicants as a table with the columns `id`, counted from 0, and `at`. A fact that no applicant has gets no
 * column.
 */
export function factsTable(policy: Policy, applicants: readonly PlainFacts[], day: string): FactsTable {
  const conditions = JSON.stringify(policy.rules.map(({ when }) => when));
  const named = [...policy.facts.keys()].filter((path) => conditions.includes(path));
  const given = givenFacts(named, policy.facts);
  const used = [...policy.facts].filter(([path]) => given.has(path));
  const columns = used.flatMap(([path, { type }]) => {
    const column = { name: columnOf(path), type: CELL_TYPES[type] };
    return type === 'date' ? [column, { name: neverColumnOf(column.name), type: 'boolean' as const }] : [column];
  });
  const rows = applicants.map((facts, i) => {
    return [i, day, ...used.flatMap(([path, { type, format }]) => cellsOf(facts[path], type, format))];
  });
  return { columns: [{ name: 'id', type: 'id' }, { name: 'at', type: 'date' }, ...columns], rows };
}

function cellsOf(fact: PlainFact | undefined, type: FactType, format: Format | undefined): Cell[] {
  const value = fact === undefined || 'missing' in fact ? null : fact.value;
  if (type === 'date') return value === 'never' ? [null, true] : [value, value === null ? null : false];
  if (type !== 'string' || value === null) return [value];
  if (format === undefined) return [fold(String(value)) ?? null];
  const read = readFormat(format, String(value));
  return ['value' in read ? read.value : null];
}

/** The result of a row by SQL. */
export interface SqlResult {
  readonly outcome: string;
  readonly fired: readonly string[];
  readonly undetermined: readonly string[];
  readonly score_least: number;
  readonly score_most: number;
}

/** The same from a verdict. Its fired rules are sorted by outcome; here they are in the policy's order. */
export function resultOf({ rules }: Policy, { outcome, reasons, undetermined, score }: Verdict): SqlResult {
  const fired = new Set(reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.rule] : [])));
  return {
    outcome,
    fired: rules.map(({ id }) => id).filter((id) => fired.has(id)),
    undetermined: undetermined.map(({ rule }) => rule),
    score_least: score.least,
    score_most: score.most,
  };
}
