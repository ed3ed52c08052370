/** The policies of a query -> the same with the digests of their archived forms, by which records name them. */

import { DIGEST } from '../entry/schema.ts';
import { PolicyKeys, policyKeysName } from '../keys/policy-keys.ts';
import type { IndexKey } from '../keys/subject.ts';
import { realFiles, unlessCode } from '../store/files.ts';

/** Adds nothing without the key folder: then a policy that says something of people is found by its archived form. */
export async function withArchivedDigests(
  policies: readonly string[],
  keysDir: string,
  readKeys: () => Promise<readonly IndexKey[]>,
): Promise<readonly string[]> {
  const digests = policies.filter((policy) => DIGEST.is(policy));
  const keys = new PolicyKeys(keysDir, realFiles);
  const names = digests.length === 0 ? [] : ((await unlessCode(keys.names(), 'EACCES', 'EPERM')) ?? []);
  const [first] = names.length === 0 ? [] : await readKeys();
  if (!first) return policies;
  const own = digests.map((digest) => policyKeysName(digest, first));
  const archived: string[] = [];
  for (const name of names) {
    const archive = own.includes(name.replace(/-\d+$/, '')) ? await keys.readArchive(name) : undefined;
    if (archive !== undefined) archived.push(archive);
  }
  return [...policies, ...archived];
}
