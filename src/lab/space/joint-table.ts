/** Policies -> one table of their facts. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import type { Policy } from '../../policy/language.ts';

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
