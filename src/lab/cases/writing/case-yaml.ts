/** A test as data -> its YAML, as an item of `tests`. */

import { quoteYaml } from '../../../platform/files/quote.ts';

/** The keys of a test that are written; those that are absent are left out. */
export interface WrittenTest {
  readonly name: string;
  readonly description?: string | undefined;
  /** Of several policies of the file, the one that is tested. */
  readonly policy?: string | undefined;
  readonly at?: string | undefined;
  readonly with?: Readonly<Record<string, unknown>> | undefined;
  readonly from?: string | undefined;
  readonly missing?: Readonly<Record<string, unknown>> | undefined;
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  readonly expect?: object | undefined;
  readonly table?: { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] } | undefined;
}

/** The lines of a test; the first begins with a dash. */
export function testLines({ table, ...test }: WrittenTest): readonly string[] {
  const lines = Object.entries(test).flatMap(([key, value]) => entryLines(key, value));
  const all = [...lines, ...(table ? tableLines(table) : [])];
  return all.map((line, i) => `${i === 0 ? '- ' : '  '}${line}`);
}

/** Wider maps have a line for each entry. */
const WIDEST = 100;

function entryLines(key: string, value: unknown): readonly string[] {
  if (value === undefined || isEmpty(value)) return [];
  const line = `${key}: ${typeof value === 'string' && SENTENCE.test(value) ? value : flow(value)}`;
  if (line.length <= WIDEST || typeof value !== 'object') return [line];
  return [`${key}:`, ...Object.entries(value as object).map(([name, each]) => `  ${flow(name)}: ${flow(each)}`)];
}

/** A text of several words that needs no quotes behind a key. */
const SENTENCE = /^[A-Za-z][\w./-]*,?( [\w./()-]+,?)* [\w./()-]*[\w)]$/;

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

function tableLines({ columns, rows }: NonNullable<WrittenTest['table']>): readonly string[] {
  return ['table:', `  columns: ${flow(columns)}`, '  rows:', ...rows.map((row) => `    - ${flow(row)}`)];
}

/** A value on one line. */
export function flow(value: unknown): string {
  if (typeof value === 'string') return quoteYaml(value, '');
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, each]) => `${flow(key)}: ${flow(each)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
