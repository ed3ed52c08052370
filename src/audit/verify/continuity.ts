/** The report of a log verified against an earlier checkpoint -> findings showing that the log does not continue it. */

import type { Finding } from './finding.ts';
import type { VerifyReport } from './verify.ts';

/** Empty if the log continues the checkpoint and every chain could be compared with it. */
export function continuityFindings({ findings, chains }: VerifyReport): readonly Finding[] {
  const pruned = chains.filter(({ isPromisePruned }) => isPromisePruned);
  return [...findings, ...pruned.map(({ chain }): Finding => ({ code: 'checkpoint-pruned', chain, message: PRUNED }))];
}

const PRUNED = "the checkpoint's entry was pruned and cannot be compared, expected a later checkpoint";
