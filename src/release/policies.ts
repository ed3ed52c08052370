/** A folder of rules -> the policies in it by their names. */

import { basename, join } from 'node:path';
import { loadMapping } from '../facts/mapping/mapping.ts';
import { policyFilesIn } from '../policy/check/candidates.ts';
import type { Policy } from '../policy/language.ts';
import { loadPolicy } from '../policy/read/parse.ts';
import { inFolder, refused, type Texts } from './files.ts';
import type { Manifest } from './manifest.ts';

/** A policy of a folder, and its file there. */
export interface PolicyInFolder {
  readonly file: string;
  readonly policy: Policy;
}

/** `mapping`: the file of the mapping in the folder. Throws RELEASE_REFUSED where there is none, or no policy. */
export function policiesIn(folder: string, mapping: string): ReadonlyMap<string, PolicyInFolder> {
  const read = loadMapping(join(folder, mapping));
  const policies = new Map<string, PolicyInFolder>();
  for (const path of policyFilesIn(folder)) {
    const [file, policy] = [basename(path), loadPolicy(path, { mapping: read })];
    const other = policies.get(policy.name);
    if (other) throw refused(`${other.file} and ${file} are policies of one name`);
    policies.set(policy.name, { file, policy });
  }
  if (policies.size === 0) throw refused('the folder has no policy');
  return policies;
}

/** The policies of files as a manifest names them. Rejects with what `policiesIn` throws, or a `DiagnosticsError`. */
export async function namedPolicies(files: Texts, mapping: string): Promise<Manifest['policies']> {
  const found = inFolder(files, (folder) => policiesIn(folder, mapping));
  return Object.fromEntries(Array.from(found, ([name, { file, policy }]) => [name, { file, version: policy.version }]));
}
