/** Paths in the files of a policy -> the contents of these files; a path that leaves the policy's folder is refused. */

import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Diagnostic } from '../../../diagnostics.ts';
import { fingerprintOf, realPathOf } from '../../../platform/files/disk-file.ts';
import { isBelow, resolveLinks } from '../../../platform/files/project.ts';
import { reportAt, type Source } from '../../../platform/files/source.ts';
import { readSource } from '../../../platform/files/source-file.ts';
import { parseYaml, type Yaml } from '../../../platform/yaml.ts';
import { readText } from '../../../platform/yaml-fields.ts';
import type { PolicyFile, PolicyFiles } from './policy-files.ts';

/** How a policy's files are opened. */
export interface FolderOptions {
  /** The name of the policy's own file in diagnostics. Default: its path. */
  readonly shown?: string;
  /** The list files, by absolute path, that had entries at the last reading. They must not be empty now. */
  readonly filledLists?: ReadonlySet<string>;
}

/** Opens the files of a policy. */
export class PolicyFolder implements PolicyFiles {
  readonly root: PolicyFile;
  readonly diagnostics: Diagnostic[] = [];
  readonly isInlined = false;
  /** Each file that was named, existing or not, by absolute path, with its fingerprint just before. */
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
    const source = this.read(this.root);
    return source && parseYaml(source);
  }

  /** The file that a node names, relative to the node's own file; undefined if it lies outside the policy's folder. */
  locate(node: Yaml, from: PolicyFile): PolicyFile | undefined {
    const name = readText(node, 'a path');
    if (name === undefined) return undefined;
    const path = resolve(dirname(from.path), name);
    // Before it is refused too: a link that leads out for a moment is one that is watched.
    this.#stamp(path);
    const realPath = resolveLinks(path);
    if (isAbsolute(name) || !this.#isInside(path, realPath)) {
      return reportAt(node, 'file-outside', "the path leaves the policy's folder", {
        hint: 'paths are relative to the file that names them',
      });
    }
    return { path, realPath, shown: join(dirname(from.shown), name) };
  }

  readRuleSet(file: PolicyFile, node: Yaml): Yaml | undefined {
    const source = this.read(file, node);
    return source && parseYaml(source);
  }

  openText(file: PolicyFile, node: Yaml): Source | undefined {
    return this.read(file, node);
  }

  hasLostEntries(file: PolicyFile, isEmpty: boolean): boolean {
    if (!isEmpty) this.filledLists.add(file.path);
    return isEmpty && this.#filledBefore.has(file.path);
  }

  /** The text of a file; a problem with it is reported at the node that names it. */
  protected read(file: PolicyFile, node?: Yaml): Source | undefined {
    this.#stamp(file.path);
    return readSource(file.path, file.shown, this.diagnostics, node);
  }

  /** A file may be opened twice, and may have changed since the first time: the first fingerprint counts. */
  #stamp(path: string): void {
    if (!this.stamps.has(path)) this.stamps.set(path, fingerprintOf(path));
  }

  #isInside(path: string, realPath: string): boolean {
    // A link inside the folder may lead out of it.
    return isBelow(this.#folder, path) && isBelow(resolveLinks(this.#folder), realPath);
  }
}
