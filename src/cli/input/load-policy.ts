/** The options `--policy` and `--mapping` -> the policy. */

import type { Policy } from '../../policy/language.ts';

export interface PolicyFiles {
  readonly policy: string;
  /** Default: the shipped mapping. */
  readonly mapping?: string | undefined;
}

/** Loads the readers only now, so that other commands start without them. */
export async function loadPolicyFiles({ policy, mapping }: PolicyFiles): Promise<Policy> {
  const { loadPolicy } = await import('../../policy/read/parse.ts');
  const { loadMapping } = await import('../../facts/mapping/mapping.ts');
  return loadPolicy(policy, { mapping: loadMapping(mapping) });
}
