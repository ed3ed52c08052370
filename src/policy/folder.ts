/** The folder of a policy: paths in its files -> sources, none of them from outside. */

import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Diagnostic } from '../diagnostics.ts';
import { readSource, reportAt, type Source, type Yaml } from '../yaml.ts';
import { readText } from './fields.ts';

/** A file of a policy: where it is, and how it is named to people. */
export interface PolicyFile {
  readonly path: string;
  readonly shown: string;
}

/** Opens the files that a policy is made of. */
export class PolicyFolder {
  readonly root: PolicyFile;
  readonly diagnostics: Diagnostic[] = [];
  readonly #folder: string;

  /** `file` is the policy's own file, as the user named it. */
  constructor(file: string) {
    this.root = { path: resolve(file), shown: file };
    this.#folder = dirname(this.root.path);
  }

  /** The policy's own file. */
  openRoot(): Source | undefined {
    return readSource(this.root.path, this.root.shown, this.diagnostics);
  }

  /** The file that a node names, relative to the file that the node is in; undefined if it leaves the folder. */
  locate(node: Yaml, from: PolicyFile): PolicyFile | undefined {
    const name = readText(node, 'a path');
    if (name === undefined) return undefined;
    const path = resolve(dirname(from.path), name);
    if (isAbsolute(name) || !this.#isInside(path)) {
      reportAt(node, 'file-outside', "the path leaves the policy's folder", {
        hint: 'paths are relative to the file that names them',
      });
      return undefined;
    }
    return { path, shown: join(dirname(from.shown), name) };
  }

  /** The source of a located file; a problem with it is reported where it is named. */
  open(file: PolicyFile, node: Yaml): Source | undefined {
    return readSource(file.path, file.shown, this.diagnostics, node);
  }

  #isInside(path: string): boolean {
    if (!isBelow(this.#folder, path)) return false;
    try {
      // A link inside the folder may lead out of it.
      return isBelow(realpathSync(this.#folder), realpathSync(path));
    } catch {
      return true; // a file that is not there is reported when it is opened
    }
  }
}

function isBelow(folder: string, path: string): boolean {
  const steps = relative(folder, path);
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}
