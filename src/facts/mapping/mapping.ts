/** A mapping file (YAML) -> how the signals of an answer are read, compiled; or diagnostics, all of them at once. */

import { type Diagnostic, DiagnosticsError, type SilencedDiagnostic, sortDiagnostics } from '../../diagnostics.ts';
import { treeOfData } from '../../platform/data-tree.ts';
import { canonicalJson, digest } from '../../platform/digest.ts';
import { allowancesOf } from '../../platform/files/allowance.ts';
import { reportAt, Source } from '../../platform/files/source.ts';
import { readSource } from '../../platform/files/source-file.ts';
import { freeze } from '../../platform/freeze.ts';
import { type FilePath, readPath } from '../../platform/given/file-path.ts';
import { type Kind, MAP, optionsReader, readArgument, TEXT } from '../../platform/given/options.ts';
import { readGiven } from '../../platform/given/read-given.ts';
import { findFile } from '../../platform/lazy.ts';
import { type MapEntry, parseYaml, toData, type Yaml } from '../../platform/yaml.ts';
import { readFields, readMap } from '../../platform/yaml-fields.ts';
import { CATALOG_TABLE, type FactTable } from '../catalog.ts';
import { readSignal, type SignalMapping } from './signal.ts';
import {
  type AnswerMapping,
  type MappableFacts,
  readAnswer,
  readMappableFacts,
  readSources,
  reportUnknownFact,
  type SourceMapping,
} from './status.ts';
import { readPlaceholders } from './value/spelling-key.ts';

/** How answers of the service are read. Every key is always present, so that no lookup reaches a prototype. */
export interface Mapping extends AnswerMapping {
  /** Identifies the mapping: SHA-256 over the YAML as data. */
  readonly digest: string;
  /** The catalog, and the match results that the mapping declares in addition. */
  readonly facts: FactTable;
  /** By path of the fact. */
  readonly signals: ReadonlyMap<string, SignalMapping>;
  readonly sources: readonly SourceMapping[];
}

/** How a mapping is read. */
export interface MappingOptions {
  /** The file's name in diagnostics. Default: the path as given. */
  readonly shown?: string;
  /** The facts that can be mapped, in addition to those the mapping declares. Default: the catalog. */
  readonly table?: FactTable;
}

const readOptions = optionsReader<MappingOptions>('the options of the mapping', { 'shown?': TEXT, 'table?': MAP });

const MAPPING_KEYS = {
  required: ['signals'],
  optional: ['placeholders', 'answer', 'sources', 'facts'],
};

/** Resolved by the name of the package, because the built file is at another depth than this one. */
const SHIPPED = 'verdict-engine/rules/signals.yaml';

let bundled: string | undefined;
/** The shipped mapping, which does not change while a process runs. */
let kept: Mapping | undefined;

/** Sets the text of the shipped mapping: a bundle contains it as a text, not as a file. */
export function provideMapping(text: string): void {
  bundled = text;
  kept = undefined;
}

function readShipped(): ReadMapping {
  const shown = 'rules/signals.yaml';
  if (bundled === undefined) return readMapping(findFile(SHIPPED), { shown });
  const diagnostics: Diagnostic[] = [];
  return readTree(parseYaml(new Source(shown, bundled, diagnostics)), { shown, table: CATALOG_TABLE }, diagnostics);
}

/** The mapping in a file; by default the one shipped with the package. Throws `DiagnosticsError` (MAPPING_INVALID). */
export function loadMapping(file?: FilePath): Mapping {
  if (file !== undefined) return mappingOf(readMapping(file));
  kept ??= mappingOf(readShipped());
  return kept;
}

function mappingOf({ mapping, diagnostics }: ReadMapping): Mapping {
  if (!mapping) throw new DiagnosticsError('MAPPING_INVALID', diagnostics);
  return mapping;
}

/** The result of reading a mapping. */
export interface ReadMapping {
  /** Absent if there is an error among the diagnostics. */
  readonly mapping?: Mapping;
  /** The facts of the catalog and those that the mapping declares, as far as they can be read, even with errors. */
  readonly facts: FactTable;
  readonly diagnostics: readonly Diagnostic[];
  /** The warnings that comments in the file silence. */
  readonly silenced: readonly SilencedDiagnostic[];
}

/** Reads a mapping file. The mapping is absent only if there are errors; warnings do not matter. */
export function readMapping(file: FilePath, options: MappingOptions = {}): ReadMapping {
  const path = readPath(file);
  const { shown = path, table = CATALOG_TABLE } = readOptions(options);
  const diagnostics: Diagnostic[] = [];
  const source = readSource(path, shown, diagnostics);
  return readTree(source && parseYaml(source), { shown, table }, diagnostics);
}

/** The canonical JSON that each mapping was read from. */
const DATA = new WeakMap<Mapping, string>();

/** A mapping that was read. A modified copy does not count: its digest would no longer match. */
export const MAPPING: Kind = {
  expected: 'a mapping as it was read, not a copy of one or a path',
  is: (value) => DATA.has(value as Mapping),
};

/**
 * The mapping as JSON data, a new copy at each call. `mapping.digest` is the digest of this data, and `mappingFromData`
 * reads it again. Throws REQUEST_INVALID for an object that was not read, such as a changed copy of a mapping.
 */
export function mappingData(mapping: Mapping): unknown {
  return JSON.parse(DATA.get(readArgument('the mapping', MAPPING, mapping)) as string);
}

/**
 * Reads what `mappingData` returned; digest and meaning are the same. `shown` names the data in diagnostics; default:
 * `mapping`. Throws `DiagnosticsError` (MAPPING_INVALID) with every problem if there is an error.
 */
export function mappingFromData(data: unknown, options: MappingOptions = {}): Mapping {
  const { shown = 'mapping', table = CATALOG_TABLE } = readOptions(options);
  const read: Diagnostic[] = [];
  const tree = readGiven('REQUEST_INVALID', 'the data', () => treeOfData(data, shown, read));
  return mappingOf(readTree(tree, { shown, table }, read));
}

function readTree(
  root: Yaml | undefined,
  { shown, table }: Required<MappingOptions>,
  diagnostics: readonly Diagnostic[],
): ReadMapping {
  const mapping = root && readRoot(root, table);
  const hasErrors = diagnostics.some((diagnostic) => diagnostic.severity === 'error');
  const allowances = allowancesOf(diagnostics);
  allowances.reportMalformed();
  return {
    ...(mapping && !hasErrors ? { mapping } : {}),
    facts: mapping?.facts ?? table,
    diagnostics: sortDiagnostics(diagnostics, [shown]),
    silenced: allowances.silenced,
  };
}

function readRoot(root: Yaml, table: FactTable): Mapping | undefined {
  const fields = readFields(root, 'a mapping', MAPPING_KEYS);
  if (!fields) return undefined;
  const placeholders = fields.get('placeholders');
  const names = placeholders ? readPlaceholders(placeholders.value, '`placeholders`') : new Set<string>();
  const mappableFacts = readMappableFacts(fields, table);
  const signals = readSignals(fields.get('signals'), mappableFacts, names);
  const answer = readAnswer(fields.get('answer'));
  const sources = readSources(fields.get('sources'), mappableFacts);
  // A mapping with errors may have no canonical JSON.
  const isSound = root.source.diagnostics.every(({ severity }) => severity !== 'error');
  const data = isSound ? toData(root) : undefined;
  const mapping = { digest: isSound ? digest(data) : '', facts: mappableFacts.table, signals, ...answer, sources };
  if (isSound) DATA.set(freeze(mapping), canonicalJson(data));
  return mapping;
}

function readSignals(
  entry: MapEntry | undefined,
  { table, isDoubtful }: MappableFacts,
  placeholders: ReadonlySet<string>,
): ReadonlyMap<string, SignalMapping> {
  const signals = new Map<string, SignalMapping>();
  // A mapping without signals yet is valid: every service fact is `unmapped`.
  if (entry?.value.kind === 'map' && entry.value.entries.size === 0) return signals;
  const entries = (entry && readMap(entry.value, '`signals`')?.entries) ?? new Map<string, MapEntry>();
  for (const [path, { key, value }] of entries) {
    const definition = table.get(path);
    if (!definition) {
      if (!isDoubtful(path)) reportUnknownFact(key, path, table);
    } else if (definition.origin !== 'service') {
      reportAt(key, 'wrong-value', `${path} is not read from an answer: ${ORIGINS[definition.origin]}`);
    } else {
      const signal = readSignal(path, definition, value, placeholders);
      if (signal) signals.set(path, signal);
    }
  }
  return signals;
}

/** Why facts of other origins are not read from an answer. */
const ORIGINS = {
  applicant: 'it is what the applicant gave',
  derived: 'it is derived from other facts',
  caller: 'the caller gives it',
  velocity: 'verdict counts it',
} as const;
