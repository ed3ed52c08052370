/** A mapping file (YAML) -> where in an answer each signal stands, compiled; or diagnostics, all of them at once. */

import { fileURLToPath } from 'node:url';
import { type Diagnostic, DiagnosticsError, sortDiagnostics } from '../../diagnostics.ts';
import { VerdictError } from '../../errors.ts';
import { treeOfData } from '../../platform/data-tree.ts';
import { canonicalJson, digest } from '../../platform/digest.ts';
import { type MapEntry, parseYaml, readSource, reportAt, toData, type Yaml } from '../../platform/yaml.ts';
import { type Fields, readFields, readItems, readMap, readText } from '../../platform/yaml-fields.ts';
import { didYouMean } from '../../text.ts';
import { CATALOG_TABLE, type FactTable } from '../catalog.ts';
import { readDeclaredFacts, tableOf } from '../declare.ts';
import { type Path, readPath } from './path.ts';
import { readSignal, type SignalMapping } from './signal.ts';
import { readNames, readPlaceholders } from './value/spelling-key.ts';

/** A status in an answer, and the values of it, by `nameKey`, that mean success. */
export interface StatusMapping {
  readonly path: Path;
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
  /** The catalog, and the match results that the mapping declares beside it. */
  readonly facts: FactTable;
  /** By path of the fact. */
  readonly signals: ReadonlyMap<string, SignalMapping>;
  /** The status of the whole answer. */
  readonly status: StatusMapping | undefined;
  /** Where the answer repeats the caller's reference. */
  readonly reference: Path | undefined;
  readonly sources: readonly SourceMapping[];
}

/** How a mapping is read. */
export interface MappingOptions {
  /** The file's name in diagnostics; by default the path itself. */
  readonly shown?: string;
  /** The facts that can be mapped beside those that the mapping declares; by default the catalog. */
  readonly table?: FactTable;
}

const MAPPING_KEYS = {
  required: ['signals'],
  optional: ['placeholders', 'answer', 'sources', 'facts'],
};

// The same from `src/facts` and from `dist/facts`.
const SHIPPED = new URL('../../../rules/signals.yaml', import.meta.url);

/** The mapping in a file, by default the one that comes with the package. Throws `DiagnosticsError` (MAPPING_INVALID). */
export function loadMapping(file?: string): Mapping {
  const { mapping, diagnostics } =
    file === undefined ? readMapping(fileURLToPath(SHIPPED), { shown: 'rules/signals.yaml' }) : readMapping(file);
  if (!mapping) throw new DiagnosticsError('MAPPING_INVALID', diagnostics);
  return mapping;
}

/** What came of reading a mapping. */
export interface ReadMapping {
  /** Not there if there is an error among the diagnostics. */
  readonly mapping?: Mapping;
  /** The facts that it declares and those of the catalog, as far as they can be read, errors or not. */
  readonly facts: FactTable;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a mapping file. Without errors the mapping is there, warnings or not. */
export function readMapping(file: string, { shown = file, table = CATALOG_TABLE }: MappingOptions = {}): ReadMapping {
  const diagnostics: Diagnostic[] = [];
  const source = readSource(file, shown, diagnostics);
  return readTree(source && parseYaml(source), { shown, table }, diagnostics);
}

/** Canonical JSON of what each mapping was read from. */
const DATA = new WeakMap<Mapping, string>();

/**
 * The mapping as JSON data: `mapping.digest` is of these, and `mappingFromData` reads them again. A copy of one's own at each
 * call. Throws a `VerdictError` (CONFIGURATION_INVALID) for an object that no reader gave, such as a changed copy.
 */
export function mappingData(mapping: Mapping): unknown {
  const json = DATA.get(mapping);
  if (json !== undefined) return JSON.parse(json);
  throw new VerdictError('CONFIGURATION_INVALID', 'this mapping is not one as it was read: it has no data');
}

/**
 * Reads what `mappingData` gave: the same digest and the same meaning. `shown`, by default `mapping`, is what diagnostics
 * call the data. Throws a `DiagnosticsError` (MAPPING_INVALID) that carries every problem if there is an error.
 */
export function mappingFromData(
  data: unknown,
  { shown = 'mapping', table = CATALOG_TABLE }: MappingOptions = {},
): Mapping {
  const read: Diagnostic[] = [];
  const { mapping, diagnostics } = readTree(treeOfData(data, shown, read), { shown, table }, read);
  if (!mapping) throw new DiagnosticsError('MAPPING_INVALID', diagnostics);
  return mapping;
}

function readTree(
  root: Yaml | undefined,
  { shown, table }: Required<MappingOptions>,
  diagnostics: readonly Diagnostic[],
): ReadMapping {
  const mapping = root && readRoot(root, table);
  const hasErrors = diagnostics.some((diagnostic) => diagnostic.severity === 'error');
  return {
    ...(mapping && !hasErrors ? { mapping } : {}),
    facts: mapping?.facts ?? table,
    diagnostics: sortDiagnostics(diagnostics, [shown]),
  };
}

function readRoot(root: Yaml, table: FactTable): Mapping | undefined {
  const fields = readFields(root, 'a mapping', MAPPING_KEYS);
  if (!fields) return undefined;
  const placeholders = fields.get('placeholders');
  const names = placeholders ? readPlaceholders(placeholders.value, '`placeholders`') : new Set<string>();
  const known = readKnownFacts(fields, table);
  const signals = readSignals(fields.get('signals'), known, names);
  const answer = readAnswer(fields.get('answer'));
  const sources = readSources(fields.get('sources'), known);
  // Of what has errors there may be no canonical JSON.
  const isSound = root.source.diagnostics.every(({ severity }) => severity !== 'error');
  const data = isSound ? toData(root) : undefined;
  const mapping = { digest: isSound ? digest(data) : '', facts: known.table, signals, ...answer, sources };
  if (isSound) DATA.set(mapping, canonicalJson(data));
  return mapping;
}

/** The facts that a mapping can name. */
interface KnownFacts {
  readonly table: FactTable;
  /** Whether a path that is not among them is meant to be: its declaration could not be read, which is reported. */
  isDoubtful(path: string): boolean;
}

/** The form of the paths of facts that a mapping declares: those of the caller are a policy's business. */
export const MATCH_RESULT = /^identity(\.[a-z][A-Za-z0-9]*)+$/;

function readKnownFacts(fields: Fields, table: FactTable): KnownFacts {
  const unread = new Set<string | undefined>(fields.isDoubtful('facts') ? [undefined] : []);
  const entry = fields.get('facts');
  const declared = entry
    ? readDeclaredFacts(entry.value, {
        path: MATCH_RESULT,
        hint: 'a mapping declares match results, such as identity.nameScore; what the caller gives, a policy declares',
        onUnread: (path) => unread.add(path),
      })
    : new Map();
  return {
    table: new Map([...table, ...tableOf(declared)]),
    isDoubtful: (path) => unread.has(path) || (unread.has(undefined) && path.startsWith('identity.')),
  };
}

function readSignals(
  entry: MapEntry | undefined,
  { table, isDoubtful }: KnownFacts,
  placeholders: ReadonlySet<string>,
): ReadonlyMap<string, SignalMapping> {
  const signals = new Map<string, SignalMapping>();
  // A mapping that has only been begun: what it lacks is missing (unmapped).
  if (entry?.value.kind === 'map' && entry.value.entries.size === 0) return signals;
  const entries = (entry && readMap(entry.value, '`signals`')?.entries) ?? new Map<string, MapEntry>();
  for (const [path, { key, value }] of entries) {
    const definition = table.get(path);
    if (!definition) {
      if (!isDoubtful(path)) reportUnknown(key, path, table);
    } else if (definition.origin !== 'service') {
      reportAt(key, 'wrong-value', `${path} is not read from an answer: ${ORIGINS[definition.origin]}`);
    } else {
      const signal = readSignal(path, definition, value, placeholders);
      if (signal) signals.set(path, signal);
    }
  }
  return signals;
}

function reportUnknown(key: Yaml, path: string, table: FactTable): void {
  const near = didYouMean(path, servicePaths(table));
  const isOwn = near.hint === undefined && MATCH_RESULT.test(path);
  const hint = isOwn ? { hint: 'declare it under `facts`' } : near;
  reportAt(key, 'unknown-fact', `"${path}" is no fact of the catalog, and not declared`, hint);
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
    reference: reference && readPath(reference.value, 'the place of the reference'),
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
  const place = readPath(at.value, `the place of ${what}`);
  const items = readItems(answered.value, `\`answered\` of ${what}`);
  return place && items && { path: place, answered: readNames(items, `the values in \`answered\` of ${what}`) };
}

function readSources(entry: MapEntry | undefined, known: KnownFacts): readonly SourceMapping[] {
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
    const facts = new Set(items.flatMap((item) => readPattern(item, what, known)));
    const status = readStatus(source, what, fields);
    return status ? [{ name, facts, ...status }] : [];
  });
}

/** The paths that a pattern names: one path, or all that begin with what stands before `.*`. */
function readPattern(node: Yaml, what: string, { table, isDoubtful }: KnownFacts): readonly string[] {
  const pattern = readText(node, `a signal of ${what}`);
  if (pattern === undefined) return [];
  const paths = servicePaths(table);
  const prefix = pattern.endsWith('.*') ? pattern.slice(0, -1) : undefined;
  const found = paths.filter((path) => (prefix === undefined ? path === pattern : path.startsWith(prefix)));
  if (found.length === 0 && !isDoubtful(pattern)) {
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
