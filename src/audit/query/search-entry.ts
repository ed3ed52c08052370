/** A line of a log -> the fields that a search reads. A search checks no hashes; `verifyLog` does. */

import { isAscii } from 'node:buffer';
import { DISPOSITIONS, type Entry, type ErasureFields, type NoteFields, RECORDED_OUTCOMES } from '../entry/entry.ts';
import * as is from '../entry/schema.ts';
import type { SearchableFields } from '../entry/searchable.ts';
import type { FilteredFields } from './filter.ts';

/** The fields of a decision that a search returns. */
export type DecisionSummary = Pick<
  SearchableFields,
  'at' | 'id' | 'outcome' | 'codes' | 'rules' | 'undetermined' | 'missing' | 'policy'
>;

/** The fields of a note that a search reads. */
export type NoteSummary = Pick<NoteFields, 'at' | 'id' | 'decision' | 'disposition'>;

/** An entry as a search reads it. */
export type SearchEntry =
  | ({ readonly kind: 'decision' } & DecisionSummary & FilteredFields)
  | ({ readonly kind: 'note' } & NoteSummary)
  | ({ readonly kind: 'erasure' } & Pick<ErasureFields, 'records'>)
  | { readonly kind: 'open' | 'seal' };

/** A required field, for both readers: its check, and a regular expression for its JSON text as DuckDB writes it. */
interface SearchField {
  is(value: unknown): boolean;
  readonly json: string;
}

const TEXT_JSON = '"([^"\\\\]|\\\\.)*"';
const TEXTS: SearchField = { is: is.TEXTS.is, json: listJson(TEXT_JSON) };
const ID: SearchField = { is: is.ID.is, json: `"${is.UUID_V7}"` };
const IDS: SearchField = { is: is.IDS.is, json: listJson(ID.json) };
const INSTANT = textField('\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}[.]\\d{3}Z');
const POLICY: SearchField = {
  is: (value) => is.isObject(value) && ['name', 'version', 'digest'].every((key) => is.TEXT.is(value[key])),
  json: `\\{"name":${TEXT_JSON},"version":${TEXT_JSON},"digest":${TEXT_JSON}\\}`,
};

/** Lists of facts by cause. */
const MISSING: SearchField = {
  is: (value) => is.isObject(value) && Object.values(value).every(is.TEXTS.is),
  json: `\\{(${TEXT_JSON}:${TEXTS.json}(,${TEXT_JSON}:${TEXTS.json})*)?\\}`,
};

function textField(pattern: string): SearchField {
  const whole = new RegExp(`^(?:${pattern})$`);
  return { is: (value) => typeof value === 'string' && whole.test(value), json: `"(${pattern})"` };
}

function listJson(element: string): string {
  return `\\[(${element}(,${element})*)?\\]`;
}

/**
 * The required fields of each kind of entry; a search ignores other fields. INVARIANT: every line whose fields match
 * `json` passes `is`, so that DuckDB accepts no line that the scan rejects.
 */
export const SEARCH_FIELDS = {
  open: {},
  decision: {
    ...{ at: INSTANT, id: ID, outcome: textField(RECORDED_OUTCOMES.join('|')) },
    ...{ codes: TEXTS, rules: TEXTS, undetermined: TEXTS, missing: MISSING, policy: POLICY },
  },
  note: { at: INSTANT, id: ID, decision: ID, disposition: textField(DISPOSITIONS.join('|')) },
  erasure: { records: IDS },
  seal: {},
} as const satisfies Record<Entry['kind'], Record<string, SearchField>>;

const REQUIRED: ReadonlyMap<unknown, readonly (readonly [name: string, field: SearchField])[]> = new Map(
  Object.entries(SEARCH_FIELDS).map(([kind, fields]) => [kind, Object.entries<SearchField>(fields)]),
);

/** Undefined if the line, without its line break, cannot be read. */
export function readSearchEntry(bytes: Buffer): SearchEntry | undefined {
  const data = parse(bytes);
  if (!is.isObject(data)) return undefined;
  const isReadable = REQUIRED.get(data['kind'])?.every(([name, field]) => field.is(data[name]));
  return isReadable ? (data as unknown as SearchEntry) : undefined;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parse(bytes: Buffer): unknown {
  try {
    // Nearly all lines are ASCII, and latin1 decodes several times as fast.
    return JSON.parse(isAscii(bytes) ? bytes.toString('latin1') : UTF8.decode(bytes));
  } catch {
    return undefined;
  }
}
