/** A log -> the findings of both verifiers, which must be the same. */

import type { KeyObject } from 'node:crypto';
import { type VerifyReport, verifyLog } from '../../../src/audit/verify/verify.ts';
import { type Bad, verifyAgain } from './second-verifier.ts';

/** The findings. */
export interface Said {
  readonly report: VerifyReport;
  /** All findings of the engine's verifier, sorted. */
  readonly first: readonly Bad[];
  /** The same of the second verifier. */
  readonly second: readonly Bad[];
  /** The engine's codes, sorted without repetition, separated by spaces. */
  readonly codes: string;
}

/** Runs both verifiers. */
export async function askBoth(dir: string, checkpoint?: string, publicKey?: KeyObject): Promise<Said> {
  const report = await verifyLog({
    dir,
    ...(checkpoint === undefined ? {} : { checkpoint: Buffer.from(checkpoint) }),
    ...(publicKey ? { publicKeys: [publicKey] } : {}),
  });
  const first = report.findings.map(({ code, chain = '', segment = 0, line = 0 }) => ({
    // The second one knows one version alone.
    code: code === 'line-format' ? 'line-shape' : code,
    ...{ chain, segment, line },
  }));
  const second = verifyAgain(dir, checkpoint === undefined ? undefined : Buffer.from(checkpoint), publicKey);
  const codes = [...new Set(first.map(({ code }) => code))].sort().join(' ');
  return { report, first: sorted(first), second: sorted(second), codes };
}

function sorted(found: readonly Bad[]): Bad[] {
  const nameOf = (bad: Bad) => JSON.stringify([bad.chain, bad.segment, bad.line, bad.code]);
  return [...found].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
