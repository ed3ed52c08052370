/** Policies -> one table of their facts. */

import { VerdictError } from '../../errors.ts';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import type { Policy } from '../../policy/language.ts';
import { definitionKey } from '../../policy/sameness.ts';

/** The facts of all policies, by the definitions of the last that has them. An enum has the values of all. */
export function jointTable(policies: readonly Policy[]): FactTable {
  const table = new Map<string, FactDefinition>();
  for (const [path, definition] of policies.flatMap(({ facts }) => [...facts])) {
    const own = definition.values ?? [];
    const values = [...new Set([...own, ...(table.get(path)?.values ?? [])])];
    table.set(path, values.length > own.length ? { ...definition, values } : definition);
  }
  return table;
}

/** Throws REQUEST_INVALID unless values of a fact mean the same by all of its definitions. */
export function checkComparable(path: string, definitions: Iterable<FactDefinition>): void {
  if (new Set([...definitions].map((each) => definitionKey(each, 'meaning'))).size === 1) return;
  const message = `the policies declare ${path} in ways that cannot be compared`;
  throw new VerdictError('REQUEST_INVALID', `${message}; give it another name in one of them`);
}
