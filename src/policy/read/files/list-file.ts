/** A list file, one entry a line or CSV -> its entries as written; what is wrong is reported in the file. */

import { isDay } from '../../../facts/day.ts';
import { reportAt, type Source, type Span } from '../../../platform/files/source.ts';
import { readText } from '../../../platform/yaml-fields.ts';
import { trimWhiteSpace } from '../../../text.ts';
import { type Entry, writtenEntry } from '../values/declared-list.ts';
import { readCsvFile, type TextNode } from './csv-file.ts';

/** Reads a list file; undefined, with diagnostics, if anything in it cannot be read. */
export function readListFile(source: Source): readonly Entry[] | undefined {
  source.isPrivate = true;
  const entries = source.file.toLowerCase().endsWith('.csv') ? readCsvList(source) : readLines(source);
  return entries?.every((entry) => entry !== undefined) ? entries : undefined;
}

/** One entry a line; `#` starts a comment, and blank lines are skipped. */
function readLines(source: Source): readonly (Entry | undefined)[] {
  source.quote = (text) => text;
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

/** The word before the last day of an entry; in capitals it is a slip. */
const UNTIL = /(?<!\S)until(?!\S)/i;

/** An entry, or an entry, white space, `until` and a day. What the line says is not quoted: it may name a person. */
function readLine(text: string, span: Span): Entry | undefined {
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
  return reportAt(rest, 'malformed', 'an entry may only be followed by `until` and a calendar day', {
    hint: 'write the last day like `until 2026-12-31`, at the end of the line',
  });
}

/** The columns of a list that are read; others are ignored. */
const COLUMNS = ['value', 'until', 'note', 'owner'] as const;

function readCsvList(source: Source): readonly (Entry | undefined)[] | undefined {
  const file = readCsvFile(source);
  if (!file) return undefined;
  const { header, rows, isWhole } = file;
  const [valueAt = -1, ...others] = COLUMNS.map((name) => header.findIndex(({ value }) => value === name));
  if (valueAt < 0) {
    const names = header.map(({ value }) => value);
    return reportAt(header[0] as TextNode, 'missing-key', 'the file of a list needs the column "value"', {
      unknown: { word: 'value', known: names },
    });
  }
  const entries = rows.map(({ cells }) => {
    const [until, note, owner] = others.map((at) => (cells[at]?.value === '' ? undefined : cells[at]));
    return readRecord(cells[valueAt] as TextNode, { until, note, owner });
  });
  return isWhole ? entries : [...entries, undefined];
}

function readRecord(
  node: TextNode,
  { until, note, owner }: Readonly<Record<'until' | 'note' | 'owner', TextNode | undefined>>,
): Entry | undefined {
  const value = readText(node, '`value`');
  const [noteText, ownerText] = [note && readText(note, '`note`'), owner && readText(owner, '`owner`')];
  if (until && !isDay(until.value)) {
    return reportAt(until, 'malformed', '`until` must be a calendar day written yyyy-MM-dd, or be left empty');
  }
  if (value === undefined) return undefined;
  return { written: writtenEntry(value, { until: until?.value, note: noteText, owner: ownerText }), span: node };
}
