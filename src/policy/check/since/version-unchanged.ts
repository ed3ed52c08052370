/** A policy and a revision -> a warning if its content has changed since, and its version has not. */

import { dirname, relative, resolve, sep } from 'node:path';
import type { Diagnostic } from '../../../diagnostics.ts';
import { reportFile, Source } from '../../../platform/files/source.ts';
import type { Yaml } from '../../../platform/yaml.ts';
import type { Policy } from '../../language.ts';
import { PolicyFolder } from '../../read/files/folder.ts';
import type { PolicyFile } from '../../read/files/policy-files.ts';
import { type PolicyOptions, readOneOfPolicies } from '../../read/read-policy.ts';
import { type GitTree, openGitTree } from './git-tree.ts';

/**
 * Compares the digests, which cover rule sets, lists and tables in CSV, and no comments. Undefined if the policy was
 * not there, did not load, or had another name or version. Throws as `openGitTree` does.
 */
export function versionUnchanged(
  path: string,
  policy: Policy,
  since: string,
  options: PolicyOptions,
): Diagnostic | undefined {
  const folder = dirname(resolve(path));
  const before = readOneOfPolicies(new FolderInGit(path, openGitTree(folder, since)), { ...options, warns: false });
  const old = before.policy;
  if (old?.name !== policy.name || old.version !== policy.version || old.digest === policy.digest) return undefined;
  const message = `the policy has changed since that revision, and its version is still "${policy.version}"`;
  const hint = 'raise `version`: decisions on record name it';
  return { code: 'version-unchanged', severity: 'warning', message, hint, file: path, ...placeOfVersion(path) };
}

/** Where the policy says its version. */
function placeOfVersion(path: string): Pick<Diagnostic, 'position' | 'line'> {
  const root = new PolicyFolder(path).readRoot();
  const value = root?.kind === 'map' ? root.entries.get('version')?.value : undefined;
  if (!value) return {};
  const { position, line } = value.source.placeOf(value.start, value.end);
  return { position, line };
}

/** The files of a policy as they were in a revision. */
class FolderInGit extends PolicyFolder {
  readonly #folder: string;
  readonly #tree: GitTree;

  constructor(path: string, tree: GitTree) {
    super(path);
    this.#folder = dirname(resolve(path));
    this.#tree = tree;
  }

  protected override read({ path, shown }: PolicyFile, node?: Yaml): Source | undefined {
    const { diagnostics } = this;
    const bytes = this.#tree.read(relative(this.#folder, path).replaceAll(sep, '/'));
    const problem = (what: string) => reportFile({ shown, diagnostics, from: node }, 'file-unreadable', what);
    if (!bytes) return problem('no such file in that revision');
    try {
      return new Source(shown, new TextDecoder('utf-8', { fatal: true }).decode(bytes), diagnostics);
    } catch {
      return problem('the file was not UTF-8 text');
    }
  }
}
