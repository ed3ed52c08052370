/** Captured answers -> every field in them, with its names from the root and its values. */

import { isScalar, type Scalar } from '../../../facts/mapping/value/spelling-key.ts';
import { isObject } from '../../../platform/json.ts';
import { indexSegment, isNameable, isPersonalKey, nameSegment } from '../names/json-path.ts';
import { readSubject, type Subject } from '../names/subject.ts';
import { readName } from '../names/tokenise.ts';
import { isKnown, labelledEntries } from './label-value-lists.ts';

/** The value of a field in one answer. */
export interface Sample {
  /** The index of the answer. */
  readonly answer: number;
  readonly value: Scalar | null;
}

/** A field of the answers with single values, or with lists. */
export interface AnswerField {
  readonly kind: 'value' | 'list';
  /** Starts with `$`. */
  readonly jsonPath: string;
  /** The JSONPath of the map or list that holds the field. */
  readonly parent: string;
  /** The JSONPaths of all maps, lists and entries that hold the field, from the root down to `parent`. */
  readonly above: readonly string[];
  /** From the root: the names of fields, and the words of labels. */
  readonly names: readonly string[];
  /** The meaning of the names. */
  readonly subject: Subject;
  /** The values; for a list, its scalar entries. */
  readonly samples: readonly Sample[];
  /** For a list: its length in each answer that has it. */
  readonly lengths: readonly { readonly answer: number; readonly length: number }[];
  /** Whether one answer can have several values here. */
  readonly isRepeated: boolean;
}

/** The value of one answer at a position. */
interface Occurrence<Value = unknown> {
  readonly answer: number;
  readonly value: Value;
}

type Json = Record<string, unknown>;

interface Position {
  readonly jsonPath: string;
  readonly above: readonly string[];
  readonly names: readonly string[];
  readonly isRepeated: boolean;
  readonly depth: number;
}

/** Longer names are ignored; real ones are far shorter. */
const MAX_KEY_LENGTH = 200;
/** Deeper values are ignored: their paths would be unreadable in a mapping. */
const MAX_DEPTH = 32;
/** The most values and lists to visit; answers of the service have some hundreds. */
const MAX_VISITS = 100_000;
/** The most entries of one list to visit: further ones are like them. */
const MAX_ENTRIES = 500;

/** Every field of the answers, in the order of first occurrence. Never throws on JSON. */
export function collectFields(answers: readonly unknown[]): readonly AnswerField[] {
  const collector = new FieldCollector(findLegend(answers));
  collector.visit(
    answers.map((value, answer) => ({ answer, value })),
    { jsonPath: '$', above: [], names: [], isRepeated: false, depth: 0 },
  );
  return collector.fields;
}

class FieldCollector {
  readonly fields: AnswerField[] = [];
  readonly #legend: Legend | undefined;
  #visits = 0;

  constructor(legend: Legend | undefined) {
    this.#legend = legend;
  }

  /** Visits everything at one position, in all answers. */
  visit(occurrences: readonly Occurrence[], position: Position): void {
    this.#visits += occurrences.length;
    if (this.#visits > MAX_VISITS || position.depth > MAX_DEPTH) return;
    const scalars = occurrences.filter((one): one is Sample => one.value === null || isScalar(one.value));
    if (scalars.length > 0) this.#add('value', position, scalars);
    const lists = occurrences.filter((one): one is Occurrence<readonly unknown[]> => Array.isArray(one.value));
    if (lists.length > 0) this.#visitLists(lists, position);
    const maps = occurrences.filter((one): one is Occurrence<Json> => isObject(one.value));
    if (maps.length > 0) this.#visitMaps(maps, position);
  }

  #add(
    kind: AnswerField['kind'],
    { jsonPath, above, names, isRepeated }: Position,
    samples: readonly Sample[],
    lengths: AnswerField['lengths'] = [],
  ): void {
    const parent = above.at(-1) ?? '';
    const subject = readSubject(names);
    this.fields.push({ kind, jsonPath, parent, above, names, subject, samples, lengths, isRepeated });
  }

  #visitMaps(maps: readonly Occurrence<Json>[], position: Position): void {
    const keys = [...new Set(maps.flatMap(({ value }) => Object.keys(value).slice(0, MAX_ENTRIES)))];
    if (isById(keys, maps)) {
      const entries = maps.flatMap(({ answer, value }) => Object.values(value).map((one) => ({ answer, value: one })));
      this.#visitEntries(entries, position);
      return;
    }
    const table = findTable(maps.map(({ value }) => value));
    if (table) this.#visitTable(table, maps, position);
    const legend = this.#legend;
    const isShort = legend !== undefined && maps.every(({ value }) => isNamedBy(legend, value));
    for (const key of keys) {
      if (key === table?.columnsKey || key === table?.rowsKey) continue;
      // A key with personal data is not a name: another applicant's answer would not have it.
      if (isPersonalKey(key) || key.length > MAX_KEY_LENGTH || !isNameable(key)) continue;
      const inside = maps.flatMap(({ answer, value }) =>
        Object.hasOwn(value, key) ? [{ answer, value: value[key] }] : [],
      );
      const name = (isShort ? legend.get(key) : undefined) ?? withoutPrefix(key);
      this.visit(inside, descend(position, nameSegment(key), splitLabel(name)));
    }
  }

  /** Visits the columns of a table, each as a field of its own. */
  #visitTable({ rowsKey, columns }: Table, maps: readonly Occurrence<Json>[], position: Position): void {
    const rows = maps.flatMap(({ answer, value }) => {
      return (value[rowsKey] as readonly (readonly unknown[])[]).slice(0, MAX_ENTRIES).map((row) => ({ answer, row }));
    });
    for (const [index, name] of columns.entries()) {
      if (name === undefined) continue;
      const inside = rows.map(({ answer, row }) => ({ answer, value: row[index] }));
      const segments = `${nameSegment(rowsKey)}[*]${indexSegment(index)}`;
      this.visit(inside, descend(position, segments, splitLabel(name), hasSeveral(inside)));
    }
  }

  #visitLists(lists: readonly Occurrence<readonly unknown[]>[], position: Position): void {
    const entries = lists.flatMap(({ answer, value }) =>
      value.slice(0, MAX_ENTRIES).map((one) => ({ answer, value: one })),
    );
    const scalars = entries.filter((one): one is Sample => isScalar(one.value));
    const lengths = lists.map(({ answer, value }) => ({ answer, length: value.length }));
    this.#add('list', position, scalars, lengths);
    if (lists.every(({ value }) => isCoordinates(value))) {
      for (const index of [0, 1]) {
        const inside = lists.map(({ answer, value }) => ({ answer, value: value[index] }));
        this.visit(inside, descend(position, indexSegment(index), [`item ${index}`]));
      }
    }
    this.#visitEntries(
      entries.filter(({ value }) => !isScalar(value) && value !== null),
      position,
    );
  }

  /** Visits the entries of a list, or of a map by id: by their labels if they have any, else all as one. */
  #visitEntries(entries: readonly Occurrence[], position: Position): void {
    if (entries.length === 0) return;
    const labelled = labelledEntries(entries.map(({ value }) => value));
    if (!labelled) {
      this.visit(entries, descend(position, '[*]', [], hasSeveral(entries)));
      return;
    }
    for (const { labels, indexes } of labelled.groups) {
      const group = indexes.flatMap((index) => entries[index] ?? []);
      const inside = group.map(({ answer, value }) => ({ answer, value: labelled.valueOf(value) }));
      const segments = labelled.segmentsOf(labels);
      this.visit(inside, descend(position, segments, labels.flatMap(splitLabel), hasSeveral(group)));
    }
  }
}

function descend(
  { jsonPath, above, names, isRepeated, depth }: Position,
  segments: string,
  further: readonly string[],
  repeats = false,
): Position {
  return {
    jsonPath: jsonPath + segments,
    above: [...above, jsonPath],
    names: [...names, ...further],
    isRepeated: isRepeated || repeats,
    depth: depth + 1,
  };
}

/** Whether some answer has more than one occurrence. */
function hasSeveral(occurrences: readonly Occurrence[]): boolean {
  return new Set(occurrences.map(({ answer }) => answer)).size < occurrences.length;
}

/** A name without its XML prefix (`phone` of `ns2:phone`), unless the vocabulary knows the prefix. */
function withoutPrefix(key: string): string {
  const [, prefix = '', name = key] = /^([a-z][a-z\d]{0,9}):([^:\s]+)$/.exec(key) ?? [];
  return readName(prefix).tokens.every(({ role }) => role === 'unknown' || role === 'number') ? name : key;
}

const SEPARATOR = /\s*(?:[>›»→|:/\\]|::|(?<=\D)\.(?=\D)|\s[-–—]\s)\s*/u;

/** The names in a label: `Phone > Mobile Network Operator`, `phone.risk_level`, `Phone / Risk Level`. */
function splitLabel(label: string): readonly string[] {
  const parts = label.split(SEPARATOR).filter((part) => part !== '');
  return parts.length > 0 && parts.length < MAX_DEPTH ? parts : [label];
}

/** Two decimal numbers: a point on the map. */
function isCoordinates(list: readonly unknown[]): boolean {
  return list.length === 2 && list.every((one) => /^-?\d+\.\d+$/.test(String(one)));
}

/** Whether the keys are not names but ids of entries: numbers, UUIDs, or personal data. */
function isById(keys: readonly string[], maps: readonly Occurrence<Json>[]): boolean {
  if (keys.length === 0 || !keys.every(isId)) return false;
  return maps.every(({ value }) => Object.values(value).every((one) => typeof one === 'object'));
}

function isId(key: string): boolean {
  return isPersonalKey(key) || /^\d+$/.test(key) || /^[\p{L}]{0,6}[-_:#]?[\da-f-]*\d[\da-f-]*$/iu.test(key);
}

/** Rows without names, next to the names of their columns. */
interface Table {
  readonly columnsKey: string;
  readonly rowsKey: string;
  /** By index; undefined for a column without a name. */
  readonly columns: readonly (string | undefined)[];
}

/** Fewer names than this are taken for a coincidence, not for a table or a legend. */
const MIN_NAMES = 3;
const MAX_NAMES = 500;
const MAX_LEGEND_DEPTH = 6;
const NAME_KEY = /^(?:name|label|title|field|key|id|caption|header|column)$/i;

/** A list of names next to a list of lists of the same length; all maps must have the same names. */
function findTable(maps: readonly Readonly<Record<string, unknown>>[]): Table | undefined {
  const [first = {}] = maps;
  for (const columnsKey of Object.keys(first)) {
    const columns = columnsOf(first[columnsKey]);
    if (!columns) continue;
    const isSame = maps.every((map) => JSON.stringify(columnsOf(own(map, columnsKey))) === JSON.stringify(columns));
    const rowsKey = Object.keys(first).find((key) => {
      return key !== columnsKey && maps.every((map) => areRows(own(map, key), columns.length));
    });
    if (isSame && rowsKey !== undefined) return { columnsKey, rowsKey, columns };
  }
  return undefined;
}

function columnsOf(value: unknown): readonly (string | undefined)[] | undefined {
  if (!Array.isArray(value) || value.length < MIN_NAMES || value.length > MAX_NAMES) return undefined;
  const names = value.map(nameOf);
  const knownNames = names.filter((name) => name !== undefined && isKnown(name));
  return knownNames.length * 2 >= names.length ? names : undefined;
}

function nameOf(column: unknown): string | undefined {
  if (typeof column === 'string') return column;
  if (!isObject(column)) return undefined;
  const name = Object.entries(column).find(([key]) => NAME_KEY.test(key))?.[1];
  return typeof name === 'string' ? name : undefined;
}

function areRows(value: unknown, width: number): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((row) => Array.isArray(row) && row.length === width);
}

/** Short name -> its meaning. */
type Legend = ReadonlyMap<string, string>;

/** The legend, if all answers have the same: `{ a: 'Current operator', b: 'Phone type', … }`. */
function findLegend(answers: readonly unknown[]): Legend | undefined {
  const legends = answers.map((answer) => legendIn(answer, 0));
  const [first] = legends;
  const isSame = legends.every((one) => JSON.stringify(one) === JSON.stringify(first));
  return first && isSame ? new Map(Object.entries(first)) : undefined;
}

function legendIn(value: unknown, depth: number): Record<string, string> | undefined {
  if (depth > MAX_LEGEND_DEPTH || !isObject(value)) return undefined;
  if (isLegend(value)) return value;
  for (const inside of Object.values(value)) {
    const legend = legendIn(inside, depth + 1);
    if (legend) return legend;
  }
  return undefined;
}

/** Short keys, each with a longer, different text, at least half of them names that the vocabulary knows. */
function isLegend(map: Readonly<Record<string, unknown>>): map is Record<string, string> {
  const entries = Object.entries(map);
  if (entries.length < MIN_NAMES || entries.length > MAX_NAMES) return false;
  if (!entries.every(([key, name]) => key.length <= 4 && typeof name === 'string' && name.length > key.length)) {
    return false;
  }
  const names = entries.map(([, name]) => String(name));
  const knownNames = names.filter((name) => isKnown(name) && readName(name).tokens.length > 1);
  return knownNames.length * 2 >= names.length && new Set(names).size === names.length;
}

/** Whether all keys of a map are short names of the legend, and the map is not the legend itself. */
function isNamedBy(legend: Legend, map: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(map);
  if (keys.length < MIN_NAMES || !keys.every((key) => legend.has(key))) return false;
  const meanings = new Set<unknown>(legend.values());
  return !Object.values(map).every((value) => meanings.has(value));
}

function own(map: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
