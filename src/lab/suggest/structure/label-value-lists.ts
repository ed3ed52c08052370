/** The entries of a list -> the fields that distinguish them: `group` and `name`, `section`, `code`. */

import { isObject } from '../../../platform/json.ts';
import { indexSegment, isNameable, isPersonalKey, labelFilter, nameSegment } from '../names/json-path.ts';
import { readName, splitWords } from '../names/tokenise.ts';
import { splitList } from '../names/vocabulary.ts';

/** The keys that lead to a field of an entry. */
type KeyPath = readonly string[];

/** Entries with the same labels. */
type LabelGroup = ReturnType<typeof groupByLabels>[number];

/** The entries of a list, by their labels. */
interface LabelledEntries {
  /** Entries without labels are in no group. */
  readonly groups: readonly LabelGroup[];
  /** The segments of a JSONPath that lead to what these labels name. */
  readonly segmentsOf: (labels: readonly string[]) => string;
  /** What an entry holds beside its labels. */
  readonly valueOf: (entry: unknown) => unknown;
}

/** Lists of lists that begin with their labels, or maps with label fields; undefined for other entries. */
export function labelledEntries(entries: readonly unknown[]): LabelledEntries | undefined {
  return labelledLists(entries) ?? labelledMaps(entries);
}

/** Names of fields that say what an entry belongs to, and of fields that say what it is. */
const GROUP_WORDS: ReadonlySet<string> = new Set(
  splitList(`
    group, grp, category, cat, section, sec, area, subject, parent, topic, scope, entity, module, family, component,
    product, segment, source, src, domain, feed, service, block, path, context`),
);
const LABEL_WORDS: ReadonlySet<string> = new Set(
  splitList(`
    role, which, slot, relation, name, label, key, code, field, attribute, attr, signal, type, id, title, indicator,
    property, prop, metric, param, parameter, check, kind, feature, item, element, n, k, event, test, variable,
    identifier, caption, question, description, desc, fieldname, signalname, for, of, about`),
);

/** Longer texts are not labels. */
const MAX_LABEL_LENGTH = 100;
/** At most this many fields of an entry are considered. */
const MAX_FIELDS = 50;
/** Values of a phone type. They are not labels, although `mobile` is also a word for a phone. */
const PHONE_TYPES = /^(?:mobile|cell|cellular|landline|line|gsm|handset)$/i;

/** By the label fields of a list of maps: their own, or those of maps inside (`check: { area, name }`). */
function labelledMaps(entries: readonly unknown[]): LabelledEntries | undefined {
  const maps = entries.filter(isObject);
  if (maps.length === 0) return undefined;
  const direct = distinctPaths(maps.flatMap((map) => keysOf(map).map((key) => [key])));
  const nested = distinctPaths(maps.flatMap((map) => keysOf(map).flatMap((key) => innerKeys(map, key))));
  // Groups before the label proper.
  const paths = chooseLabels(direct, maps) ?? chooseLabels(nested, maps);
  if (!paths) return undefined;
  const segments = paths.map((path) => path.map(nameSegment).join(''));
  return {
    groups: groupByLabels(entries, (entry) => labelsAt(entry, paths)),
    segmentsOf: (labels) => labelFilter(segments, labels),
    valueOf: (entry) => withoutKeys(entry, paths),
  };
}

function labelsAt(entry: unknown, paths: readonly KeyPath[]): readonly string[] | undefined {
  const labels = paths.map((path) => valueAt(entry, path));
  return labels.every(isLabel) ? labels : undefined;
}

/** Up to two groups and the clearest label. */
function chooseLabels(paths: readonly KeyPath[], maps: readonly unknown[]): readonly KeyPath[] | undefined {
  const usable = paths.filter((path) => isLabelField(path, maps));
  const groups = usable.filter((path) => kindOf(path) === 'group').slice(0, 2);
  const [label] = usable
    .filter((path) => kindOf(path) === 'label')
    .toSorted((a, b) => clarity(b, maps) - clarity(a, maps));
  const chosen = [...groups, ...(label === undefined ? [] : [label])];
  return chosen.length > 0 ? chosen : undefined;
}

function keysOf(map: Record<string, unknown>): readonly string[] {
  return Object.keys(map).slice(0, MAX_FIELDS);
}

function innerKeys(map: Record<string, unknown>, key: string): readonly KeyPath[] {
  const inside = map[key];
  return isObject(inside) ? keysOf(inside).map((inner) => [key, inner]) : [];
}

function distinctPaths(paths: readonly KeyPath[]): readonly KeyPath[] {
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}

/** By the labels of lists such as `[["phone risk level", "Medium"], …]`: all but the last entry, the value. */
function labelledLists(entries: readonly unknown[]): LabelledEntries | undefined {
  const [first] = entries;
  const width = Array.isArray(first) ? first.length : 0;
  if (width < 2 || width > 4) return undefined;
  const lists = entries.filter((entry): entry is unknown[] => Array.isArray(entry) && entry.length === width);
  const labelsOf = (entry: unknown) => {
    const labels = (entry as unknown[]).slice(0, -1);
    return labels.every(isLabel) ? labels : undefined;
  };
  const labelled = lists.filter((list) => labelsOf(list)?.some(isKnown));
  if (lists.length < entries.length || labelled.length * 2 < lists.length) return undefined;
  return {
    groups: groupByLabels(entries, labelsOf),
    segmentsOf: (labels) => labelFilter(labels.keys().map(indexSegment).toArray(), labels) + indexSegment(width - 1),
    valueOf: (entry) => (entry as unknown[]).at(-1),
  };
}

function groupByLabels(entries: readonly unknown[], labelsOf: (entry: unknown) => readonly string[] | undefined) {
  const groups = new Map<string, { labels: readonly string[]; indexes: number[] }>();
  for (const [index, entry] of entries.entries()) {
    const labels = labelsOf(entry);
    if (!labels) continue;
    const id = JSON.stringify(labels);
    const group = groups.get(id) ?? { labels, indexes: [] };
    groups.set(id, group);
    group.indexes.push(index);
  }
  return [...groups.values()];
}

function kindOf(path: KeyPath): 'group' | 'label' | undefined {
  const key = path.at(-1) ?? '';
  const last = splitWords(key).at(-1) ?? '';
  const joinedWords = splitWords(key).join('');
  if (GROUP_WORDS.has(last) || GROUP_WORDS.has(joinedWords)) return 'group';
  return LABEL_WORDS.has(last) || LABEL_WORDS.has(joinedWords) ? 'label' : undefined;
}

/** Whether a field holds labels: the vocabulary knows most of them, and they tell the entries apart. */
function isLabelField(path: KeyPath, maps: readonly unknown[]): boolean {
  if (kindOf(path) === undefined) return false;
  const values = maps.map((map) => valueAt(map, path));
  const labels = values.filter(isLabel);
  if (labels.length * 5 < values.length * 4) return false;
  const knownLabels = labels.filter(isKnown);
  if (knownLabels.length * 2 < labels.length) return false;
  if (new Set(labels).size > 1) return true;
  // A single entry with a value next to its label.
  if (labels.length === 1 && kindOf(path) === 'label' && keysOf(maps.find(isObject) ?? {}).some(isValueKey))
    return true;
  const [only = ''] = labels;
  // The same label everywhere counts only if it names a section.
  return labels.length > 0 && !PHONE_TYPES.test(only) && readName(only).tokens.some(({ role }) => role === 'section');
}

function isValueKey(key: string): boolean {
  return /^[^\p{L}]*(?:value|val|v|text|result|response|answer|outcome|content)$/iu.test(key);
}

function isLabel(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= MAX_LABEL_LENGTH &&
    isNameable(value) &&
    !isPersonalKey(value)
  );
}

/** Whether the vocabulary knows what a label is about. */
export function isKnown(label: string): boolean {
  const { tokens } = readName(label);
  const unknown = tokens.filter(({ role }) => role === 'unknown').length;
  return unknown * 2 <= tokens.length && tokens.some(({ role }) => KNOWN_ROLES.has(role));
}

const KNOWN_ROLES: ReadonlySet<string> = new Set(['section', 'topic', 'head', 'foreign']);

/** The share of the labels that the vocabulary knows. */
function clarity(path: KeyPath, maps: readonly unknown[]): number {
  const labels = maps.map((map) => valueAt(map, path)).filter(isLabel);
  const tokens = labels.flatMap((label) => readName(label).tokens);
  const unclear = tokens.filter(({ role, isAbbreviated }) => role === 'unknown' || isAbbreviated).length;
  return tokens.length === 0 ? 0 : (tokens.length - 2 * unclear) / maps.length;
}

function valueAt(entry: unknown, path: KeyPath): unknown {
  return path.reduce((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), entry);
}

/** An entry without its label fields. */
function withoutKeys(entry: unknown, paths: readonly KeyPath[]): unknown {
  if (!isObject(entry)) return entry;
  return Object.fromEntries(
    Object.entries(entry).flatMap(([key, value]) => {
      const inside = paths.flatMap(([first, ...rest]) => (first === key ? [rest] : []));
      if (inside.some((path) => path.length === 0)) return [];
      return [[key, inside.length > 0 ? withoutKeys(value, inside) : value]];
    }),
  );
}
