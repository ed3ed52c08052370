/** Paths of files and folders -> the problems of the policies, rule sets and mappings there, each once. */

import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import {
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticsError,
  type SilencedDiagnostic,
  sortDiagnostics,
} from '../../diagnostics.ts';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { declaredIn, isSameFact } from '../../facts/declare.ts';
import { checkCoverage } from '../../facts/mapping/coverage/check-coverage.ts';
import { type ReadMapping, readMapping } from '../../facts/mapping/mapping.ts';
import { WORLD } from '../../formats/geo/world.ts';
import { ANYTHING, listOf, optionsReader, readArgument, TEXT } from '../../given/options.ts';
import { realPathOf } from '../../platform/files/real-path.ts';
import type { Source } from '../../platform/files/source.ts';
import { readSource } from '../../platform/files/source-file.ts';
import { parseYaml } from '../../platform/yaml.ts';
import { readCsvFile } from '../read/files/csv-file.ts';
import { PolicyFolder } from '../read/files/folder.ts';
import { readOneOfPolicies, SETTINGS } from '../read/read-policy.ts';
import { NEEDED_COLUMNS } from '../read/tables/columns.ts';
import type { ParameterSettings } from '../read/values/parameter-value.ts';

/** The result of a check. */
export interface CheckReport {
  /** Errors and warnings by file, in the order of the file names, and by position. */
  readonly diagnostics: readonly Diagnostic[];
  /** The warnings that comments in the files silence, in the same order. */
  readonly silenced: readonly SilencedDiagnostic[];
  /** The number of files that were read, list files included. */
  readonly files: number;
}

/** What files are checked with. */
export interface CheckOptions {
  /**
   * Bodies of captured answers, as JSON data. Each mapping is tried on each of them: `unread-status` and
   * `source-elsewhere` are reported only for answers that show them. Default: none.
   */
  readonly answers?: readonly unknown[];
  /** Values for parameters, as for `loadPolicy`, in each policy that declares them. Default: none. */
  readonly parameters?: ParameterSettings;
}

/** A file to be checked. */
interface Candidate {
  readonly path: string;
  /** Whether the caller named the file itself, not its folder. */
  readonly isNamed: boolean;
  /** Why it cannot be read, if that is known without opening it. */
  readonly problem?: string;
}

/** A file is of the first kind of which it has one of the keys. */
const KINDS = {
  policy: ['policy', 'default'],
  mapping: ['signals'],
  ruleSet: ['rules', 'tables', 'conditions', 'lists', 'ruleSets'],
} as const;

/** What a file is: one of the kinds, the `rows` of a table, `broken` (not YAML), `empty`, or any other. */
type Kind = keyof typeof KINDS | 'rows' | 'broken' | 'empty' | 'other';

/** A file, and the problems that it has by itself. */
interface Classified extends Candidate {
  readonly kind: Kind;
  readonly diagnostics: readonly Diagnostic[];
}

/** One policy as read. */
interface Reading {
  readonly loads: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly silenced: readonly SilencedDiagnostic[];
  /** An error for each parameter that has a setting and is not declared, by name. */
  readonly unknownSettings: ReadonlyMap<string, Diagnostic>;
  /** Every file that was read for it, with symbolic links resolved. */
  readonly files: ReadonlySet<string>;
}

/**
 * Checks policies, rule sets and mappings: files that are named, and all YAML files in folders that are named and below
 * them. Policies are checked together with the mappings, whose match results they can ask about. A rule set is checked
 * as part of the policies that include it. Test cases (`*.test.yaml`), hidden files and `node_modules` are skipped.
 *
 * Throws a `DiagnosticsError` (`POLICY_INVALID`) where nothing can be checked: `file-unreadable` for each path that
 * does not exist, or `unknown-file` for each folder if no policy, rule set or mapping is found at all.
 */
export function checkFiles(paths: readonly string[], options: CheckOptions = {}): CheckReport {
  readArgument('the paths', PATHS, paths);
  const { answers = [], parameters } = readOptions(options);
  const files = distinct(candidatesAt(paths)).map(classify);
  const of = (...kinds: readonly Kind[]) => files.filter(({ kind }) => kinds.includes(kind));
  if (of('policy', 'mapping', 'ruleSet', 'broken').length === 0 && !files.some(({ isNamed }) => isNamed)) {
    refuse('unknown-file', 'no policy, rule set or mapping in this folder', paths);
  }
  const mappings = of('mapping').map(({ path }) => ({ path, ...readMapping(path) }));
  const facts = mappedFacts(mappings);
  const coverages = mappings.flatMap(({ path, mapping }) => (mapping ? checkCoverage(path, mapping, answers) : []));
  const readings = of('policy').map((file) => readOne(file, facts.table, parameters));
  const read = new Set(readings.flatMap((reading) => [...reading.files]));
  const isUnread = ({ path }: Candidate) => !read.has(fileAt(path));
  const folders = new Set(of('policy', 'mapping', 'ruleSet').map(({ path }) => dirname(path)));
  // An unknown file beside a policy may be one whose keys are misspelt; elsewhere it is YAML of another program.
  const isExpected = ({ path, isNamed }: Candidate) => isNamed || folders.has(dirname(path));
  // A policy with errors may use more names and files than could be read of it.
  const isUseKnown = readings.every(({ loads }) => loads);
  const diagnostics = [
    ...withoutUsedElsewhere(readings),
    ...unknownSettings(readings),
    ...mappings.flatMap((mapping) => mapping.diagnostics),
    ...coverages.flatMap((coverage) => coverage.diagnostics),
    ...facts.diagnostics,
    ...of('broken').flatMap((file) => (isUnread(file) ? file.diagnostics : [])),
    ...(isUseKnown ? of('ruleSet', 'rows').filter(isUnread).map(unusedFile) : []),
    ...of('other').filter(isExpected).filter(isUnread).map(unknownFile),
  ];
  const unique = onceEach(diagnostics);
  const silenced = onceEach([...readings, ...mappings, ...coverages].flatMap((reading) => reading.silenced));
  const names = [...new Set([...unique, ...silenced].map(({ file }) => file))].sort();
  const own = of('policy', 'mapping', 'ruleSet', 'broken').map(({ path }) => fileAt(path));
  const sorted = { diagnostics: sortDiagnostics(unique, names), silenced: sortDiagnostics(silenced, names) };
  return { ...sorted, files: new Set([...read, ...own]).size };
}

const PATHS = listOf(TEXT, 'a list of paths');

const readOptions = optionsReader<CheckOptions>('the options of the check', {
  'answers?': listOf(ANYTHING, 'a list of answers as JSON data'),
  'parameters?': SETTINGS,
});

function refuse(code: DiagnosticCode, message: string, paths: readonly string[]): never {
  const diagnostics = paths.map((file): Diagnostic => ({ code, severity: 'error', message, file }));
  throw new DiagnosticsError('POLICY_INVALID', diagnostics);
}

function candidatesAt(paths: readonly string[]): readonly Candidate[] {
  const found = paths.map((path) => ({ path, stats: statsOf(path) }));
  const absent = found.flatMap(({ path, stats }) => (stats === 'absent' ? [path] : []));
  if (absent.length > 0) refuse('file-unreadable', 'no such file or folder', absent);
  return found.flatMap(({ path: given, stats }): readonly Candidate[] => {
    const path = normalize(given).replace(/(?<=.)\/$/, '');
    return isFolder(stats) ? filesBelow(path) : [{ path, isNamed: true }];
  });
}

/** The YAML and CSV files of a folder and of the folders below it, by name, without test cases. */
function filesBelow(folder: string): readonly Candidate[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return [{ path: folder, isNamed: false, problem: `the folder cannot be read (${code ?? 'unknown error'})` }];
  }
  return entries.flatMap((entry): readonly Candidate[] => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
    // Linked folders are not followed: they may lead in a circle.
    if (entry.isDirectory()) return filesBelow(path);
    if (!/\.(ya?ml|csv)$/.test(entry.name) || /\.test\.ya?ml$/.test(entry.name)) return [];
    const stats = statsOf(path);
    if (isFolder(stats)) return [];
    // Node writes U+FFFD for bytes that are not UTF-8; no file has that name.
    const isNameLost = stats === 'absent' && entry.name.includes('\u{fffd}');
    return [{ path, isNamed: false, ...(isNameLost ? { problem: 'the name of the file is not UTF-8 text' } : {}) }];
  });
}

/** What is at a path, or why that is not known. */
function statsOf(path: string): Stats | 'absent' | 'unreadable' {
  try {
    return statSync(path);
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? 'absent' : 'unreadable';
  }
}

function isFolder(stats: ReturnType<typeof statsOf>): boolean {
  return typeof stats === 'object' && stats.isDirectory();
}

/** Equal for two paths of one file. */
function fileAt(path: string): string {
  return realPathOf(path) ?? resolve(path);
}

/** Each file once; a file that the caller named counts as named, even if it is also found in a folder. */
function distinct(candidates: readonly Candidate[]): readonly Candidate[] {
  const byPath = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const path = resolve(candidate.path);
    if (candidate.isNamed || !byPath.has(path)) byPath.set(path, candidate);
  }
  return [...byPath.values()];
}

function classify(file: Candidate): Classified {
  const { path, problem } = file;
  if (problem !== undefined) {
    const diagnostic: Diagnostic = { code: 'file-unreadable', severity: 'error', message: problem, file: path };
    return { ...file, kind: 'broken', diagnostics: [diagnostic] };
  }
  const diagnostics: Diagnostic[] = [];
  const source = readSource(path, path, diagnostics);
  if (path.endsWith('.csv')) return { ...file, kind: kindOfCsv(source, file), diagnostics };
  const root = source && parseYaml(source);
  if (root) return { ...file, kind: kindOf(root.kind === 'map' ? [...root.entries.keys()] : []), diagnostics };
  // A file in a folder that holds nothing but comments is no mistake.
  const isEmpty = !file.isNamed && diagnostics.every(({ code }) => code === 'empty');
  return { ...file, kind: isEmpty ? 'empty' : 'broken', diagnostics };
}

/** A CSV file may be the rows of a table; a file of something else is no mistake. */
function kindOfCsv(source: Source | undefined, { isNamed }: Candidate): Kind {
  const columns = source ? (readCsvFile(source)?.header.map(({ value }) => value) ?? []) : [];
  const isTable = NEEDED_COLUMNS.some((name) => columns.includes(name)) && columns.some((name) => name.includes('.'));
  return isTable ? 'rows' : isNamed ? 'other' : 'empty';
}

function kindOf(keys: readonly string[]): Kind {
  const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
  return kinds.find((kind) => KINDS[kind].some((key) => keys.includes(key))) ?? 'other';
}

/** The facts that mappings declare. Where two mappings declare one fact differently, the first by file name counts. */
function mappedFacts(mappings: readonly (ReadMapping & { readonly path: string })[]): {
  readonly table: FactTable;
  readonly diagnostics: readonly Diagnostic[];
} {
  const table = new Map<string, FactDefinition>();
  const origins = new Map<string, string>();
  const diagnostics: Diagnostic[] = [];
  for (const { path: file, facts } of mappings.toSorted((one, other) => (one.path < other.path ? -1 : 1))) {
    for (const [fact, definition] of declaredIn(facts)) {
      const first = table.get(fact);
      if (!first) {
        table.set(fact, definition);
        origins.set(fact, file);
      } else if (!isSameFact(first, definition)) {
        const message = `${fact} is declared differently in ${origins.get(fact)}, which the policies are checked with`;
        const hint = 'run one check for each mapping, with the policies that use it';
        diagnostics.push({ code: 'duplicate-name', severity: 'warning', message, file, hint });
      }
    }
  }
  return { table, diagnostics };
}

function readOne({ path }: Candidate, facts: FactTable, parameters: ParameterSettings | undefined): Reading {
  const folder = new PolicyFolder(path);
  const options = { mapping: { facts }, parameters, geodata: WORLD };
  const { policy, diagnostics, silenced, unknownSettings } = readOneOfPolicies(folder, options);
  const files = [...folder.stamps.keys()].flatMap((file) => realPathOf(file) ?? []);
  return { loads: policy !== undefined, diagnostics, silenced, unknownSettings, files: new Set(files) };
}

/** A name is reported with these codes only if no policy that reads its file uses it. */
const UNUSED_CODES: readonly DiagnosticCode[] = [
  'points-without-score',
  'unused-allow',
  'unused-condition',
  'unused-list',
  'unused-parameter',
];

/** The problems of all policies, except unused names in shared files that another policy uses, or may use. */
function withoutUsedElsewhere(readings: readonly Reading[]): readonly Diagnostic[] {
  return readings.flatMap(({ diagnostics }) =>
    diagnostics.filter((diagnostic) => {
      if (!UNUSED_CODES.includes(diagnostic.code)) return true;
      const file = fileAt(diagnostic.file);
      const sharing = readings.filter(({ files }) => files.has(file));
      const key = keyOf(diagnostic);
      return sharing.every((reading) => reading.diagnostics.some((other) => keyOf(other) === key));
    }),
  );
}

/** A setting is for the policies that declare its parameter; it is a mistake where none does. */
function unknownSettings(readings: readonly Reading[]): readonly Diagnostic[] {
  return readings.flatMap(({ unknownSettings: unknown }) =>
    [...unknown].flatMap(([name, error]) => (readings.every((other) => other.unknownSettings.has(name)) ? error : [])),
  );
}

function unusedFile({ path, kind }: Classified): Diagnostic {
  const [what, where] =
    kind === 'rows'
      ? ['table', 'name it under `rows` of a table']
      : ['rule set', 'add it to the `ruleSets` of a policy'];
  const message = `no checked policy includes this ${what}: its rules have no effect and are not checked`;
  const hint = `${where}, or check it together with the policy that includes it`;
  return { code: 'unused-file', severity: 'warning', message, file: path, hint };
}

function unknownFile({ path, isNamed }: Candidate): Diagnostic {
  const message = 'not checked: a policy has the key `policy`, a rule set `rules`, a mapping `signals`';
  return { code: 'unknown-file', severity: isNamed ? 'error' : 'warning', message, file: path };
}

/** Several policies may read one file; a problem that each of them reports at one position is kept once. */
function onceEach<Given extends Diagnostic>(diagnostics: readonly Given[]): readonly Given[] {
  return [...Map.groupBy(diagnostics, keyOf).values()].flatMap((same) => same.slice(0, 1));
}

/** Equal for diagnostics of one code at one position. */
function keyOf({ file, position, code }: Diagnostic): string {
  return JSON.stringify([normalize(file), position?.line, position?.column, code]);
}
