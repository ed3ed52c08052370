/** The tree of a file -> where its keys stand, by path. */

import type { Span } from '../../platform/files/source.ts';
import type { Yaml } from '../../platform/yaml.ts';

/** As deep as `facts:`, a fact, its key. */
const MAX_DEPTH = 3;

/** Spans by path as JSON. */
export type KeySpans = Map<string, Span>;

/** Adds the keys of a map and of the maps below it. The first file that has a key counts. */
export function addKeySpans(node: Yaml, into: KeySpans, path: readonly string[] = []): void {
  if (node.kind !== 'map' || path.length === MAX_DEPTH) return;
  for (const [name, { key, value }] of node.entries) {
    const own = [...path, name];
    addSpan(key, into, own);
    addKeySpans(value, into, own);
  }
}

/** Adds a table, which its list has no key for, and its keys. */
export function addTableSpans(node: Yaml, into: KeySpans, id: string): void {
  const path = ['tables', id];
  addSpan(node, into, path);
  addKeySpans(node, into, path);
}

function addSpan({ source, start, end }: Span, into: KeySpans, path: readonly string[]): void {
  const key = JSON.stringify(path);
  if (!into.has(key)) into.set(key, { source, start, end });
}
