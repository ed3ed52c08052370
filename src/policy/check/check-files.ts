/** Paths of files and folders -> the problems of the policies, rule sets and mappings there, each once. */

import { dirname, normalize } from 'node:path';
import { type Diagnostic, type DiagnosticCode, type SilencedDiagnostic, sortDiagnostics } from '../../diagnostics.ts';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { DAY } from '../../facts/day.ts';
import { declaredIn, isSameFact } from '../../facts/declare.ts';
import { type ReadMapping, readMapping } from '../../facts/mapping/mapping.ts';
import { checkStatusGaps } from '../../facts/mapping/status-gaps.ts';
import { allowancesOf } from '../../platform/files/allowance.ts';
import { realPathOf } from '../../platform/files/disk-file.ts';
import { readSource } from '../../platform/files/source-file.ts';
import { WORLD } from '../../platform/formats/geo/world.ts';
import { RE2 } from '../../platform/formats/re2.ts';
import { ANYTHING, listOf, optionsReader, readArgument, TEXT } from '../../platform/given/options.ts';
import { PolicyFolder } from '../read/files/folder.ts';
import { SETTINGS } from '../read/read-policy.ts';
import type { ParameterSettings } from '../read/values/parameters.ts';
import {
  type Candidate,
  type Classified,
  candidatesAt,
  classify,
  distinct,
  fileAt,
  filesAbove,
  isTestFile,
  type Kind,
  refuse,
} from './candidates.ts';
import { checkParts, DEEP_CODES } from './check.ts';
import type { Check } from './context.ts';
import { checkAlone, versionUnchanged } from './file-checks.ts';

/** The result of a check. */
export interface CheckReport {
  /** Errors and warnings by file, in the order of the file names, and by position. */
  readonly diagnostics: readonly Diagnostic[];
  /** The warnings that comments in the files silence, in the same order. */
  readonly silenced: readonly SilencedDiagnostic[];
  /** The number of files that were checked, list files included. */
  readonly files: number;
  /** The policies above a named rule set or list, in which it was checked; they themselves were not. */
  readonly within: readonly string[];
}

/** What files are checked with. */
export interface CheckOptions {
  /**
   * Bodies of captured answers, as JSON data. Each mapping is tried on each of them: `unread-status` and
   * `source-elsewhere` are reported only for answers that show them. Default: none.
   */
  readonly answers?: readonly unknown[];
  /** The day of the check, yyyy-MM-dd, for rules and entries that have ended. Default: today, UTC. */
  readonly at?: string;
  /** Values for parameters, as for `loadPolicy`, in each policy that declares them. Default: none. */
  readonly parameters?: ParameterSettings;
  /**
   * A revision of the git repository that the policies are in: `version-unchanged` is reported for a policy that has
   * changed since, under the same version. It runs `git`, which needs no network. Default: none.
   */
  readonly since?: string;
}

/** What policies are read with, apart from the facts. */
type ReadWith = Pick<CheckOptions, 'at' | 'parameters' | 'since'>;

/** One policy as read. */
interface Reading {
  readonly path: string;
  readonly loads: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly silenced: readonly SilencedDiagnostic[];
  /** An error for each parameter that has a setting and is not declared, by name. */
  readonly unknownSettings: ReadonlyMap<string, Diagnostic>;
  /** Every file that was read for it, with symbolic links resolved. */
  readonly files: ReadonlySet<string>;
  /** What its checks share, and the list that they report to; undefined if it does not load. */
  readonly check: Check | undefined;
  readonly reported: Diagnostic[];
}

/**
 * Checks policies, rule sets and mappings: files that are named, and all YAML files in folders that are named and below
 * them. Policies are checked together with the mappings, whose match results they can ask about. A rule set is checked
 * as part of the policies that include it; if it is named without them, they are looked for in the folders above it, up
 * to the project's. A rule set that no policy includes is checked by itself as far as possible. Files
 * of tests (`*.test.yaml`), hidden files and `node_modules` are skipped.
 *
 * Throws a `DiagnosticsError` (`POLICY_INVALID`) where nothing can be checked: `file-unreadable` for each path that
 * does not exist, or `unknown-file` for each folder if no policy, rule set or mapping is found at all. With `since`, a
 * `VerdictError`: `CONFIGURATION_INVALID` without git or a repository, `REQUEST_INVALID` for an unknown revision.
 */
export function checkFiles(paths: readonly string[], options: CheckOptions = {}): CheckReport {
  const read = readAll(paths, options);
  return reportOn(read, read.checked, read.above);
}

/** Checks a policy further: reports warnings as the other checks do, and gives problems that no comment silences. */
export type FurtherCheck = (check: Check) => Promise<readonly Diagnostic[]>;

/** `checkFiles` with further checks of each policy that loads. */
export async function checkFilesDeeply(
  paths: readonly string[],
  options: CheckOptions,
  further: FurtherCheck,
): Promise<CheckReport> {
  const read = readAll(paths, options);
  const deepen = async (readings: readonly Reading[]) => {
    const deepened: Reading[] = [];
    for (const reading of readings) deepened.push(await checkFurther(reading, further));
    return deepened;
  };
  return reportOn(read, await deepen(read.checked), await deepen(read.above));
}

/** What was read of files and folders. */
function readAll(paths: readonly string[], options: CheckOptions) {
  readArgument('the paths', PATHS, paths);
  const { answers = [], ...readWith } = readOptions(options);
  const candidates = distinct(candidatesAt(paths));
  // A pattern of the shell, such as rules/*.yaml, names them too.
  const files = candidates.filter(({ path }) => !isTestFile(path)).map(classify);
  if (candidates.length > 0 && files.length === 0) {
    refuse('unknown-file', 'a file of tests, which `verdict test` checks and runs', paths);
  }
  const of = kindsAmong(files);
  if (of('policy', 'mapping', 'ruleSet', 'broken').length === 0 && !files.some(({ isNamed }) => isNamed)) {
    refuse('unknown-file', 'no policy, rule set or mapping in this folder', paths);
  }
  const mappings = of('mapping').map(({ path }) => ({ path, ...readMapping(path) }));
  const facts = mappedFacts(mappings);
  const statusGaps = mappings.flatMap(({ path, mapping }) => (mapping ? checkStatusGaps(path, mapping, answers) : []));
  const policies = of('policy').map((file) => readOne(file, facts.table, readWith));
  // A rule set with the head of a policy is told so where it is included; alone, all of its names would be unknown.
  const includes = (one: Reading, other: Reading) => one !== other && one.files.has(fileAt(other.path));
  const checked = policies.filter((each) => !policies.some((one) => includes(one, each) && !includes(each, one)));
  const read = filesOf(checked);
  const lone = files.filter(({ isNamed, kind }) => isNamed && kind !== 'policy' && kind !== 'mapping');
  const unread = lone.filter(({ path }) => !read.has(fileAt(path)));
  const above = readAbove(unread, mappings, readWith);
  return {
    files,
    mappings,
    facts,
    statusGaps,
    /** Files that are named and that no policy among them reads. */
    lone: unread,
    checked,
    above,
  };
}

function kindsAmong(files: readonly Classified[]): (...kinds: readonly Kind[]) => readonly Classified[] {
  return (...kinds) => files.filter(({ kind }) => kinds.includes(kind));
}

function filesOf(readings: readonly Reading[]): Set<string> {
  return new Set(readings.flatMap((reading) => [...reading.files]));
}

function reportOn(
  { files, mappings, facts, statusGaps, lone }: ReturnType<typeof readAll>,
  checked: readonly Reading[],
  above: readonly Reading[],
): CheckReport {
  const of = kindsAmong(files);
  const read = filesOf(checked);
  const isUnread = ({ path }: Candidate) => !read.has(fileAt(path));
  for (const file of lone)
    if (above.some((reading) => reading.files.has(fileAt(file.path)))) read.add(fileAt(file.path));
  const readings = [...checked, ...above];
  const folders = new Set(of('policy', 'mapping', 'ruleSet').map(({ path }) => dirname(path)));
  // An unknown file next to a policy may be one whose keys are misspelt; elsewhere it is YAML of another program.
  const isExpected = ({ path, isNamed }: Candidate) => isNamed || folders.has(dirname(path));
  // A policy with errors may use more names and files than could be read of it.
  const unused = readings.every(({ loads }) => loads) ? of('ruleSet', 'rows').filter(isUnread) : [];
  const alone = unused.filter(({ isNamed, kind }) => isNamed && kind === 'ruleSet');
  const isAsked = isOf(checked, lone);
  const unusedFiles = unused.filter((file) => !alone.includes(file)).map(unusedFile);
  const diagnostics = [
    ...withoutUsedElsewhere(readings).filter(isAsked),
    ...unknownSettings(readings),
    ...mappings.flatMap((mapping) => mapping.diagnostics),
    ...statusGaps.flatMap((gaps) => gaps.diagnostics),
    ...facts.diagnostics,
    ...of('broken', 'ruleSet').flatMap((file) => (isUnread(file) ? file.diagnostics : [])),
    ...unusedFiles.filter((each) => !('reason' in each)),
    ...alone.flatMap(({ path }) => checkAlone(path, facts.table)),
    ...of('other', 'tests').filter(isExpected).filter(isUnread).map(unknownFile),
  ];
  const unique = onceEach(diagnostics);
  const silenced = onceEach([
    ...readings.flatMap((reading) => reading.silenced).filter(isAsked),
    ...[...mappings, ...statusGaps].flatMap((reading) => reading.silenced),
    ...unusedFiles.filter((each) => 'reason' in each),
  ]);
  const names = [...new Set([...unique, ...silenced].map(({ file }) => file))].sort();
  const ownFiles = of('policy', 'mapping', 'ruleSet', 'broken').map(({ path }) => fileAt(path));
  const sorted = { diagnostics: sortDiagnostics(unique, names), silenced: sortDiagnostics(silenced, names) };
  const within = above.map(({ path }) => path).sort();
  return { ...sorted, files: new Set([...read, ...ownFiles]).size, within };
}

/** The policies in the folders above that include one of these files. */
function readAbove(
  files: readonly Classified[],
  given: readonly MappingFile[],
  readWith: ReadWith,
): readonly Reading[] {
  const filesFound = filesAbove(files.map(({ path }) => path));
  const mappings = filesFound.flatMap(({ path, kind }) => (kind === 'mapping' ? { path, ...readMapping(path) } : []));
  const { table } = mappedFacts([...given, ...mappings]);
  const paths = files.map(({ path }) => fileAt(path));
  return filesFound
    .filter(({ kind }) => kind === 'policy')
    .map((policy) => readOne(policy, table, readWith))
    .filter((reading) => paths.some((path) => reading.files.has(path)));
}

/** Whether a problem is of a checked policy, or of a named file, or keeps the policy above it from being in order. */
function isOf(checked: readonly Reading[], named: readonly Classified[]): (diagnostic: Diagnostic) => boolean {
  const files = new Set([
    ...checked.flatMap((reading) => [...reading.files]),
    ...named.map(({ path }) => fileAt(path)),
  ]);
  return ({ file, severity, code }) => severity === 'error' || code === 'version-unchanged' || files.has(fileAt(file));
}

const PATHS = listOf(TEXT, 'a list of paths');

const readOptions = optionsReader<CheckOptions>('the options of the check', {
  'answers?': listOf(ANYTHING, 'a list of answers as JSON data'),
  'at?': DAY,
  'parameters?': SETTINGS,
  'since?': TEXT,
});

/** A mapping as read. */
type MappingFile = ReadMapping & { readonly path: string };

/** The facts that mappings declare. Where two mappings declare one fact differently, the first by file name counts. */
function mappedFacts(mappings: readonly MappingFile[]): {
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

function readOne({ path }: Candidate, facts: FactTable, readWith: ReadWith): Reading {
  const folder = new PolicyFolder(path);
  const { since, ...others } = readWith;
  const options = { ...others, mapping: { facts }, geodata: WORLD, patterns: RE2 };
  const { policy, unknownSettings, check, problems } = checkParts(folder, options);
  const problemsFound = problems();
  const unchanged = policy && since !== undefined ? versionUnchanged(path, policy, since, options) : undefined;
  const isSilenced = unchanged !== undefined && allowancesOf(folder.diagnostics).silence(unchanged);
  const diagnostics = unchanged && !isSilenced ? [...problemsFound.diagnostics, unchanged] : problemsFound.diagnostics;
  const silenced = isSilenced ? allowancesOf(folder.diagnostics).silenced : problemsFound.silenced;
  const files = [...folder.stamps.keys()].flatMap((file) => realPathOf(file) ?? []);
  const reported = folder.diagnostics;
  const loads = policy !== undefined;
  return { path, loads, diagnostics, silenced, unknownSettings, files: new Set(files), check, reported };
}

async function checkFurther(reading: Reading, further: FurtherCheck): Promise<Reading> {
  const { check, reported, diagnostics } = reading;
  if (!check) return reading;
  const before = reported.length;
  const more = await further(check);
  const allowances = allowancesOf(reported);
  const isAnswered = !reported.slice(before).some(({ code }) => code === 'undecided');
  allowances.reportUnused((code) => isAnswered && DEEP_CODES.includes(code));
  return {
    ...reading,
    diagnostics: [...diagnostics, ...reported.slice(before), ...more],
    silenced: allowances.silenced,
  };
}

/** A name is reported with these codes only if no policy that reads its file uses it. */
const UNUSED_CODES: readonly DiagnosticCode[] = [
  'never-matters',
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

/** A comment of a rule set that other folders' policies include; it silences the warning about the whole file. */
const MEANT_FOR_OTHERS = /^# verdict: allow unused-file \(([^()\s][^()\n]*)\)$/m;

function unusedFile({ path, kind }: Classified): Diagnostic | SilencedDiagnostic {
  const [what, where] =
    kind === 'rows'
      ? ['table', 'name it under `rows` of a table']
      : ['rule set', 'add it to the `ruleSets` of a policy'];
  const message = `no checked policy includes this ${what}: its rules have no effect and are not checked`;
  const hint = `${where}, or check it together with the policy that includes it`;
  const [, reason] = MEANT_FOR_OTHERS.exec(readSource(path, path, [])?.text ?? '') ?? [];
  return { code: 'unused-file', severity: 'warning', message, file: path, hint, ...(reason ? { reason } : {}) };
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
