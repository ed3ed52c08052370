/** The YAML of one list of `lists:` -> its entries as written, in place or in a file. */

import { refer, TEXT } from '../../facts/json-schema.ts';
import { reportAt } from '../../platform/files/source.ts';
import type { MapEntry, ScalarNode, Yaml } from '../../platform/yaml.ts';
import { readFields, readList, readText } from '../../platform/yaml-fields.ts';
import { readListFile } from './files/list-file.ts';
import type { PolicyFile, PolicyFiles } from './files/policy-files.ts';
import { DESCRIPTION, dayKey, type KeyTable, key, keySetOf, readValues, required, textKey } from './key.ts';
import { ENTRY_SLIPS, LIST_SLIPS } from './slips/keys.ts';
import { DeclaredList, type Entry, writtenEntry } from './values/declared-list.ts';

/** The keys of a list that is written as a map. The context is the name of the list. */
export const LIST_KEYS = {
  file: key(
    'A text file with one entry a line, or a .csv file with a column `value`; relative to this file.',
    TEXT,
    (node) => node,
  ),
  entries: key(
    'The entries: texts, or { value, until, note, owner }.',
    refer('listEntries'),
    (node, _, name: ScalarNode) => readEntries(node, name),
  ),
  description: DESCRIPTION,
} satisfies KeyTable<ScalarNode>;

/** The keys of an entry that is written as a map. */
export const ENTRY_KEYS = {
  value: required(textKey('The value itself.')),
  until: dayKey('The last day on which the entry is valid.'),
  note: textKey('For people: why it is there.'),
  owner: textKey('For people: who is responsible for it.'),
} satisfies KeyTable<unknown>;

/** Reads one list of `lists:`: its entries, or a map with `file` or `entries`. */
export function readNamedList(
  name: string,
  { key: nameNode, value }: MapEntry,
  from: PolicyFile,
  files: PolicyFiles,
): DeclaredList {
  if (value.kind === 'list') return new DeclaredList(name, readEntries(value, nameNode));
  const fields = readFields(value, `the list "${name}"`, keySetOf(LIST_KEYS, { slips: LIST_SLIPS }));
  if (!fields) return new DeclaredList(name, []);
  const { file, entries, description } = readValues(fields, LIST_KEYS, nameNode);
  const about = description === undefined ? {} : { description };
  if (fields.isMeant('file') === fields.isMeant('entries')) {
    reportAt(nameNode, 'missing-key', `the list "${name}" needs either "file" or "entries"`);
  }
  if (entries) return new DeclaredList(name, entries, about);
  const located = file && files.locate(file, from);
  const source = located && files.openText(located, file);
  // A problem with the file is already reported; that the list is empty would only be noise.
  if (!source) return new DeclaredList(name, [], about);
  const lines = readListFile(source);
  if (!lines) return new DeclaredList(name, [], about);
  if (files.hasLostEntries(located, lines.length === 0)) reportLost(nameNode);
  else if (lines.length === 0) reportEmpty(nameNode);
  return new DeclaredList(name, lines, about);
}

function reportEmpty(name: ScalarNode): void {
  const message = `the list "${name.value}" has no entries: no value is ever in it`;
  reportAt(name, 'empty-list', message, { severity: 'warning' });
}

function reportLost(name: ScalarNode): void {
  const message = `the file of the list "${name.value}" had entries and is now empty`;
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
    return value === undefined ? undefined : { written: { value }, span: node };
  }
  const fields = readFields(node, 'an entry', keySetOf(ENTRY_KEYS, { slips: ENTRY_SLIPS }));
  const { value, until, note, owner } = readValues(fields ?? new Map(), ENTRY_KEYS, undefined);
  return value === undefined
    ? undefined
    : { written: writtenEntry(value, { until, note, owner }), span: fields?.get('value')?.value ?? node };
}
