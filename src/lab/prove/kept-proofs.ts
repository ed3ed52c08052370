/** The guarantees of a policy -> their problems, proved in a process that ends, once for all who share a store. */

import type { Diagnostic } from '../../diagnostics.ts';
import { VerdictError } from '../../errors.ts';
import { type Mapping, mappingData } from '../../facts/mapping/mapping.ts';
import { Thread } from '../../platform/thread.ts';
import type { Policy } from '../../policy/language.ts';
import { mappingOf } from '../../policy/source-map.ts';
import { policyAsData } from '../../policy/watch/read-files.ts';
import type { ProvingOptions } from '../../policy/watch/watch.ts';
import { toJson } from '../../text.ts';
import { ENGINE_VERSION } from '../../version.ts';
import { DEFAULT_STEPS } from '../limits.ts';
import type { ProvingFunctions } from './proving-process.ts';

/** Where proofs are kept: a state that services share. */
interface ProofStore {
  run(
    name: 'findProof' | 'keepProof' | 'forgetProofs',
    parameters: readonly (string | number)[],
  ): Promise<readonly unknown[]>;
  /** A hash that nobody without the key of the state can guess. */
  hash(text: string): string;
}

/** A proof holds for its day alone, since rules and entries begin and end. */
const KEPT_MS = 2 * 86_400_000;

/**
 * Proves guarantees. A proof is kept in the state as its keyed hash alone, which nobody without the key of the state
 * can write; where the state cannot be asked, it is made again.
 */
export function createProver({ run, hash }: ProofStore): ProvingOptions['prove'] {
  return async (policy, { at }) => {
    // INVARIANT: the service reads each policy with its mapping.
    const mapping = mappingOf(policy) as Mapping;
    const proof = hash(toJson(['proof', policy.digest, mapping.digest, ENGINE_VERSION, DEFAULT_STEPS, at]));
    const kept = await run('findProof', [proof]).catch(() => []);
    if (kept.length > 0) return [];
    const problems = await proveElsewhere(policy, mapping, at);
    if (problems.length > 0) return problems;
    await run('keepProof', [proof]).catch(() => {});
    await run('forgetProofs', [KEPT_MS]).catch(() => {});
    return [];
  };
}

async function proveElsewhere(policy: Policy, mapping: Mapping, at: string): Promise<readonly Diagnostic[]> {
  const proving = new Thread<ProvingFunctions>('lab/prove/proving-process', undefined, { isProcess: true });
  try {
    return await proving.call('problemsOf', policyAsData(policy), mappingData(mapping), at);
  } catch (error) {
    if (VerdictError.is(error)) throw error;
    const what = 'the process that proves guarantees has ended; it needs about 300 MB of memory for a while';
    throw new VerdictError('SOLVER_FAILED', what, { cause: error });
  } finally {
    await proving.end();
  }
}
