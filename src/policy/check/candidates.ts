/** Paths -> the files to be checked and what each is; files -> the policies and mappings in the folders above them. */

import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { join, normalize, resolve } from 'node:path';
import { type Diagnostic, type DiagnosticCode, DiagnosticsError } from '../../diagnostics.ts';
import { realPathOf } from '../../platform/files/disk-file.ts';
import { foldersAbove, isLinkOut } from '../../platform/files/project.ts';
import type { Source } from '../../platform/files/source.ts';
import { readSource } from '../../platform/files/source-file.ts';
import { parseYaml } from '../../platform/yaml.ts';
import { readCsvFile } from '../read/files/csv-file.ts';
import { NEEDED_COLUMNS } from '../read/tables/row.ts';

/** A file to be checked. */
export interface Candidate {
  readonly path: string;
  /** Whether the caller named the file itself, not its folder. */
  readonly isNamed: boolean;
  /** Why it cannot be read, if that is known without opening it. */
  readonly problem?: string;
}

/** A file is of the first kind of which it has one of the keys. Tests name their policy. */
const KINDS = {
  tests: ['tests'],
  policy: ['policy', 'default'],
  mapping: ['signals'],
  ruleSet: ['rules', 'tables', 'conditions', 'lists', 'ruleSets'],
} as const;

/** What a file is: one of the kinds, the `rows` of a table, `broken` (not YAML), `empty`, or any other. */
export type Kind = keyof typeof KINDS | 'rows' | 'broken' | 'empty' | 'other';

/** A file, and the problems that it has by itself. */
export interface Classified extends Candidate {
  readonly kind: Kind;
  readonly diagnostics: readonly Diagnostic[];
}

export function refuse(code: DiagnosticCode, message: string, paths: readonly string[]): never {
  const diagnostics = paths.map((file): Diagnostic => ({ code, severity: 'error', message, file }));
  throw new DiagnosticsError('POLICY_INVALID', diagnostics);
}

/** The files at paths; of a folder those whose names are wanted, in it and below. Throws for a path without a file. */
export function candidatesAt(
  paths: readonly string[],
  isWanted: (name: string) => boolean = isChecked,
): readonly Candidate[] {
  const candidates = paths.map((path) => ({ path, stats: statsOf(path) }));
  const absent = candidates.flatMap(({ path, stats }) => (stats === 'absent' ? [path] : []));
  if (absent.length > 0) refuse('file-unreadable', 'no such file or folder', absent);
  return candidates.flatMap(({ path: given, stats }): readonly Candidate[] => {
    const path = normalize(given).replace(/(?<=.)\/$/, '');
    return isFolder(stats) ? filesBelow(path, isWanted) : [{ path, isNamed: true }];
  });
}

/** Whether the name of a file says that it has tests of a policy. */
export function isTestFile(name: string): boolean {
  return /\.test\.ya?ml$/.test(name);
}

function isChecked(name: string): boolean {
  return /\.(ya?ml|csv)$/.test(name) && !isTestFile(name);
}

/** The files of a folder and of the folders below it whose names are wanted, by name. */
function filesBelow(folder: string, isWanted: (name: string) => boolean): readonly Candidate[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return [{ path: folder, isNamed: false, problem: `the folder cannot be read (${code ?? 'unknown error'})` }];
  }
  return entries.flatMap((entry): readonly Candidate[] => {
    const path = join(folder, entry.name);
    if (isPassedOver(entry)) return [];
    // Linked folders are not followed: they may lead in a circle.
    if (entry.isDirectory()) return filesBelow(path, isWanted);
    if (!isWanted(entry.name)) return [];
    const stats = statsOf(path);
    if (isFolder(stats)) return [];
    // Node writes U+FFFD for bytes that are not UTF-8; no file has that name.
    const isNameLost = stats === 'absent' && entry.name.includes('\u{fffd}');
    return [
      isNameLost ? { path, isNamed: false, problem: 'the name of the file is not UTF-8 text' } : candidateIn(path),
    ];
  });
}

/** A file that was found in a folder. The author of a link in it may not be allowed to read the file it leads to. */
function candidateIn(path: string): Candidate {
  const problem = 'a link out of the project; to read it all the same, name the file itself';
  return { path, isNamed: false, ...(isLinkOut(path) ? { problem } : {}) };
}

function isPassedOver({ name }: Dirent): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** A folder and those below it in which files are looked for; the path of a file alone. */
export function foldersAt(path: string): readonly string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory() && !isPassedOver(entry));
    return [path, ...folders.flatMap(({ name }) => foldersAt(join(path, name)))];
  } catch {
    // A file, or what is reported once it is read.
    return [path];
  }
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
export function fileAt(path: string): string {
  return realPathOf(path) ?? resolve(path);
}

/** Each file once; a file that the caller named counts as named, even if it is also found in a folder. */
export function distinct(candidates: readonly Candidate[]): readonly Candidate[] {
  const byPath = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const path = resolve(candidate.path);
    if (candidate.isNamed || !byPath.has(path)) byPath.set(path, candidate);
  }
  return [...byPath.values()];
}

export function classify(file: Candidate): Classified {
  const { path, problem } = file;
  if (problem !== undefined) {
    const diagnostic: Diagnostic = { code: 'file-unreadable', severity: 'error', message: problem, file: path };
    return { ...file, kind: 'broken', diagnostics: [diagnostic] };
  }
  const diagnostics: Diagnostic[] = [];
  const source = readSource(path, path, diagnostics);
  if (path.endsWith('.csv')) return { ...file, kind: kindOfCsv(source, file), diagnostics };
  const root = source && parseYaml(source);
  const kind = root && kindOf(root.kind === 'map' ? [...root.entries.keys()] : []);
  // A file of no known kind with syntax errors is broken, whatever was intended.
  if (kind && (kind !== 'other' || diagnostics.length === 0)) return { ...file, kind, diagnostics };
  // A file in a folder that holds nothing but comments is not a mistake.
  const isEmpty = !file.isNamed && diagnostics.every(({ code }) => code === 'empty');
  return { ...file, kind: isEmpty ? 'empty' : 'broken', diagnostics };
}

/** The files of a folder, and of those below it, that have the policy of this name. */
export function policyFilesNamed(name: string, folder: string): readonly string[] {
  return candidatesAt([folder]).flatMap(({ path, problem }) => {
    const source = problem === undefined && !path.endsWith('.csv') ? readSource(path, path, []) : undefined;
    const root = source && parseYaml(source);
    const named = root?.kind === 'map' ? root.entries.get('policy')?.value : undefined;
    return named?.kind === 'scalar' && named.value === name ? path : [];
  });
}

/** A CSV file may be the rows of a table; a file of something else is not a mistake. */
function kindOfCsv(source: Source | undefined, { isNamed }: Candidate): Kind {
  const columns = source ? (readCsvFile(source)?.header.map(({ value }) => value) ?? []) : [];
  const isTable = NEEDED_COLUMNS.some((name) => columns.includes(name)) && columns.some((name) => name.includes('.'));
  return isTable ? 'rows' : isNamed ? 'other' : 'empty';
}

function kindOf(keys: readonly string[]): Kind {
  const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
  return kinds.find((kind) => KINDS[kind].some((key) => keys.includes(key))) ?? 'other';
}

/**
 * The YAML files in the folders above, up to that of the project: a policy includes files of its own folder and of
 * those below, so it is in a folder above them.
 */
export function filesAbove(paths: readonly string[]): readonly Classified[] {
  const folders = [...new Set(paths.flatMap(foldersAbove))];
  return distinct(folders.flatMap(yamlIn).map(candidateIn)).map(classify);
}

function yamlIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^[^.].*\.ya?ml$/.test(name) && !isTestFile(name));
    return names.sort().map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The files of policies in a folder, not below it, by name. Throws an error of Node if the folder cannot be read. */
export function policyFilesIn(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => /^[^.].*\.ya?ml$/.test(name) && !isTestFile(name));
  const files = names.sort().map((name) => join(folder, name));
  return files.filter((file) => classify({ path: file, isNamed: false }).kind === 'policy');
}
