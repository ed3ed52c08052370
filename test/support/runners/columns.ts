/** Facts of several applicants -> the columns of a batch. */

import type { Column, Columns } from '../../../src/decision/matcher/columns.ts';
import { type FactTable, type FactType, LEVELS } from '../../../src/facts/catalog.ts';
import { dayNumber } from '../../../src/facts/day.ts';
import { type Fact, type Facts, type FactValue, isMissing, NEVER } from '../../../src/facts/fact.ts';

/** A column for each fact that an applicant has. Levels are names, or with `asSteps` numbers. */
export function columnsOf(applicants: readonly Facts[], table: FactTable, asSteps: boolean): Columns {
  const columns = new Map<string, Column>();
  for (const [path, { type }] of table) {
    const facts = applicants.map((facts): Fact => facts.get(path) ?? { missing: 'notGiven' });
    if (facts.every(isMissing)) continue;
    const isText = type === 'string' || type === 'enum' || (type === 'level' && !asSteps);
    columns.set(path, isText ? textColumn(facts) : numberColumn(facts, type));
  }
  return { rows: applicants.length, columns };
}

function textColumn(facts: readonly Fact[]): Column {
  const texts = [...new Set(facts.flatMap((fact) => (isMissing(fact) ? [] : [String(fact.value)])))];
  const codes = Int32Array.from(facts, (fact) => (isMissing(fact) ? 0 : texts.indexOf(String(fact.value))));
  return { codes, texts, missing: maskOf(facts) };
}

function numberColumn(facts: readonly Fact[], type: FactType): Column {
  const numbers = Float64Array.from(facts, (fact) => (isMissing(fact) ? 0 : toNumber(fact.value, type)));
  const never = Uint8Array.from(facts, (fact) => Number(!isMissing(fact) && fact.value === NEVER));
  return { numbers, missing: maskOf(facts), ...(type === 'date' ? { never } : {}) };
}

function maskOf(facts: readonly Fact[]): Uint8Array {
  return Uint8Array.from(facts, (fact) => Number(isMissing(fact)));
}

function toNumber(value: FactValue, type: FactType): number {
  if (type === 'level') return (LEVELS as readonly FactValue[]).indexOf(value);
  if (type === 'date') return value === NEVER ? Number.NaN : dayNumber(String(value));
  return Number(value);
}
