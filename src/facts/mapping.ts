/** A mapping file (YAML) -> where in an answer each signal stands, compiled; or diagnostics, all of them at once. */

import { fileURLToPath } from 'node:url';
import { type Diagnostic, DiagnosticsError, didYouMean, sortDiagnostics } from '../diagnostics.ts';
import { digest } from '../digest.ts';
import { type MapEntry, parseYaml, readSource, reportAt, toData, type Yaml } from '../yaml.ts';
import { CATALOG_TABLE, type FactTable } from './catalog.ts';
import { type Fields, readFields, readItems, readMap, readText } from './fields.ts';
import { readNames, readPlaceholders } from './name.ts';
import { type Place, readPlace } from './place.ts';
import { readSignal, type SignalMapping } from './signal.ts';

/** A status in an answer, and the values of it, by `nameKey`, that mean success. */
export interface StatusMapping {
  readonly place: Place;
  readonly answered: ReadonlySet<string>;
}

/** A source of the service, whose failure makes its facts `sourceFailed`. */
export interface SourceMapping extends StatusMapping {
  readonly name: string;
  /** The paths of its facts. */
  readonly facts: ReadonlySet<string>;
}

/** How answers of the verification service are read. Every key is there, so that nothing is looked up on a prototype. */
export interface Mapping {
  /** Names the mapping: SHA-256 over the YAML as data. */
  readonly digest: string;
  /** By path of the fact. */
  readonly signals: ReadonlyMap<string, SignalMapping>;
  /** The status of the whole answer. */
  readonly status: StatusMapping | undefined;
  /** Where the answer repeats the caller's reference. */
  readonly reference: Place | undefined;
  readonly sources: readonly SourceMapping[];
}

/** How a mapping is read. */
export interface MappingOptions {
  /** The file's name in diagnostics; by default the path itself. */
  readonly shown?: string;
  /** The facts that can be mapped; by default the catalog. */
  readonly table?: FactTable;
}

const MAPPING_KEYS = {
  required: ['signals'],
  optional: ['placeholders', 'answer', 'sources'],
  notSupported: ['facts'],
};

// The same from `src/facts` and from `dist/facts`.
const SHIPPED = new URL('../../rules/signals.yaml', import.meta.url);

/** The mapping in a file, by default the one that comes with the package. Throws `DiagnosticsError` (MAPPING_INVALID). */
export function loadMapping(file?: string): Mapping {
  const { mapping, diagnostics } =
    file === undefined ? readMapping(fileURLToPath(SHIPPED), { shown: 'rules/signals.yaml' }) : readMapping(file);
  if (!mapping) throw new DiagnosticsError('MAPPING_INVALID', diagnostics);
  return mapping;
}

/** Reads a mapping file. Without errors the mapping is there, warnings or not. */
export function readMapping(
  file: string,
  { shown = file, table = CATALOG_TABLE }: MappingOptions = {},
): { readonly mapping?: Mapping; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const source = readSource(file, shown, diagnostics);
  const root = source && parseYaml(source);
  const mapping = root && readRoot(root, table);
  const hasErrors = diagnostics.some((diagnostic) => diagnostic.severity === 'error');
  return { ...(mapping && !hasErrors ? { mapping } : {}), diagnostics: sortDiagnostics(diagnostics, [shown]) };
}

function readRoot(root: Yaml, table: FactTable): Mapping | undefined {
  const fields = readFields(root, 'a mapping', MAPPING_KEYS);
  if (!fields) return undefined;
  const placeholders = fields.get('placeholders');
  const names = placeholders ? readPlaceholders(placeholders.value, '`placeholders`') : new Set<string>();
  const signals = readSignals(fields.get('signals'), table, names);
  const answer = readAnswer(fields.get('answer'));
  const sources = readSources(fields.get('sources'), table);
  return { digest: digest(toData(root)), signals, ...answer, sources };
}

function readSignals(
  entry: MapEntry | undefined,
  table: FactTable,
  placeholders: ReadonlySet<string>,
): ReadonlyMap<string, SignalMapping> {
  const signals = new Map<string, SignalMapping>();
  const entries = (entry && readMap(entry.value, '`signals`')?.entries) ?? new Map<string, MapEntry>();
  for (const [path, { key, value }] of entries) {
    const definition = table.get(path);
    if (!definition) {
      reportAt(key, 'unknown-fact', `"${path}" is not a fact of the catalog`, didYouMean(path, servicePaths(table)));
    } else if (definition.origin !== 'service') {
      reportAt(key, 'wrong-value', `${path} is not read from an answer: ${ORIGINS[definition.origin]}`);
    } else {
      const signal = readSignal(path, definition, value, placeholders);
      if (signal) signals.set(path, signal);
    }
  }
  return signals;
}

/** Why facts of other origins have no place in an answer. */
const ORIGINS = {
  applicant: 'it is what the applicant gave',
  derived: 'it is derived from other facts',
  caller: 'the caller gives it',
} as const;

function readAnswer(entry: MapEntry | undefined): Pick<Mapping, 'status' | 'reference'> {
  const keys = { optional: ['at', 'answered', 'reference'] };
  const fields = entry && readFields(entry.value, '`answer`', keys);
  const reference = fields?.get('reference');
  const hasStatus = fields?.isMeant('at') || fields?.isMeant('answered');
  return {
    status: entry && fields && hasStatus ? readStatus(entry, '`answer`', fields) : undefined,
    reference: reference && readPlace(reference.value, 'the place of the reference'),
  };
}

/** The keys `at` and `answered` of a map, which go together. */
function readStatus(entry: MapEntry, what: string, fields: Fields): StatusMapping | undefined {
  const at = fields.get('at');
  const answered = fields.get('answered');
  if (!at || !answered) {
    const lacking = at ? 'answered' : 'at';
    if (!fields.isMeant(lacking)) reportAt(entry.key, 'missing-key', `${what} needs the key "${lacking}"`);
    return undefined;
  }
  const place = readPlace(at.value, `the place of ${what}`);
  const items = readItems(answered.value, `\`answered\` of ${what}`);
  return place && items && { place, answered: readNames(items, `the values in \`answered\` of ${what}`) };
}

function readSources(entry: MapEntry | undefined, table: FactTable): readonly SourceMapping[] {
  const entries = (entry && readMap(entry.value, '`sources`')?.entries) ?? new Map<string, MapEntry>();
  return [...entries].flatMap(([name, source]) => {
    const what = `the source "${name}"`;
    const fields = readFields(source.value, what, { optional: ['at', 'answered', 'signals'] });
    if (!fields) return [];
    const patterns = fields.get('signals');
    if (!fields.isMeant('signals')) {
      reportAt(source.key, 'missing-key', `${what} needs the key "signals"`);
    }
    const items = (patterns && readItems(patterns.value, `\`signals\` of ${what}`)) ?? [];
    const facts = new Set(items.flatMap((item) => readPattern(item, what, table)));
    const status = readStatus(source, what, fields);
    return status ? [{ name, facts, ...status }] : [];
  });
}

/** The paths that a pattern names: one path, or all that begin with what stands before `.*`. */
function readPattern(node: Yaml, what: string, table: FactTable): readonly string[] {
  const pattern = readText(node, `a signal of ${what}`);
  if (pattern === undefined) return [];
  const paths = servicePaths(table);
  const prefix = pattern.endsWith('.*') ? pattern.slice(0, -1) : undefined;
  const found = paths.filter((path) => (prefix === undefined ? path === pattern : path.startsWith(prefix)));
  if (found.length === 0) {
    const groups = paths.flatMap((path) => prefixes(path).map((group) => `${group}.*`));
    const near = didYouMean(pattern, [...paths, ...new Set(groups)]);
    reportAt(node, 'unknown-fact', `"${pattern}" is no signal of the service, nor the beginning of one`, near);
  }
  return found;
}

function servicePaths(table: FactTable): readonly string[] {
  return [...table].flatMap(([path, { origin }]) => (origin === 'service' ? [path] : []));
}

/** `a.b.c` begins with `a` and `a.b`. */
function prefixes(path: string): readonly string[] {
  const names = path.split('.');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
}
