/** The folder of a policy: paths in its files -> what the files hold, none of them from outside. */

import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Diagnostic } from '../../diagnostics.ts';
import { parseYaml, readSource, reportAt, type Source, type Yaml } from '../../platform/yaml.ts';
import { readText } from '../../platform/yaml-fields.ts';
import { fingerprintOf } from '../watch/file-fingerprint.ts';

/** A file of a policy: where it is, and how it is named to people. */
export interface PolicyFile {
  readonly path: string;
  /** The path without symbolic links, which tells whether two files are one. */
  readonly realPath: string;
  readonly shown: string;
}

/** Where the parts of a policy are found: its own file, its rule sets, its list files. */
export interface PolicyFiles {
  readonly root: PolicyFile;
  readonly diagnostics: Diagnostic[];
  /** The tree of the policy's own file. */
  readRoot(): Yaml | undefined;
  /** The file that a node means, which stands in `from`. */
  locate(node: Yaml, from: PolicyFile): PolicyFile | undefined;
  /** The tree of a rule set; a problem with its file is reported at the node that means it. */
  readRuleSet(file: PolicyFile, node: Yaml): Yaml | undefined;
  /** The text of a list file; a problem with it is reported likewise. */
  openList(file: PolicyFile, node: Yaml): Source | undefined;
  /** Notes whether a list file has entries. Gives whether it had some before, and has lost them. */
  hasLostEntries(file: PolicyFile, isEmpty: boolean): boolean;
}

/** How a policy's files are opened. */
export interface FolderOptions {
  /** The policy's own file in diagnostics; by default the path itself. */
  readonly shown?: string;
  /** List files, by absolute path, that must not be empty: they had entries when they were read last. */
  readonly filledLists?: ReadonlySet<string>;
}

/** Opens the files that a policy is made of. */
export class PolicyFolder implements PolicyFiles {
  readonly root: PolicyFile;
  readonly diagnostics: Diagnostic[] = [];
  /** Each file that was opened, there or not, by absolute path, with its stamp just before. */
  readonly stamps = new Map<string, string>();
  /** The list files that have entries, by absolute path. */
  readonly filledLists = new Set<string>();
  readonly #filledBefore: ReadonlySet<string>;
  readonly #folder: string;

  /** `file` is the policy's own file. */
  constructor(file: string, { shown = file, filledLists = new Set() }: FolderOptions = {}) {
    const path = resolve(file);
    this.root = { path, realPath: realPathOf(path) ?? path, shown };
    this.#filledBefore = filledLists;
    this.#folder = dirname(path);
  }

  readRoot(): Yaml | undefined {
    const source = this.#read(this.root);
    return source && parseYaml(source);
  }

  /** The file that a node names, relative to the file that the node is in; undefined if it leaves the folder. */
  locate(node: Yaml, from: PolicyFile): PolicyFile | undefined {
    const name = readText(node, 'a path');
    if (name === undefined) return undefined;
    const path = resolve(dirname(from.path), name);
    const realPath = realPathOf(path);
    if (isAbsolute(name) || !this.#isInside(path, realPath)) {
      reportAt(node, 'file-outside', "the path leaves the policy's folder", {
        hint: 'paths are relative to the file that names them',
      });
      return undefined;
    }
    return { path, realPath: realPath ?? path, shown: join(dirname(from.shown), name) };
  }

  readRuleSet(file: PolicyFile, node: Yaml): Yaml | undefined {
    const source = this.#read(file, node);
    return source && parseYaml(source);
  }

  openList(file: PolicyFile, node: Yaml): Source | undefined {
    return this.#read(file, node);
  }

  hasLostEntries(file: PolicyFile, isEmpty: boolean): boolean {
    if (!isEmpty) this.filledLists.add(file.path);
    return isEmpty && this.#filledBefore.has(file.path);
  }

  #read(file: PolicyFile, node?: Yaml): Source | undefined {
    // A file may be opened twice; what was read first may be what has changed since.
    if (!this.stamps.has(file.path)) this.stamps.set(file.path, fingerprintOf(file.path));
    return readSource(file.path, file.shown, this.diagnostics, node);
  }

  #isInside(path: string, realPath: string | undefined): boolean {
    if (!isBelow(this.#folder, path)) return false;
    // A link inside the folder may lead out of it. A file that is not there is reported when it is opened.
    return realPath === undefined || isBelow(realPathOf(this.#folder) ?? this.#folder, realPath);
  }
}

/** Undefined where there is no such file. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function isBelow(folder: string, path: string): boolean {
  const steps = relative(folder, path);
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}
