/** A policy as data -> the problems of its guarantees. A process of its own: z3 keeps its memory until that ends. */

import type { Diagnostic } from '../../diagnostics.ts';
import { mappingFromData } from '../../facts/mapping/mapping.ts';
import { offer } from '../../platform/thread.ts';
import { type PolicyAsData, policyOf } from '../../policy/watch/read-files.ts';
import { checkGuarantees } from './prove.ts';

/** `mapping`: the data of the one that the policy was read with. */
export type ProvingFunctions = {
  readonly problemsOf: (policy: PolicyAsData, mapping: unknown, at: string) => Promise<readonly Diagnostic[]>;
};

async function problemsOf(data: PolicyAsData, mapping: unknown, at: string): Promise<readonly Diagnostic[]> {
  const policy = await policyOf(data, mappingFromData(mapping), 'the policy');
  if (!policy) throw new Error('a policy without errors has some as data');
  return checkGuarantees(policy, { at });
}

offer({ problemsOf } satisfies ProvingFunctions);
