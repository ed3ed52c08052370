/** A YAML text -> a tree of plain nodes with their spans, and diagnostics; never throws. */

import {
  Composer,
  CST,
  type Document,
  isAlias,
  isMap,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  type YAMLMap,
} from 'yaml';
import type { DiagnosticCode } from '../diagnostics.ts';
import { reportAt, type Source, type Span } from './files/source.ts';

/** Deeper nesting is an attack or an accident, and would overflow the stack of recursive readers. */
const MAX_DEPTH = 64;
/** Parsing as many values and keys takes one or two seconds; 10,000 rules have about 200,000. */
const MAX_SCALARS = 500_000;
/** Further syntax errors of one file are noise. */
const MAX_SYNTAX_ERRORS = 10;
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
 * Parses a source. Undefined, with diagnostics, if it is not a single YAML document of plain maps, lists and scalars. A
 * key that occurs twice in a map is reported too; the tree then has the first, so that the rest can still be checked.
 */
export function parseYaml(source: Source): Yaml | undefined {
  const root = composeDocument(source);
  if (source.reported.size > 0) return undefined;
  if (root === undefined || root === null) {
    source.report(0, 1, 'empty', 'the file is empty');
    return undefined;
  }
  const tree = convert(source, root);
  return source.reported.difference(BESIDE_A_TREE).size > 0 ? undefined : tree;
}

/** Problems of a text that can be parsed all the same. */
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

/** Features of YAML that are not part of the language, by the type of the token that begins them. */
const REFUSED_FEATURES: Readonly<Record<string, { readonly found: string; readonly hint?: string }>> = {
  anchor: { found: 'found an anchor; anchors are not part of the language', hint: USE_NAMES },
  alias: { found: 'found an alias; aliases are not part of the language', hint: USE_NAMES },
  tag: {
    found: 'found a tag; tags are not part of the language',
    hint: 'put the text in quotes if it begins with an exclamation mark',
  },
  'directive-line': { found: 'found a directive; directives are not part of the language' },
};

/** The root node of the only document; undefined with diagnostics, null where the document is empty. */
function composeDocument(source: Source): ParsedNode | null | undefined {
  const { text } = source;
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    source.report(nul, nul + 1, 'yaml-syntax', 'found a NUL character; a YAML text must have none');
    return undefined;
  }
  const parser = new Parser();
  const composer = new Composer({ uniqueKeys: false, merge: false, schema: 'core', logLevel: 'silent' });
  const documents: Document.Parsed[] = [];
  const errorsBefore = source.diagnostics.length;
  let isContent = false;
  let scalars = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const feature = isContent ? undefined : REFUSED_FEATURES[CST.tokenType(lexeme) ?? ''];
    if (!isContent && lexeme.startsWith('#')) source.noteComment(parser.offset, lexeme);
    if (feature) source.report(parser.offset, parser.offset + lexeme.length, 'yaml-feature', feature.found, feature);
    isContent = lexeme === CST.SCALAR;
    if (isContent && ++scalars > MAX_SCALARS) {
      const message = `found more than ${MAX_SCALARS} values and keys in a file`;
      source.report(parser.offset, parser.offset + 1, 'too-large', message, { hint: 'write long lists in list files' });
      return undefined;
    }
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token));
    // The parser keeps its own stack, so the depth is known before anything recursive runs.
    if (parser.stack.length > MAX_DEPTH) {
      source.report(parser.offset, parser.offset + 1, 'too-deep', `nested more than ${MAX_DEPTH} levels deep`);
    }
    if (parser.stack.length > MAX_DEPTH || source.diagnostics.length >= errorsBefore + MAX_SYNTAX_ERRORS)
      return undefined;
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end(true, text.length));
  if (source.reported.size > 0) return undefined;
  const problems = documents.flatMap((document) => [...document.errors, ...document.warnings]);
  // After one mistake the parser complains about the lines that follow too; the first complaint is the clearest.
  let reported = 0;
  let lastLine = Number.NEGATIVE_INFINITY;
  for (const { pos, message, code } of problems.toSorted((a, b) => a.pos[0] - b.pos[0])) {
    const line = source.lineAt(pos[0]);
    const isEcho = line <= lastLine + 1 || (reported > 0 && code === 'UNEXPECTED_TOKEN');
    lastLine = line;
    if (isEcho || reported === MAX_SYNTAX_ERRORS) continue;
    source.report(pos[0], pos[1], 'yaml-syntax', message);
    reported++;
  }
  if (problems.length > 0) return undefined;
  const second = documents[1];
  if (second) {
    source.report(second.range[0], second.range[0] + 1, 'yaml-feature', 'found a second document; a file holds one');
    return undefined;
  }
  return documents[0]?.contents ?? null;
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
  // JSON has neither lone surrogates nor infinite numbers; without them every tree has a canonical form.
  if (typeof value === 'string' && !value.isWellFormed()) {
    reportAt(span, 'yaml-syntax', 'found half a character (a lone surrogate); write the whole character');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    reportAt(span, 'wrong-type', `found ${node.source}; a number must be finite`);
  }
  return { kind: 'scalar', value, written: node.source ?? '', ...span };
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
    if (entries.has(name)) reportAt(key, 'duplicate-key', `the key "${name}" occurs twice in this map`);
    else if (value !== undefined) entries.set(name, { key, value });
  }
  return { kind: 'map', entries, ...span };
}
