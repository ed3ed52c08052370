/** The facts of applicants, a row each -> the same as columns, in which a missing fact keeps its cause. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { dayNumber } from '../../facts/day.ts';
import { type Cause, type Fact, type Facts, isMissing, shownValue } from '../../facts/fact.ts';
import { NOT_GIVEN } from '../../facts/fact-reader.ts';
import type { Column, Columns, Days } from './columns.ts';
import { encoderOf, NEVER_NUMBER, numberOf } from './encoded-facts.ts';

/** The columns of some facts. Those that a policy computes have none: each policy computes them again. */
export function columnsOf(rows: readonly Facts[], paths: Iterable<string>, table: FactTable): Columns {
  const columns = new Map<string, Column>();
  for (const path of paths) {
    const definition = table.get(path);
    if (!definition || definition.compute) continue;
    const facts = rows.map((row) => row.get(path) ?? NOT_GIVEN);
    if (facts.every((fact) => fact === NOT_GIVEN)) continue;
    columns.set(path, { ...valuesOf(facts, definition), ...causesOf(facts) });
  }
  return { rows: rows.length, columns };
}

/** The days of rows, yyyy-MM-dd. */
export function daysOf(days: readonly string[]): Days {
  const at = (row: number) => days[row] as string;
  return { at, numberAt: (row) => dayNumber(at(row)) };
}

function valuesOf(facts: readonly Fact[], definition: FactDefinition): Column {
  const { type } = definition;
  if (type === 'level' || type === 'enum' || type === 'string') return textsOf(facts);
  const encode = encoderOf(definition);
  const numbers = Float64Array.from(facts, (fact) => numberOf(fact, encode));
  if (type !== 'date') return { numbers };
  const never = Uint8Array.from(numbers, (number) => (number === NEVER_NUMBER ? 1 : 0));
  return { numbers: numbers.map((number) => (number === NEVER_NUMBER ? Number.NaN : number)), never };
}

/** Texts as they came, since a policy may fold them in its own way. */
function textsOf(facts: readonly Fact[]): Column {
  const codes = new Map<string, number>();
  const codeOf = (text: string) => {
    const code = codes.get(text) ?? codes.size;
    codes.set(text, code);
    return code;
  };
  const byRow = Int32Array.from(facts, (fact) => (isMissing(fact) ? -1 : codeOf(String(shownValue(fact)))));
  return { codes: byRow, texts: [...codes.keys()] };
}

function causesOf(facts: readonly Fact[]): { readonly causes?: readonly (Cause | undefined)[] } {
  if (!facts.some((fact) => isMissing(fact) && fact.missing !== NOT_GIVEN.missing)) return {};
  return { causes: facts.map((fact) => (isMissing(fact) ? fact.missing : undefined)) };
}
