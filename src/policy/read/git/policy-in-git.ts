/** A policy's path and a git revision -> the parts of the policy as they were in that revision. */

import { dirname, relative, resolve, sep } from 'node:path';
import { reportFile, Source } from '../../../platform/files/source.ts';
import type { Yaml } from '../../../platform/yaml.ts';
import { didYouMean } from '../../../text.ts';
import { PolicyFolder } from '../files/folder.ts';
import type { PolicyFile } from '../files/policy-files.ts';
import { type GitTree, openGitTree } from './git-tree.ts';

/**
 * The files of a policy as they were in a revision; in diagnostics they are called as git calls them,
 * `main:rules/onboarding.yaml`. Throws CONFIGURATION_INVALID if git cannot be run or finds no
 * repository, and REQUEST_INVALID if the repository has no such revision; the message does not repeat the revision.
 */
export class PolicyInGit extends PolicyFolder {
  /** Before the names of its files: `main:`. */
  readonly #prefix: string;
  readonly #folder: string;
  readonly #tree: GitTree;

  constructor(path: string, revision: string) {
    const prefix = `${revision}:`;
    super(path, { shown: `${prefix}${path}` });
    this.#prefix = prefix;
    this.#folder = dirname(resolve(path));
    this.#tree = openGitTree(this.#folder, revision);
  }

  override locate(node: Yaml, from: PolicyFile): PolicyFile | undefined {
    const file = super.locate(node, { ...from, shown: from.shown.slice(this.#prefix.length) });
    return file && { ...file, shown: `${this.#prefix}${file.shown}` };
  }

  protected override read({ path, shown }: PolicyFile, node?: Yaml): Source | undefined {
    const { diagnostics } = this;
    const inTree = relative(this.#folder, path).replaceAll(sep, '/');
    const bytes = this.#tree.read(inTree);
    const problem = (what: string, about = {}) =>
      reportFile({ shown, diagnostics, from: node }, 'file-unreadable', what, about);
    if (!bytes) return problem('no such file in that revision', didYouMean(inTree, this.#tree.paths));
    try {
      return new Source(shown, new TextDecoder('utf-8', { fatal: true }).decode(bytes), diagnostics);
    } catch {
      return problem('the file was not UTF-8 text');
    }
  }
}
