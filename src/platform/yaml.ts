/** A YAML text -> a tree of plain nodes with their spans, and diagnostics; never throws. */

import { isAlias, isMap, isSeq, type ParsedNode, type YAMLMap } from 'yaml';
import type { DiagnosticCode } from '../diagnostics.ts';
import { isTooLong, reportAt, type Source, type Span } from './files/source.ts';
import { announcesPlain, type Composed, composeText, tokenType } from './syntax/compose.ts';
import { correctSyntax } from './syntax/correct.ts';

/** Parsing as many values and keys takes one or two seconds; 10,000 rules have about 200,000. */
const MAX_SCALARS = 500_000;
/** Further features of one file that the language does not have are noise. */
const MAX_FEATURES = 10;

/** A text, number, boolean or null. */
export interface ScalarNode extends Span {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** The text as written, without its quotes. */
  readonly written: string;
}

/** A sequence. */
export interface ListNode extends Span {
  readonly kind: 'list';
  readonly items: readonly Yaml[];
}

/** A mapping; its keys are unique texts. */
export interface MapNode extends Span {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, MapEntry>;
}

/** A key of a map and its value. */
export interface MapEntry {
  readonly key: ScalarNode;
  readonly value: Yaml;
}

/** A node of a YAML text. */
export type Yaml = ScalarNode | ListNode | MapNode;

/**
 * Parses a source. Undefined, with diagnostics, if it is not a single YAML document of plain maps, lists and scalars.
 *
 * Some problems are reported and still leave a tree, so that the rest can be checked too: for a mistake of syntax with
 * a clear meaning, the tree has that meaning; for a key that occurs twice in a map, it has the first.
 */
export function parseYaml(written: Source): Yaml | undefined {
  const composed = composeSource(written);
  const corrected = composed && correctSyntax(written, composed);
  if (!corrected) return undefined;
  const {
    source,
    composed: { contents, second },
  } = corrected;
  if (second !== undefined) {
    source.report(second, second + 1, 'yaml-feature', 'found a second document; a file holds one');
    return undefined;
  }
  if (contents === null) {
    source.report(0, 1, 'empty', 'the file is empty');
    return undefined;
  }
  // A corrected source starts without reports.
  const tree = convert(source, contents);
  return source.reported.difference(BESIDE_A_TREE).size > 0 ? undefined : tree;
}

/** Problems of a text that can still be converted. */
const BESIDE_A_TREE: ReadonlySet<DiagnosticCode> = new Set(['duplicate-key']);

/** A node as JSON data. */
export function toData(node: Yaml): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toData);
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, toData(entry.value)]));
}

/** What a node is, for messages: `a list`, `the number 10`, `a text`. */
export function describeNode(node: Yaml): string {
  if (node.kind === 'list') return 'a list';
  if (node.kind === 'map') return 'a map';
  if (node.value === null) return 'nothing';
  return typeof node.value === 'string' ? 'a text' : `the ${typeof node.value} ${node.written}`;
}

const USE_NAMES = 'give the condition a name under `conditions` and use the name';

/** Whether `*` or `&` is not an alias or anchor: it begins a text without quotes, or an entry. */
function isSignOfText(lexeme: string, text: string, end: number): boolean {
  return (
    lexeme === '*' ||
    lexeme === '&' ||
    lexeme.startsWith('!=') ||
    (lexeme.startsWith('*') && /^[ \t]+[^\s#,:\]}]/.test(text.slice(end, end + 100)))
  );
}

/** Features of YAML that are not part of the language, by the type of the token that begins them. */
const REFUSED_FEATURES: Readonly<Record<string, { readonly found: string; readonly hint?: string }>> = {
  anchor: {
    found: 'found an anchor; anchors are not part of the language',
    hint: `${USE_NAMES}; a text that begins with & needs quotes`,
  },
  alias: {
    found: 'found an alias; aliases are not part of the language',
    hint: `${USE_NAMES}; a text that begins with * needs quotes`,
  },
  tag: {
    found: 'found a tag; tags are not part of the language',
    hint: 'put the text in quotes if it begins with an exclamation mark',
  },
  'directive-line': { found: 'found a directive; directives are not part of the language' },
};

/** Composes a source; undefined, with diagnostics, if it uses features outside the language, or is too large. */
function composeSource(source: Source): Composed | undefined {
  const { text } = source;
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    source.report(nul, nul + 1, 'yaml-syntax', 'found a NUL character; a YAML text must have none');
    return undefined;
  }
  if (source.hasLoneReturn('yaml-syntax')) return undefined;
  const reportedBefore = source.diagnostics.length;
  let isContent = false;
  let scalars = 0;
  const composed = composeText(text, (lexeme, offset) => {
    const end = offset + lexeme.length;
    const feature = isContent || isSignOfText(lexeme, text, end) ? undefined : REFUSED_FEATURES[tokenType(lexeme)];
    if (!isContent && lexeme.startsWith('#')) source.noteComment(offset, lexeme);
    // `!mobile`, a value that is turned round.
    const negated = /^![A-Za-z]\w*$/.test(lexeme)
      ? { hint: `write \`{ isNot: ${lexeme.slice(1)} }\`; a text needs quotes` }
      : {};
    if (feature) source.report(offset, end, 'yaml-feature', feature.found, { ...feature, ...negated });
    isContent = announcesPlain(lexeme);
    if (isContent && ++scalars > MAX_SCALARS) {
      const message = `found more than ${MAX_SCALARS} values and keys in a file`;
      source.report(offset, offset + 1, 'too-large', message, { hint: 'write long lists in list files' });
      return false;
    }
    return source.diagnostics.length < reportedBefore + MAX_FEATURES;
  });
  return source.reported.size > 0 ? undefined : composed;
}

/** Undefined, with a diagnostic, for a node that the language does not have; the rest is still converted. */
function convert(source: Source, node: ParsedNode): Yaml | undefined {
  const [start, end] = node.range;
  const span = { source, start, end };
  if (isAlias(node)) return undefined; // INVARIANT: reported when it was read
  if (isMap(node)) return convertMap(source, node, span);
  if (isSeq(node)) {
    const items = node.items.flatMap((item) => convert(source, item as ParsedNode) ?? []);
    return { kind: 'list', items, ...span };
  }
  const value = node.value as ScalarNode['value'];
  if (isTooLong(span, node.source ?? '')) return undefined;
  // JSON has neither lone surrogates nor infinite numbers; without them every tree has a canonical form.
  if (typeof value === 'string' && !value.isWellFormed()) {
    reportAt(span, 'yaml-syntax', 'found half a character (a lone surrogate); write the whole character');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    reportAt(span, 'wrong-type', `found ${node.source}; a number must be finite`);
  }
  return { kind: 'scalar', value, written: node.source ?? '', ...span };
}

function reportTwice(key: Span, name: string, { key: first, value }: MapEntry): void {
  const isTest = name.includes('.') && (value.kind !== 'map' || !value.entries.has('type'));
  const hint = isTest
    ? 'write several values as `in: [ … ]`, and several tests as items of `all` or `any`'
    : name === 'not'
      ? 'write each as an item of `all`: `- not: …`'
      : undefined;
  const related = { at: first, message: 'the first one is here' };
  reportAt(key, 'duplicate-key', `the key "${name}" occurs twice in this map`, { hint, related });
}

function convertMap(source: Source, node: YAMLMap.Parsed, span: Span): MapNode {
  const entries = new Map<string, MapEntry>();
  for (const pair of node.items) {
    const key = convert(source, pair.key);
    if (key === undefined) continue;
    if (key.kind !== 'scalar') {
      reportAt(key, 'wrong-type', `found ${describeNode(key)}; a key must be a text`);
      continue;
    }
    // A key is the text as written: `1` and `"1"` are the same key, and `null` is a text like any other.
    const name = typeof key.value === 'string' ? key.value : key.written;
    if (name === '<<') {
      reportAt(key, 'yaml-feature', 'found a merge key; merge keys are not part of the language', { hint: USE_NAMES });
      continue;
    }
    const nothing: ScalarNode = { kind: 'scalar', value: null, written: '', source, start: key.start, end: key.end };
    const value = pair.value ? convert(source, pair.value) : nothing;
    const first = entries.get(name);
    if (first) reportTwice(key, name, first);
    else if (value !== undefined) entries.set(name, { key, value });
  }
  return { kind: 'map', entries, ...span };
}
