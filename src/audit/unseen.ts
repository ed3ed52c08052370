/** What a log was held to -> what a verification could not see, in sentences. */

import { count } from '../diagnostics.ts';
import type { ChainReport } from './chain-check.ts';
import type { Checkpoint } from './checkpoint.ts';

/** Never empty: there is always something that was written since. */
export function sayUnseen(
  checkpoint: Checkpoint | undefined,
  chains: readonly ChainReport[],
  isKeyGiven: boolean,
): string[] {
  const pruned = chains.reduce((sum, chain) => sum + chain.pruned, 0);
  const unpromised = chains.filter(({ isPromisePruned }) => isPromisePruned).length;
  const signed = [checkpoint ? 'the checkpoint' : '', pruned > 0 ? count(pruned, 'tombstone') : ''].filter(Boolean);
  return [
    checkpoint
      ? `Without a later checkpoint this cannot see whether what was written after ${checkpoint.at} was cut off at the end of a line, written anew with right hashes, or, as a chain begun since, removed whole.`
      : 'Without a checkpoint that is kept elsewhere this cannot see a chain whose end was cut off at the end of a line, a chain that was written anew with right hashes, or a chain that was removed whole; nor whether the origin in log.json was changed.',
    ...(signed.length > 0 && !isKeyGiven
      ? [
          `The public key that ${signed.join(' and ')} was held to is the one in the log's own folder, which whoever can rewrite the log can replace: give the one that you keep.`,
        ]
      : []),
    ...(unpromised > 0
      ? [
          `The checkpoint's line of ${count(unpromised, 'chain')} stood in a segment that was pruned, and could not be compared.`,
        ]
      : []),
  ];
}
