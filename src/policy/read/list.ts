/** The YAML of one list of a policy's `lists:`, and list files -> a named list of folded texts. */

import { isDay } from '../../facts/day.ts';
import { fold } from '../../facts/fold.ts';
import { type MapEntry, reportAt, type ScalarNode, type Source, type Yaml } from '../../platform/yaml.ts';
import { readFields, readList, readText } from '../../platform/yaml-fields.ts';
import { trimWhiteSpace } from '../../text.ts';
import type { NamedList } from '../operators.ts';
import type { PolicyFile, PolicyFiles } from './folder.ts';

/** A list, and its entries as data for the digest. */
export interface DeclaredList {
  readonly list: NamedList;
  readonly data: unknown;
}

/** An entry as written; `until` is the last day on which it counts. */
interface Entry {
  readonly value: string;
  readonly until?: string;
  readonly note?: string;
}

/** Reads one list of `lists:`: entries in place, or `{ file }` or `{ entries }` with a description. */
export function readNamedList(
  name: string,
  { key, value }: MapEntry,
  from: PolicyFile,
  files: PolicyFiles,
): DeclaredList {
  if (value.kind === 'list') return gather(name, readEntries(value, key));
  const fields = readFields(value, `the list "${name}"`, { optional: ['file', 'entries', 'description'] });
  const file = fields?.get('file');
  const entries = fields?.get('entries');
  const description = fields?.get('description');
  const describes = description && readText(description.value, '`description`');
  const about = describes === undefined ? {} : { description: describes };
  if (fields && fields.isMeant('file') === fields.isMeant('entries')) {
    reportAt(key, 'missing-key', `the list "${name}" needs either "file" or "entries"`);
  }
  if (entries) return gather(name, readEntries(entries.value, key), about);
  const located = file && files.locate(file.value, from);
  const source = located && files.openList(located, file.value);
  // Without a source its problem is reported already; an empty list would only add noise.
  if (!source) return gather(name, [], about);
  const written = readListFile(source);
  if (files.hasLostEntries(located, written.length === 0)) reportLost(key);
  else if (written.length === 0) reportEmpty(key);
  return gather(name, written, about);
}

function gather(name: string, written: readonly Entry[], about?: object): DeclaredList {
  const entries = new Map<string, string | undefined>();
  let longest = 0;
  for (const { value, until } of written) {
    const text = fold(value);
    longest = Math.max(longest, text.length);
    entries.set(text, entries.has(text) ? later(entries.get(text), until) : until);
  }
  const data = written.map((entry) => (Object.keys(entry).length === 1 ? entry.value : entry));
  return { list: { name, entries, longest }, data: about ? { ...about, entries: data } : data };
}

/** An entry that stands twice counts as long as either does. */
function later(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || other === undefined ? undefined : one > other ? one : other;
}

function reportEmpty(name: ScalarNode): void {
  const message = `the list "${name.value}" has no entries, so that nothing is ever in it`;
  reportAt(name, 'empty-list', message, { severity: 'warning' });
}

function reportLost(name: ScalarNode): void {
  const message = `the file of the list "${name.value}" had entries and has none any more`;
  reportAt(name, 'empty-list', message, { hint: 'to empty the list while the service runs, write `entries: []`' });
}

function readEntries(node: Yaml, name: ScalarNode): readonly Entry[] {
  const items = readList(node, 'the entries of a list');
  if (items?.length === 0) reportEmpty(name);
  return (items ?? []).flatMap((item) => readEntry(item) ?? []);
}

function readEntry(node: Yaml): Entry | undefined {
  if (node.kind !== 'map') {
    const value = readText(node, 'an entry');
    return value === undefined ? undefined : { value };
  }
  const fields = readFields(node, 'an entry', { required: ['value'], optional: ['until', 'note'] });
  const text = (key: string, reader = readText) => {
    const entry = fields?.get(key);
    return entry && reader(entry.value, `\`${key}\``);
  };
  const value = text('value');
  const until = text('until', readDay);
  const note = text('note');
  if (value === undefined) return undefined;
  return { value, ...(until === undefined ? {} : { until }), ...(note === undefined ? {} : { note }) };
}

/** A calendar day. */
export function readDay(node: Yaml, what: string): string | undefined {
  const text = readText(node, what, isDay);
  if (text === undefined || isDay(text)) return text;
  reportAt(node, 'malformed', `"${text}" is not a calendar day written yyyy-MM-dd`);
  return undefined;
}

/** One entry a line; `#` starts a comment; blank lines count for nothing. */
function readListFile(source: Source): readonly Entry[] {
  const values = source.text.split('\n').map((line) => trimWhiteSpace(line.replace(/#.*$/s, '')));
  return values.filter((value) => value !== '').map((value) => ({ value }));
}
