/** JSON data once read from YAML -> the tree it was read from, with spans in the data as text; never throws. */

import type { Diagnostic, DiagnosticCode } from '../diagnostics.ts';
import { lengthProblem, Source } from './files/source.ts';
import type { MapEntry, ScalarNode, Yaml } from './yaml.ts';

/**
 * Deeper data are refused before anything recursive runs. Policies from files never reach it: 64 nested rule sets of
 * two levels each, and 64 levels of YAML, each of which can be two of data (`[key: value]`).
 */
const MAX_LEVELS = 256;

/** The indent of a level in the text that diagnostics quote, in spaces. */
const INDENT = 2;

/**
 * The tree of JSON data. Undefined, with a diagnostic, if no YAML could have given these data. Spans are in the data as
 * JSON, indented by two spaces; `shown` is the file name in diagnostics.
 */
export function treeOfData(data: unknown, shown: string, diagnostics: Diagnostic[]): Yaml | undefined {
  const problem = problemIn(data, MAX_LEVELS);
  if (problem) {
    diagnostics.push({ ...problem, severity: 'error', file: shown });
    return undefined;
  }
  return grow(data, new Source(shown, JSON.stringify(data, null, INDENT), diagnostics), 0, 0);
}

interface Problem {
  readonly code: DiagnosticCode;
  readonly message: string;
}

/** The problem with the first value that YAML cannot express. */
function problemIn(data: unknown, levels: number): Problem | undefined {
  if (data === null || typeof data === 'boolean') return undefined;
  const tooLong = typeof data === 'string' ? lengthProblem(data) : undefined;
  if (tooLong !== undefined) return { code: 'too-large', message: tooLong };
  if (typeof data === 'string' && data.isWellFormed()) return undefined;
  if (typeof data === 'number' && Number.isFinite(data)) return undefined;
  if (!isPlain(data))
    return { code: 'wrong-type', message: 'found a value that JSON does not have; the data must be JSON' };
  if (levels === 0) return { code: 'too-deep', message: `nested more than ${MAX_LEVELS} levels deep` };
  const parts = Array.isArray(data) ? data : Object.entries(data).flat();
  for (const part of parts) {
    const problem = problemIn(part, levels - 1);
    if (problem) return problem;
  }
  return undefined;
}

/** Whether data are a list or a map; an object of another kind might be written differently as JSON. */
function isPlain(data: unknown): data is object {
  if (typeof data !== 'object' || data === null) return false;
  return Array.isArray(data) || [Object.prototype, null].includes(Object.getPrototypeOf(data));
}

/** The node of a value whose text begins at `start`, on a line indented by `indent`. */
function grow(value: unknown, source: Source, start: number, indent: number): Yaml {
  if (typeof value !== 'object' || value === null) return scalar(value, source, start);
  const inside = indent + INDENT;
  // The end of the opening bracket, then of each comma: every part is on a line of its own.
  let end = start + 1;
  const growPart = (part: unknown, at: number): Yaml => {
    const node = grow(part, source, at, inside);
    end = node.end + 1;
    return node;
  };
  const lineStart = () => end + 1 + inside;
  // The last part is followed by a line with the closing bracket rather than a comma.
  const close = (isEmpty: boolean) => (isEmpty ? end + 1 : end + indent + 1);
  if (Array.isArray(value)) {
    const items = value.map((item) => growPart(item, lineStart()));
    return { kind: 'list', items, source, start, end: close(items.length === 0) };
  }
  const entries = new Map<string, MapEntry>();
  for (const [name, part] of Object.entries(value)) {
    const key = scalar(name, source, lineStart());
    entries.set(name, { key, value: growPart(part, key.end + ': '.length) });
  }
  return { kind: 'map', entries, source, start, end: close(entries.size === 0) };
}

function scalar(value: unknown, source: Source, start: number): ScalarNode {
  const json = JSON.stringify(value);
  const written = typeof value === 'string' ? value : json;
  return { kind: 'scalar', value: value as ScalarNode['value'], written, source, start, end: start + json.length };
}
