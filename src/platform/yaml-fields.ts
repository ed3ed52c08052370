/** Nodes of a YAML text -> typed values. A node that does not fit is reported, and its value is undefined. */

import { nearest, trimWhiteSpace } from '../text.ts';
import { reportAt, type Span } from './files/source.ts';
import { describeNode, type MapEntry, type MapNode, type Yaml } from './yaml.ts';

/** The keys of one kind of map. */
export interface KeySet {
  readonly required?: readonly string[];
  readonly optional: readonly string[];
  /** Keys of the language that this version refuses. */
  readonly notSupported?: readonly string[];
}

/** The entries of a map of known keys that have a value, by key. */
export class Fields extends Map<string, MapEntry> {
  /** Keys that are there without a value or misspelt, which is reported: they need not be reported as missing too. */
  readonly #doubtful = new Set<string>();

  /** Notes that a key is there, but without a value or misspelt. */
  doubt(name: string): void {
    this.#doubtful.add(name);
  }

  /** Whether a key is there, but without a value or misspelt. */
  isDoubtful(name: string): boolean {
    return this.#doubtful.has(name);
  }

  /** Whether a key is there, even without a value or misspelt. */
  isMeant(name: string): boolean {
    return this.has(name) || this.#doubtful.has(name);
  }
}

/**
 * Reads a map of known keys. Reports unknown keys, keys without a value, and required keys that are missing. `what`
 * names the map in messages.
 */
export function readFields(node: Yaml, what: string, keys: KeySet): Fields | undefined {
  const map = readMap(node, what);
  if (!map) return undefined;
  const known = [...(keys.required ?? []), ...keys.optional];
  const fields = new Fields();
  for (const [name, entry] of map.entries) {
    if (keys.notSupported?.includes(name)) {
      reportAt(entry.key, 'not-supported', `"${name}" is not supported by this version; remove it`);
    } else if (!known.includes(name)) {
      const near = nearest(name, known);
      if (near !== undefined) fields.doubt(near);
      const details = { hint: hintAfterComma(entry.key), unknown: { word: name, known } };
      reportAt(entry.key, 'unknown-key', `"${name}" is not a key of ${what}`, details);
    } else if (isNull(entry.value)) {
      fields.doubt(name);
      reportAt(entry.key, 'null-value', `"${name}" has no value`);
    } else {
      fields.set(name, entry);
    }
  }
  for (const name of keys.required ?? []) {
    if (!fields.isMeant(name)) reportAt(firstKey(map), 'missing-key', `${what} needs the key "${name}"`);
  }
  return fields;
}

/** The hint for a key after a comma in braces that has no colon: often the rest of a text or of a number. */
export function hintAfterComma({ source, start, end }: Span): string | undefined {
  const isRest = source.text.slice(0, start).trimEnd().endsWith(',') && /^\s*[,}]/.test(source.text.slice(end));
  if (!isRest) return undefined;
  return 'a comma ends a value inside { }: put a text with a comma in quotes, write numbers like 1000 or 0.5';
}

/** Whether a node is null or nothing at all. */
export function isNull(node: Yaml): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** Reports a node of another kind than the one expected. */
function reportKind(node: Yaml, expected: string, hint?: string): undefined {
  const code = isNull(node) ? 'null-value' : 'wrong-type';
  return reportAt(node, code, `found ${describeNode(node)}; ${expected}`, { hint });
}

/** Reads a map; reports any other node and an empty map. */
export function readMap(node: Yaml, what: string): MapNode | undefined {
  if (node.kind !== 'map') return reportKind(node, `${what} must be a map`);
  if (node.entries.size > 0) return node;
  return reportAt(node, 'empty', `found an empty map; ${what} needs at least one key`);
}

/** Reads the items of a list; reports any other node. An empty list is the caller's business. */
export function readList(node: Yaml, what: string): readonly Yaml[] | undefined {
  return node.kind === 'list' ? node.items : reportKind(node, `${what} must be a list`);
}

/** Reads the items of a list; reports an empty list too. */
export function readItems(node: Yaml, what: string): readonly Yaml[] | undefined {
  const items = readList(node, what);
  if (items?.length !== 0) return items;
  return reportAt(node, 'empty', `found an empty list; ${what} needs at least one entry`);
}

/** The longest text of a policy or mapping, in UTF-16 code units: four pages. */
const MAX_TEXT = 10_000;

/** Reads a text with more than white space in it, as written. `allowed`: whether a value in quotes would be valid. */
export function readText(node: Yaml, what: string, allowed = (_text: string): boolean => true): string | undefined {
  if (node.kind !== 'scalar' || typeof node.value !== 'string') {
    const isValue = node.kind === 'scalar' && node.value !== null && allowed(node.written);
    return reportKind(node, `${what} must be a text`, isValue ? `put it in quotes: "${node.written}"` : undefined);
  }
  if (node.value.length > MAX_TEXT) {
    const message = `found ${node.value.length} characters; ${what} has at most ${MAX_TEXT}`;
    return reportAt(node, 'too-large', message);
  }
  if (trimWhiteSpace(node.value) !== '') return node.value;
  return reportAt(node, 'empty', `found an empty text; ${what} needs at least one character`);
}

/** Reads one of a few texts. */
export function readOneOf<Value extends string>(node: Yaml, what: string, values: readonly Value[]): Value | undefined {
  const find = (text: string) => values.find((value) => value === text);
  const text = readText(node, what, (written) => find(written) !== undefined);
  if (text === undefined) return undefined;
  const message = `found "${text}"; ${what} must be one of ${values.join(', ')}`;
  return find(text) ?? reportAt(node, 'wrong-value', message, { unknown: { word: text, known: values } });
}

/** Reads true or false. */
export function readBoolean(node: Yaml, what: string): boolean | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
  return reportKind(node, `${what} must be true or false`);
}

/** Reads a finite number. */
export function readNumber(node: Yaml, what: string): number | undefined {
  const value = node.kind === 'scalar' ? node.value : undefined;
  if (typeof value === 'number') return value + 0; // -0 becomes 0
  const isNumeral = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
  return reportKind(node, `${what} must be a number`, isNumeral ? 'remove the quotes' : undefined);
}

/** Reads an integer that a double holds exactly. */
export function readInteger(node: Yaml, what: string): number | undefined {
  const value = readNumber(node, what);
  if (value === undefined || Number.isSafeInteger(value)) return value;
  return reportAt(node, 'wrong-type', `found ${describeNode(node)}; ${what} must be an integer`);
}

/** Where a missing key is reported: at the first key of its map. */
function firstKey(map: MapNode): Yaml {
  for (const { key } of map.entries.values()) return key;
  return map;
}
