/** The sources of the verification service -> the facts that each of them returns. */

import type { FactTable } from '../../facts/catalog.ts';
import { variablesOf } from '../../policy/language.ts';

/** The sources that can fail, each with what a fact of it needs: an identity variable, or a further service. */
export const SOURCES = { phone: 'phoneNo', email: 'email', ip: 'ip', identity: 'composite' } as const;

/** A source of the verification service. */
export type SourceName = keyof typeof SOURCES;

/** Whether a source returns a fact. What is derived from it is not returned. */
export function isFrom(source: SourceName, path: string, table: FactTable): boolean {
  return table.get(path)?.origin === 'service' && variablesOf(path, table).includes(SOURCES[source]);
}
