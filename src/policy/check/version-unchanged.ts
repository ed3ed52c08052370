/** A policy and a revision -> a warning if its content has changed since, and its version has not. */

import type { Diagnostic } from '../../diagnostics.ts';
import type { Policy } from '../language.ts';
import { PolicyFolder } from '../read/files/folder.ts';
import { PolicyInGit } from '../read/git/policy-in-git.ts';
import { type LoadingOptions, readOneOfPolicies } from '../read/read-policy.ts';

/**
 * Compares the digests, which cover rule sets, lists and tables in CSV, and no comments. Undefined if the policy was
 * not there, did not load, or had another name or version. Throws as `PolicyInGit` does.
 */
export function versionUnchanged(
  path: string,
  policy: Policy,
  since: string,
  options: LoadingOptions,
): Diagnostic | undefined {
  const before = readOneOfPolicies(new PolicyInGit(path, since), { ...options, warns: false });
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
