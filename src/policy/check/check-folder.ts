/** Paths of files and folders -> what is wrong with the policies, rule sets and mappings there, each problem once. */

import { readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { type Diagnostic, type DiagnosticCode, sortDiagnostics } from '../../diagnostics.ts';
import { VerdictError } from '../../errors.ts';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { declaredIn, isSameFact } from '../../facts/declare.ts';
import { type ReadMapping, readMapping } from '../../facts/mapping/mapping.ts';
import { parseYaml, readSource } from '../../platform/yaml.ts';
import { PolicyFolder } from '../read/folder.ts';
import { readPolicyIn } from '../read/parse.ts';

/** What came of a check. */
export interface Checked {
  /** By file, in the order of their names, and by place. */
  readonly diagnostics: readonly Diagnostic[];
  /** How many files were read, lists included. */
  readonly files: number;
}

/** A file to be checked. */
interface Candidate {
  readonly path: string;
  /** Named by the user itself, not through its folder. */
  readonly isNamed: boolean;
}

/** The keys that a file of each kind has one of, and no file of a kind below. */
const KINDS = {
  policy: ['policy', 'default'],
  mapping: ['signals'],
  ruleSet: ['rules', 'tables', 'conditions', 'lists', 'ruleSets'],
} as const;

/** What a file is: of a kind, no YAML, with nothing in it, or anything else. */
type Kind = keyof typeof KINDS | 'broken' | 'empty' | 'other';

/** A file, and what is wrong with it by itself. */
interface Classified extends Candidate {
  readonly kind: Kind;
  readonly diagnostics: readonly Diagnostic[];
}

/** One policy as read. */
interface Reading {
  readonly loads: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** Every file that it is made of, without symbolic links. */
  readonly files: ReadonlySet<string>;
}

/** Checks files and folders. Throws POLICY_INVALID for one that is not there, or a folder without any file to check. */
export function checkFiles(paths: readonly string[]): Checked {
  const files = distinct(paths.flatMap(candidatesAt)).map(classify);
  const of = (...kinds: readonly Kind[]) => files.filter(({ kind }) => kinds.includes(kind));
  if (of('policy', 'mapping', 'ruleSet', 'broken').length === 0 && !files.some(({ isNamed }) => isNamed)) {
    throw new VerdictError('POLICY_INVALID', 'there is no policy, rule set or mapping in what is to be checked');
  }
  const mappings = of('mapping').map(({ path }) => ({ path, ...readMapping(path) }));
  const facts = mappedFacts(mappings);
  const readings = of('policy').map((file) => readOne(file, facts.table));
  const read = new Set(readings.flatMap((reading) => [...reading.files]));
  const isUnread = ({ path }: Candidate) => !read.has(realpathSync(path));
  const meantFolders = new Set(of('policy', 'mapping', 'ruleSet').map(({ path }) => dirname(path)));
  // What stands beside policies and is none may be one whose keys are misspelt; elsewhere it is other people's YAML.
  const isMeant = ({ path, isNamed }: Candidate) => isNamed || meantFolders.has(dirname(path));
  // A policy with errors may use more than could be read of it.
  const isUseKnown = readings.every(({ loads }) => loads);
  const diagnostics = [
    ...usedSomewhere(readings),
    ...mappings.flatMap((mapping) => mapping.diagnostics),
    ...facts.diagnostics,
    ...of('broken')
      .filter(isUnread)
      .flatMap((file) => file.diagnostics),
    ...(isUseKnown ? of('ruleSet').filter(isUnread).map(unusedFile) : []),
    ...of('other').filter(isMeant).filter(isUnread).map(unknownFile),
  ];
  const unique = onceEach(diagnostics);
  const names = [...new Set(unique.map(({ file }) => file))].sort();
  const own = of('policy', 'mapping', 'ruleSet', 'broken').map(({ path }) => realpathSync(path));
  return { diagnostics: sortDiagnostics(unique, names), files: new Set([...read, ...own]).size };
}

function candidatesAt(given: string): readonly Candidate[] {
  const path = normalize(given).replace(/(?<=.)\/$/, '');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new VerdictError('POLICY_INVALID', `there is no file or folder ${given}`);
  return stats.isDirectory()
    ? filesBelow(path).map((file) => ({ path: file, isNamed: false }))
    : [{ path, isNamed: true }];
}

/** The YAML files of a folder and of those below it, by name. Test cases are no policies. */
function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
    // Folders that are links are left alone: they may lead in a circle.
    if (entry.isDirectory()) return filesBelow(path);
    const isYaml = /\.ya?ml$/.test(entry.name) && !/\.test\.ya?ml$/.test(entry.name);
    return isYaml && statSync(path, { throwIfNoEntry: false })?.isFile() ? [path] : [];
  });
}

/** Each file once; one that is named by itself counts as such, wherever else it is found. */
function distinct(candidates: readonly Candidate[]): readonly Candidate[] {
  const byPath = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const path = resolve(candidate.path);
    if (candidate.isNamed || !byPath.has(path)) byPath.set(path, candidate);
  }
  return [...byPath.values()];
}

function classify(file: Candidate): Classified {
  const diagnostics: Diagnostic[] = [];
  const source = readSource(file.path, file.path, diagnostics);
  const root = source && parseYaml(source);
  if (root) return { ...file, kind: kindOf(root.kind === 'map' ? [...root.entries.keys()] : []), diagnostics };
  // A file of comments in a folder is nothing that anybody meant to have checked.
  const isEmpty = !file.isNamed && diagnostics.every(({ code }) => code === 'empty');
  return { ...file, kind: isEmpty ? 'empty' : 'broken', diagnostics };
}

function kindOf(keys: readonly string[]): Kind {
  const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
  return kinds.find((kind) => KINDS[kind].some((key) => keys.includes(key))) ?? 'other';
}

/**
 * The facts that mappings declare: policies that are checked with them can ask about these. Where two say otherwise of one
 * fact, the first by name counts.
 */
function mappedFacts(mappings: readonly (ReadMapping & { readonly path: string })[]): {
  readonly table: FactTable;
  readonly diagnostics: readonly Diagnostic[];
} {
  const table = new Map<string, FactDefinition>();
  const origins = new Map<string, string>();
  const diagnostics: Diagnostic[] = [];
  for (const { path: file, facts } of mappings.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    for (const [fact, definition] of declaredIn(facts)) {
      const first = table.get(fact);
      if (!first) {
        table.set(fact, definition);
        origins.set(fact, file);
      } else if (!isSameFact(first, definition)) {
        const message = `${fact} is declared otherwise in ${origins.get(fact)}, by which policies are checked here`;
        const hint = 'check each mapping together with the policies that are used with it';
        diagnostics.push({ code: 'duplicate-name', severity: 'warning', message, file, hint });
      }
    }
  }
  return { table, diagnostics };
}

function readOne({ path }: Candidate, facts: FactTable): Reading {
  const folder = new PolicyFolder(path);
  const { policy, diagnostics } = readPolicyIn(folder, { mapping: { facts } });
  const files = [...folder.stamps.keys()].filter((file) => statSync(file, { throwIfNoEntry: false }));
  return { loads: policy !== undefined, diagnostics, files: new Set(files.map((file) => realpathSync(file))) };
}

/** What is unused only if no policy that reads the file uses it. */
const UNUSED_CODES: readonly DiagnosticCode[] = ['unused-condition', 'unused-list'];

/** The problems of all policies, without the names in shared files that another policy uses, or may use. */
function usedSomewhere(readings: readonly Reading[]): readonly Diagnostic[] {
  return readings.flatMap(({ diagnostics }) =>
    diagnostics.filter((diagnostic) => {
      if (!UNUSED_CODES.includes(diagnostic.code)) return true;
      const file = realpathSync(diagnostic.file);
      const sharing = readings.filter(({ files }) => files.has(file));
      return sharing.every((reading) => reading.diagnostics.some((other) => placeOf(other) === placeOf(diagnostic)));
    }),
  );
}

function unusedFile({ path }: Candidate): Diagnostic {
  const message = 'no policy that is checked uses this rule set: its rules decide nothing, and are not checked';
  const hint = 'add it to the `ruleSets` of a policy, or check it together with the policy that uses it';
  return { code: 'unused-file', severity: 'warning', message, file: path, hint };
}

function unknownFile({ path, isNamed }: Candidate): Diagnostic {
  const message =
    'neither a policy (`policy`), nor a rule set (`rules`), nor a mapping (`signals`): nothing in it is checked';
  return { code: 'unknown-file', severity: isNamed ? 'error' : 'warning', message, file: path };
}

/** Several policies may read a file; of what each says of one place, the first is enough. */
function onceEach(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const byPlace = new Map<string, Diagnostic>();
  for (const diagnostic of diagnostics) {
    if (!byPlace.has(placeOf(diagnostic))) byPlace.set(placeOf(diagnostic), diagnostic);
  }
  return [...byPlace.values()];
}

function placeOf({ file, position, code }: Diagnostic): string {
  return JSON.stringify([normalize(file), position?.line, position?.column, code]);
}
