/** A table of facts -> rows of text, for docs and editors. */

import { CATALOG_TABLE, type FactDefinition, type FactTable, LEVELS } from './catalog.ts';
import { computationWords } from './compute.ts';

/** A fact as text; a column that does not apply is empty. */
export interface CatalogRow {
  readonly path: string;
  /** Its name on pages; empty for a declared fact. */
  readonly label: string;
  readonly type: string;
  /** The values that the fact can have, in words or as names. */
  readonly values: string;
  readonly unit: string;
  readonly description: string;
  /** The signal's name in the service's documentation, or what the fact is derived from. */
  readonly signal: string;
}

/** One row for each fact of the table, in the table's order. */
export function catalogRows(table: FactTable = CATALOG_TABLE): CatalogRow[] {
  return [...table].map(([path, definition]) => ({
    path,
    label: definition.label ?? '',
    type: definition.type,
    values: valuesOf(definition),
    unit: definition.unit ?? '',
    description: definition.description,
    signal: originOf(definition),
  }));
}

function valuesOf({ type, values = [], format, range, past }: FactDefinition): string {
  if (type === 'enum') return values.join(', ');
  if (type === 'boolean') return 'true, false';
  if (type === 'level') return `${LEVELS.at(0)} to ${LEVELS.at(-1)}`;
  if (type === 'date') return past ? 'a day in the past, or never' : 'a day, or never';
  if (format) return `format: ${format}`;
  if (!range) return '';
  const [least, most] = range;
  return most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
}

function originOf({ origin, signal = '', inputs = [], compute }: FactDefinition): string {
  if (compute) return `computed: ${computationWords(compute)}`;
  if (origin === 'derived') return `derived from ${inputs.join(', ')}`;
  if (origin === 'applicant') return 'as sent to the service';
  return origin === 'caller' ? 'given by the caller' : signal;
}
