/** A line of a log -> what a search reads of it. That the line is as it was written is for `verifyLog` to say: a search reads no hash. */

import { isAscii } from 'node:buffer';
import { OUTCOMES } from '../../policy/language.ts';
import { DISPOSITIONS, type Entry, type ErasureFields, type NoteFields } from '../entry/entry.ts';
import * as is from '../entry/schema.ts';
import type { SearchableFields } from '../entry/searchable.ts';
import type { Searched } from './filter.ts';

/** A decision that a search gives. */
export type ClearDecision = Pick<
  SearchableFields,
  'at' | 'id' | 'outcome' | 'codes' | 'rules' | 'undetermined' | 'causes' | 'policy'
>;

/** What of a note is read. */
export type ClearNote = Pick<NoteFields, 'at' | 'id' | 'decision' | 'disposition'>;

/** What a search reads of a line. */
export type SearchEntry =
  | ({ readonly kind: 'decision' } & ClearDecision & Searched)
  | ({ readonly kind: 'note' } & ClearNote)
  | ({ readonly kind: 'erasure' } & Pick<ErasureFields, 'records'>)
  | { readonly kind: 'open' | 'seal' };

/** The forms of ids and instants, for both readers. */
export const ID_FORM = is.UUID_V7;
export const INSTANT_FORM = '\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}[.]\\d{3}Z';

const ID = formOf(ID_FORM);
const INSTANT = formOf(INSTANT_FORM);
const POLICY: is.Type = {
  expected: 'an object with name, version and digest',
  is: (value) => isObject(value) && ['name', 'version', 'digest'].every((key) => is.TEXT.is(value[key])),
};

/** What has to be there, by kind; what else is there is not looked at. INVARIANT: `IS_READABLE` of search-sql.ts asks for as much at least. */
const NEEDED: Readonly<Record<Entry['kind'], readonly (readonly [key: string, type: is.Type])[]>> = {
  open: [],
  decision: [
    ['at', INSTANT],
    ['id', ID],
    ['outcome', is.oneOf(...OUTCOMES)],
    ['codes', is.TEXTS],
    ['rules', is.TEXTS],
    ['undetermined', is.TEXTS],
    ['causes', is.TEXTS],
    ['policy', POLICY],
  ],
  note: [
    ['at', INSTANT],
    ['id', ID],
    ['decision', ID],
    ['disposition', is.oneOf(...DISPOSITIONS)],
  ],
  erasure: [['records', { expected: 'a list of ids', is: (ids) => Array.isArray(ids) && ids.every(ID.is) }]],
  seal: [],
};

/** Undefined for a line, given without its line break, that cannot be read. */
export function readSearchEntry(bytes: Buffer): SearchEntry | undefined {
  const data = parse(bytes);
  if (!isObject(data)) return undefined;
  const { kind } = data;
  const needed = typeof kind === 'string' && Object.hasOwn(NEEDED, kind) ? NEEDED[kind as Entry['kind']] : undefined;
  return needed?.every(([key, type]) => type.is(data[key])) ? (data as unknown as SearchEntry) : undefined;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parse(bytes: Buffer): unknown {
  try {
    // Nearly all lines are ASCII, which is read several times as fast.
    return JSON.parse(isAscii(bytes) ? bytes.toString('latin1') : UTF8.decode(bytes));
  } catch {
    return undefined;
  }
}

function isObject(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

function formOf(form: string): is.Type {
  const pattern = new RegExp(`^${form}$`);
  return { expected: 'another form', is: (value) => typeof value === 'string' && pattern.test(value) };
}
