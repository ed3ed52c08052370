/** The YAML of one list of `lists:` -> its entries as written, in place or in a file. */

import { isDay } from '../../facts/day.ts';
import { refer, TEXT } from '../../facts/json-schema.ts';
import { isTooLong, reportAt, type Source, type Span } from '../../platform/files/source.ts';
import { describeNode, type MapEntry, type MapNode, type ScalarNode, type Yaml } from '../../platform/yaml.ts';
import { readBoolean, readFields, readList, readText } from '../../platform/yaml-fields.ts';
import { findMeant, lettersOf, trimWhiteSpace } from '../../text.ts';
import { readCsvFile, type TextNode } from './files/csv-file.ts';
import type { PolicyFile, PolicyFiles } from './files/policy-files.ts';
import { DESCRIPTION, dayKey, type KeyTable, key, keySetOf, readValues, required, textKey } from './key.ts';
import { ENTRY_SYNONYMS, LIST_COLUMN_SYNONYMS, LIST_SYNONYMS, meansInForce } from './mistakes/keys.ts';
import { entriesMeant } from './mistakes/lists.ts';
import { dayMeant } from './mistakes/values.ts';
import { DeclaredList, type Entry, writtenEntry } from './values/declared-list.ts';

/** For public suffixes, under which everybody registers domains. */
const SUFFIX = key(
  'true: an entry for inDomainList may be a public suffix, such as com.',
  { type: 'boolean' },
  readBoolean,
);

/** The keys of a list that is written as a map. The context is the name of the list. */
export const LIST_KEYS = {
  file: key(
    'A text file with one entry a line, or a .csv file with a column `value`; relative to this file.',
    TEXT,
    (node) => node,
  ),
  entries: key(
    'The entries: texts, or { value, until, note, owner, suffix }.',
    refer('listEntries'),
    (node, _, name: ScalarNode) => readEntries(node, name),
  ),
  suffix: SUFFIX,
  description: DESCRIPTION,
} satisfies KeyTable<ScalarNode>;

/** The keys of an entry that is written as a map. */
export const ENTRY_KEYS = {
  value: required(textKey('The value itself.')),
  until: dayKey('The last day on which the entry is valid.'),
  note: textKey('For people: why it is there.'),
  owner: textKey('For people: who is responsible for it.'),
  suffix: SUFFIX,
} satisfies KeyTable<unknown>;

/** Reads one list of `lists:`: its entries, or a map with `file` or `entries`. */
export function readNamedList(
  name: string,
  { key: nameNode, value }: MapEntry,
  from: PolicyFile,
  files: PolicyFiles,
): DeclaredList {
  if (value.kind === 'list') return new DeclaredList(name, readEntries(value, nameNode));
  if (isBare(value)) {
    const expected = 'must be a list of entries, or a map with `file`';
    reportAt(value, 'wrong-type', `found ${describeNode(value)}; the list "${name}" ${expected}`, entriesMeant(value));
    return new DeclaredList(name, []);
  }
  const fields = readFields(value, `the list "${name}"`, keySetOf(LIST_KEYS, { synonyms: LIST_SYNONYMS }));
  if (!fields) return new DeclaredList(name, []);
  const { file, entries, description, suffix = false } = readValues(fields, LIST_KEYS, nameNode);
  const about = { ...(description === undefined ? {} : { description }), ...(suffix ? { suffix } : {}) };
  if (fields.isMeant('file') === fields.isMeant('entries')) {
    const hint = fields.isMeant('file') ? 'it has both: leave one of them out' : undefined;
    reportAt(nameNode, 'missing-key', `the list "${name}" needs either "file" or "entries"`, { hint });
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

/** Whether a list is a text or a map of other keys to texts, in place of its entries. */
function isBare(node: Yaml): node is ScalarNode | MapNode {
  if (node.kind === 'scalar') return node.value !== null;
  if (node.kind === 'list' || node.entries.size === 0) return false;
  const isKey = (name: string) => findMeant(name, Object.keys(LIST_KEYS), { synonyms: LIST_SYNONYMS }) !== undefined;
  return [...node.entries].every(([name, { value }]) => !isKey(name) && value.kind === 'scalar');
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
  if (isNoted(node)) {
    const hint = 'write `{ value: …, note: … }` for an entry with a note';
    return reportAt(node, 'wrong-type', 'found a map without the key "value"; an entry must be a text', { hint });
  }
  if (node.kind !== 'map') {
    const answer = node.kind === 'list' ? { hint: 'write its entries without brackets of their own' } : undefined;
    const value = readText(node, 'an entry', { answer });
    return value === undefined ? undefined : { written: { value }, span: node };
  }
  const fields = readFields(node, 'an entry', keySetOf(ENTRY_KEYS, { synonyms: ENTRY_SYNONYMS }));
  const { value, suffix = false, ...about } = readValues(fields ?? new Map(), ENTRY_KEYS, undefined);
  const { until, note, owner } = about;
  if (value === undefined) return undefined;
  const written = { ...writtenEntry(value, { until, note, owner }), ...(suffix ? { suffix } : {}) };
  return { written, span: fields?.get('value')?.value ?? node };
}

/** Reads a list file; undefined, with diagnostics, if anything in it cannot be read. */
function readListFile(source: Source): readonly Entry[] | undefined {
  source.isPrivate = true;
  const entries = source.file.toLowerCase().endsWith('.csv') ? readCsvList(source) : readLines(source);
  return entries?.every((entry) => entry !== undefined) ? entries : undefined;
}

/** `pat@lumen.example: from sales`: an entry that is the key of a text about it. */
function isNoted(node: Yaml): boolean {
  const [[name, { value }] = ['', {}], ...others] = node.kind === 'map' ? [...node.entries] : [];
  const isKey = findMeant(name, Object.keys(ENTRY_KEYS), { synonyms: ENTRY_SYNONYMS }) !== undefined;
  return value?.kind === 'scalar' && others.length === 0 && !isKey;
}

/** One entry a line; `#` starts a comment, and blank lines are skipped. */
function readLines(source: Source): readonly (Entry | undefined)[] {
  source.quote = (text) => text;
  if (source.hasLoneReturn('malformed')) return [undefined];
  const entries: (Entry | undefined)[] = [];
  let lineStart = 0;
  for (const line of source.text.split('\n')) {
    const text = trimWhiteSpace(line.replace(/#.*$/s, ''));
    const comment = line.indexOf('#');
    if (comment >= 0) source.noteComment(lineStart + comment, line.slice(comment));
    const start = lineStart + line.indexOf(text);
    if (text !== '') entries.push(readLine(text, { source, start, end: start + text.length }));
    lineStart += line.length + 1;
  }
  return entries;
}

/** The word before the last day of an entry; in capitals it is a mistake. */
const UNTIL = /(?<!\S)until(?!\S)/i;

/** An entry, or an entry, white space, `until` and a day. What the line says is not quoted: it may name a person. */
function readLine(text: string, span: Span): Entry | undefined {
  if (isTooLong(span, text)) return undefined;
  const at = text.search(UNTIL);
  const word = text.slice(at, at + 'until'.length);
  // The word alone is an entry like any other.
  if (at < 0 || text === word) return { written: { value: text }, span };
  if (at === 0) return reportAt(span, 'malformed', 'found `until` without an entry before it');
  const value = trimWhiteSpace(text.slice(0, at));
  const until = trimWhiteSpace(text.slice(at + word.length));
  if (word === 'until' && isDay(until)) {
    return { written: { value, until }, span: { ...span, end: span.start + value.length } };
  }
  const rest = { ...span, start: span.start + at };
  const { hint = 'write the last day like `until 2026-12-31`, at the end of the line' } = dayMeant(until);
  return reportAt(rest, 'malformed', 'an entry may only be followed by `until` and a calendar day', { hint });
}

/** The columns of a list that are read; others are ignored, unless one of these is meant. */
const COLUMNS = ['value', 'until', 'note', 'owner'] as const;

function readCsvList(source: Source): readonly (Entry | undefined)[] | undefined {
  const file = readCsvFile(source);
  if (!file) return undefined;
  const { header, rows, isWhole } = file;
  const [valueAt = -1, ...others] = COLUMNS.map((name) => header.findIndex(({ value }) => value === name));
  const meant = reportMisnamed(header);
  if (valueAt < 0 && !meant.has('value')) {
    return reportAt(header[0] as TextNode, 'missing-key', 'the file of a list needs the column "value"', {
      hint: 'the first line names the columns: write `value` above the entries',
    });
  }
  if (meant.size > 0) return undefined;
  const entries = rows.map(({ cells }) => {
    const [until, note, owner] = others.map((at) => (cells[at]?.value === '' ? undefined : cells[at]));
    return readRecord(cells[valueAt] as TextNode, { until, note, owner });
  });
  return isWhole ? entries : [...entries, undefined];
}

/**
 * Reports columns that are nearly one of ours, and those that look as if they said when or whether an entry counts, and
 * returns what they mean: ignored, an entry would not end.
 */
function reportMisnamed(header: readonly TextNode[]): ReadonlySet<string | undefined> {
  const missing = COLUMNS.filter((name) => header.every(({ value }) => value !== name));
  const meant = new Set<string | undefined>();
  for (const node of header.filter(({ value }) => !isColumn(value))) {
    const word = findMeant(node.value, missing, SYNONYMS)?.word;
    const isOther = word === undefined && !Object.hasOwn(LIST_COLUMN_SYNONYMS, lettersOf(node.value));
    if (word === undefined && !(isOther && meansInForce(node.value))) continue;
    meant.add(word);
    const rest = 'a column that means something else needs another name';
    reportAt(node, 'unknown-key', `"${node.value}" is not a column of a list; its columns are ${COLUMNS.join(', ')}`, {
      hint: word
        ? `write \`${word}\` in the first line; ${rest}`
        : `each entry counts until its last day, \`until\`: leave out those that do not count; ${rest}`,
    });
  }
  return meant;
}

const SYNONYMS = { synonyms: LIST_COLUMN_SYNONYMS };

function isColumn(name: string): boolean {
  return COLUMNS.some((column) => column === name);
}

function readRecord(
  node: TextNode,
  { until, note, owner }: Readonly<Record<'until' | 'note' | 'owner', TextNode | undefined>>,
): Entry | undefined {
  const value = readText(node, '`value`');
  const [noteText, ownerText] = [note && readText(note, '`note`'), owner && readText(owner, '`owner`')];
  if (until && !isDay(until.value)) {
    const message = '`until` must be a calendar day written yyyy-MM-dd, or be left empty';
    return reportAt(until, 'malformed', message, dayMeant(until.value));
  }
  if (value === undefined) return undefined;
  return { written: writtenEntry(value, { until: until?.value, note: noteText, owner: ownerText }), span: node };
}
