/** A policy -> its rules and conditions as written: with the names of parameters instead of their values. */

import { fold } from '../../../formats/fold.ts';
import type { Policy } from '../../../policy/language.ts';
import { policyData } from '../../../policy/source-map.ts';

type Json = Readonly<Record<string, unknown>>;

/** One of the two policies, with its data. */
export interface Version {
  readonly policy: Policy;
  readonly written: Written;
}

/** Parts of a policy as data. */
interface Written {
  /** By id. A row of a table has the keys of the table and its cells, by column. */
  readonly rules: ReadonlyMap<string, Json>;
  readonly conditions: ReadonlyMap<string, unknown>;
  readonly guarantees: ReadonlyMap<string, unknown>;
  /** The entries of each list, by their folded texts. */
  readonly entries: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** What holds for rules that do not say otherwise. */
  readonly whenUnknown: unknown;
}

/** Reads the data of a policy, with those of its rule sets. */
export function writtenIn(policy: Policy): Written {
  const rules = new Map<string, Json>();
  const conditions = new Map<string, unknown>();
  const entries = new Map<string, ReadonlyMap<string, string>>();
  const addFile = (file: Json): void => {
    for (const rule of (file['rules'] ?? []) as readonly Json[]) rules.set(String(rule['id']), rule);
    for (const table of (file['tables'] ?? []) as readonly Json[]) addRows(table, rules);
    for (const [name, condition] of Object.entries((file['conditions'] ?? {}) as Json)) conditions.set(name, condition);
    for (const [name, list] of Object.entries((file['lists'] ?? {}) as Json)) entries.set(name, textsOf(list));
    for (const set of (file['ruleSets'] ?? []) as readonly Json[]) addFile(set);
  };
  const data = policyData(policy) as Json;
  addFile(data);
  const named = ((data['guarantees'] ?? []) as readonly Json[]).map(
    (each) => [String(each['id']), each['when']] as const,
  );
  return { rules, conditions, guarantees: new Map(named), entries, whenUnknown: data['whenUnknown'] ?? 'review' };
}

/** A file of rows has its columns beside them. */
function addRows({ id, rows, columns, ...table }: Json, into: Map<string, Json>): void {
  const inFile = Array.isArray(rows) ? { rows, columns } : (rows as Json);
  const names = inFile['columns'] as readonly string[];
  for (const [i, cells] of (inFile['rows'] as readonly (readonly unknown[])[]).entries()) {
    const when: Record<string, unknown> = {};
    const row: Record<string, unknown> = { ...table, when };
    // The path of a fact has a dot, and a key of a row has none.
    for (const [at, name] of names.entries()) (name.includes('.') ? when : row)[name] = cells[at];
    into.set(`${id}/${i + 1}`, row);
  }
}

function textsOf(list: unknown): ReadonlyMap<string, string> {
  const entries = Array.isArray(list) ? list : ((list as Json)['entries'] as readonly unknown[]);
  const texts = entries.map((entry) => String(typeof entry === 'object' ? (entry as Json)['value'] : entry));
  return new Map(texts.map((text) => [fold(text) ?? text, text]));
}

/** Whether data name a parameter: as a value, or in a message. */
export function namesParameter(data: unknown, name: string): boolean {
  if (typeof data === 'string') return data === `$${name}` || data.includes(`{$${name}}`);
  return typeof data === 'object' && data !== null && Object.values(data).some((each) => namesParameter(each, name));
}
