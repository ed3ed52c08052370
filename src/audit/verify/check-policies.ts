/** The archived policies of decisions, and the key folder -> whether their texts about people open, or were erased. */

import { VerdictError } from '../../errors.ts';
import { digest as digestOf } from '../../platform/digest.ts';
import type { ErasureFields } from '../entry/entry.ts';
import { ArtifactStore } from '../store/artifact-store.ts';
import type { Defect, Finding } from './finding.ts';

/** An archived policy with encrypted texts about people. */
export interface SealedPolicyStatus {
  /** The digest of its archived form. */
  readonly archive: string;
  readonly texts: number;
  /** How many people were erased from it. With any, nobody can compute the policy's own digest again. */
  readonly erasedPeople: number;
}

/** The result of the check. */
export interface CheckedPolicies {
  readonly sealed: readonly SealedPolicyStatus[];
  readonly findings: readonly Finding[];
  /** The own digests of the archived policies. */
  readonly ownDigests: ReadonlyMap<string, string>;
}

/** Opens the archived policies with these digests; those that are absent or changed have findings of their own. */
export async function checkPolicies(
  { dir, keysDir }: { readonly dir: string; readonly keysDir: string },
  digests: Iterable<string>,
  erasures: readonly ErasureFields[],
): Promise<CheckedPolicies> {
  const store = new ArtifactStore({ dir, keysDir });
  const sealed: SealedPolicyStatus[] = [];
  const findings: Finding[] = [];
  const ownDigests = new Map<string, string>();
  for (const archive of digests) {
    const data = await store.data(archive).catch(ignoreRefused);
    if (data === undefined) continue;
    const add = (defect: Defect) => findings.push({ ...defect, file: `policies/${archive.slice(7)}.json` });
    const opened = await store.open(data, archive).catch(ignoreRefused);
    if (opened === undefined) {
      add(UNREADABLE);
      continue;
    }
    if (!opened.table) continue;
    const { digest, texts, erased, table } = opened;
    if (erased.size === 0 && digestOf(opened.data) !== digest) add(DIFFERS);
    const subjects = erasures.flatMap(({ subject, policies = [] }) => (policies.includes(archive) ? subject : []));
    if (table.find(subjects).some((number) => table.keyOf(number))) add(UNDONE);
    sealed.push({ archive, texts, erasedPeople: erased.size });
    ownDigests.set(archive, digest);
  }
  return { sealed, findings, ownDigests };
}

/** Undefined in place of an error of the log's own checks. */
function ignoreRefused(error: unknown): undefined {
  if (!(error instanceof VerdictError)) throw error;
}

const UNREADABLE: Defect = {
  code: 'policy-unreadable',
  message: 'a text about a person does not open, or the keys of this policy are missing from the key folder',
};
const DIFFERS: Defect = {
  code: 'policy-unreadable',
  message: 'the opened policy does not have the digest that was encrypted with it',
};
const UNDONE: Defect = {
  code: 'erasure-undone',
  message: 'the key of a text about a person is there although its erasure is on record: erase it again',
};
