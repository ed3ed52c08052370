/** The nodes of a YAML text -> entries that are YAML, but that nobody means, such as keys without a colon. */

import { isMap, isPair, isScalar, isSeq, type ParsedNode, type Scalar, type YAMLMap } from 'yaml';
import type { SyntaxProblem } from './compose.ts';

/** Finds them in the order of the text. */
export function doubtfulEntries(root: ParsedNode | null): readonly SyntaxProblem[] {
  const found: SyntaxProblem[] = [];
  visit(root, found, NO_CONTEXT);
  return found;
}

/** Where a node stands. */
interface Context {
  /** Whether it is an entry of a list. */
  readonly isEntry: boolean;
  /** Whether it is, or contains, a text for people. */
  readonly isProse: boolean;
  /** Whether it is between brackets. */
  readonly isFlow: boolean;
}

const NO_CONTEXT: Context = { isEntry: false, isProse: false, isFlow: false };

/** The keys of texts for people, in policies and mappings. */
const PROSE: ReadonlySet<unknown> = new Set(['message', 'description', 'notice']);

function visit(node: unknown, found: SyntaxProblem[], context: Context): void {
  if (isSeq(node)) {
    for (const item of node.items) visit(item, found, { isEntry: true, isProse: false, isFlow: node.flow === true });
  }
  if (isScalar(node) && node.range && node.type === 'PLAIN' && isDoubtfulValue(node, context)) {
    found.push({ start: node.range[0], end: node.range[1], code: 'DOUBTFUL_ENTRY', message: '' });
  }
  if (isMap(node)) visitMap(node, found, context);
}

function visitMap(node: YAMLMap, found: SyntaxProblem[], { isEntry, isProse }: Context): void {
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
    const isText = isProse || (isScalar(key) && PROSE.has(key.value));
    visit(value, found, { isEntry: false, isProse: isText, isFlow: node.flow === true });
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

/** A word with a comma, words with a full-width comma, a closing quote alone, or a text for people cut off by a `#`. */
function isDoubtfulValue({ source = '', comment }: Scalar, { isEntry, isProse, isFlow }: Context): boolean {
  if (!isEntry && !isFlow && /^\S+,$/.test(source)) return true;
  // Between letters of other scripts the full-width comma is the right one.
  if (isEntry && isFlow && /\w *[，、；] *\w/.test(source)) return true;
  // After a digit it may be the sign of inches.
  return /^[^"\n]*[^"\d]"$/.test(source) || (isProse && /^[^\s#]/.test(comment ?? ''));
}
