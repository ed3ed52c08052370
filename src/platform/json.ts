/** UTF-8 bytes or text of JSON -> its value, or what is wrong with it. The only reader of JSON from outside. */

/** Deeper than any sensible answer. Later readers of the value may recurse, so its depth is limited here. */
const MAX_DEPTH = 100;

/** A parsed value, or the problem with the text; the problem quotes none of the text. */
export type Parsed =
  | { readonly problem: undefined; readonly value: unknown }
  /** `line`: where a duplicate name is, from 1; undefined for any other problem. */
  | { readonly problem: string; readonly line?: number };

export interface JsonOptions {
  /** The number of levels that the value may have. Default: 100. */
  readonly maxDepth?: number;
  /** How many names an object may have, and how many items a list. Default: any. */
  readonly maxNames?: number;
  readonly maxItems?: number;
}

/** A byte order mark is allowed, and dropped. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses JSON (RFC 8259). A byte order mark is allowed before bytes, and not before text. An object with a duplicate
 * name is refused, also if the two are escaped differently: readers differ in which of the two they use (RFC 8259,
 * section 4), so such a text could mean one thing to us and another to its writer.
 */
export function parseJson(json: string | Uint8Array, options: JsonOptions = {}): Parsed {
  let text: string;
  try {
    text = typeof json === 'string' ? json : UTF8.decode(json);
  } catch {
    return { problem: 'is not UTF-8 text' };
  }
  const names = countNames(text, options);
  if (typeof names === 'string') return { problem: names };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The error of JSON.parse quotes the text, so it is dropped.
    return { problem: text.trim() === '' ? 'is empty; JSON was expected' : 'is not JSON' };
  }
  if (names === countKeys(value)) return { problem: undefined, value };
  return { problem: 'has a duplicate name in an object', line: lineOfDuplicateName(text) };
}

const [QUOTE, COMMA, COLON, BACKSLASH, LINE_FEED] = [0x22, 0x2c, 0x3a, 0x5c, 0x0a];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The number of names in a text, if it is JSON: each has one colon. A problem if it has more than the limits. */
function countNames(
  text: string,
  { maxDepth = MAX_DEPTH, maxNames = Number.POSITIVE_INFINITY, maxItems = Number.POSITIVE_INFINITY }: JsonOptions,
): number | string {
  let names = 0;
  let depth = 0;
  // Bulk data has no bounds, and each of these would take time.
  const isBounded = Math.min(maxNames, maxItems) < Number.POSITIVE_INFINITY;
  /** Of the object at each depth its names so far, of a list its commas. */
  const parts: number[] = [];
  const isList: boolean[] = [];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = endOfString(text, i + 1);
    else if (c === COLON) {
      names++;
      if (isBounded && add(parts, depth) > maxNames) return `has more than ${maxNames} names in an object`;
    } else if (isBounded && c === COMMA) {
      if (isList[depth] && add(parts, depth) >= maxItems) return `has more than ${maxItems} items in a list`;
    } else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      if (++depth > maxDepth) return `nests deeper than ${maxDepth} levels`;
      if (isBounded) [parts[depth], isList[depth]] = [0, c === OPEN_BRACKET];
    } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) depth--;
  }
  return names;
}

function add(parts: number[], depth: number): number {
  const more = (parts[depth] ?? 0) + 1;
  parts[depth] = more;
  return more;
}

/** The position of the quotation mark that ends a string; the length of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let from = start; ; ) {
    const end = text.indexOf('"', from);
    if (end < 0) return text.length;
    let first = end;
    while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((end - first) % 2 === 0) return end;
    from = end + 1;
  }
}

/** The number of keys in a value. A duplicate name is one key, so the value has fewer keys than its text has names. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Array.isArray(value) ? value : Object.values(value);
  let keys = parts === value ? 0 : parts.length;
  for (const part of parts) if (typeof part === 'object' && part !== null) keys += countKeys(part);
  return keys;
}

/** The line of the first duplicate name in a text that is JSON and has one. */
function lineOfDuplicateName(text: string): number {
  const objects: Set<string>[] = [];
  let line = 1;
  /** The latest string, which is a name if a colon follows. */
  let latest = { from: 0, to: 0, line };
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) {
      latest = { from: i, to: endOfString(text, i + 1) + 1, line };
      i = latest.to - 1;
    } else if (c === COLON) {
      const name: string = JSON.parse(text.slice(latest.from, latest.to));
      const names = objects.at(-1);
      if (names?.has(name)) return latest.line;
      names?.add(name);
    } else if (c === OPEN_BRACE || c === OPEN_BRACKET) objects.push(new Set());
    else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) objects.pop();
    else if (c === LINE_FEED) line++;
  }
  return line;
}

/** Whether a value is an object, and neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
