/** The nodes of a YAML text -> entries of maps that are YAML, but that nobody means, such as keys without a colon. */

import { isMap, isPair, isScalar, isSeq, type ParsedNode } from 'yaml';
import type { SyntaxProblem } from './compose.ts';

/** Finds them in the order of the text. */
export function doubtfulEntries(root: ParsedNode | null): readonly SyntaxProblem[] {
  const found: SyntaxProblem[] = [];
  visit(root, found, false);
  return found;
}

function visit(node: unknown, found: SyntaxProblem[], isEntry: boolean): void {
  if (isSeq(node)) for (const item of node.items) visit(item, found, true);
  if (!isMap(node)) return;
  const keys = new Set<unknown>();
  for (const [i, pair] of node.items.entries()) {
    if (!isPair(pair)) continue;
    const { key, value } = pair;
    if (isScalar(key) && key.range) {
      const [start, end] = key.range;
      const hasNoColon = value === null;
      // An entry of a list begins again with its first key, and goes on with others: a hyphen is missing.
      const isNextEntry = isEntry && !node.flow && isFirst(key.value, keys) && keys.has(keyOf(node.items[i + 1]));
      if (hasNoColon || isNextEntry || (key.type === 'PLAIN' && isDoubtful(key.source ?? ''))) {
        found.push({ start, end, code: 'DOUBTFUL_ENTRY', message: '' });
        if (isNextEntry) keys.clear();
      }
      keys.add(key.value);
    }
    if (isScalar(value) && value.range && value.type === 'PLAIN' && !node.flow && /^\S+,$/.test(value.source ?? '')) {
      found.push({ start: value.range[0], end: value.range[1], code: 'DOUBTFUL_ENTRY', message: '' });
    }
    visit(value, found, false);
  }
}

function keyOf(pair: unknown): unknown {
  return isPair(pair) && isScalar(pair.key) ? pair.key.value : undefined;
}

function isFirst(key: unknown, keys: ReadonlySet<unknown>): boolean {
  const [first] = keys;
  return key === first;
}

/** A key that begins like an entry of a list or a text in quotes, or has a bracket or a colon inside. */
function isDoubtful(key: string): boolean {
  return /^\/\/|^[-–—−‒―‐‑•·●▪“”„‟«‘’‚]|[{[｛［：]|:\p{Zs}/u.test(key);
}
