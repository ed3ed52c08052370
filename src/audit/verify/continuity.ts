/** A log that was verified against an earlier checkpoint of its -> what speaks against its being the same log, gone on. */

import type { Finding } from './finding.ts';
import type { VerifyReport } from './verify.ts';

/** Empty where the log continues the checkpoint, all of which could be compared. */
export function continuityFindings({ findings, chains }: VerifyReport): readonly Finding[] {
  const pruned = chains.filter(({ isPromisePruned }) => isPromisePruned);
  return [...findings, ...pruned.map(({ chain }): Finding => ({ code: 'checkpoint-pruned', chain, message: PRUNED }))];
}

const PRUNED =
  'the line that the checkpoint names stood in a segment that was pruned, and cannot be compared: expected a later checkpoint';
