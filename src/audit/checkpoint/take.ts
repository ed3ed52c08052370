/** A log and a signing key -> a signed note of the heads of all its chains, verified and durable, to be kept elsewhere. */

import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { keyIdOf } from '../keys/signature.ts';
import { listChainFolder } from '../store/chain-folder.ts';
import { closing, type Files, realFiles } from '../store/files.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { SEGMENTS } from '../store/segment.ts';
import { continuityFindings } from '../verify/continuity.ts';
import type { Finding } from '../verify/finding.ts';
import { verifyFiles } from '../verify/log-files.ts';
import { type VerifyReport, verifyLog } from '../verify/verify.ts';
import { signCheckpoint } from './checkpoint.ts';

/** With what a checkpoint is taken. */
export interface CheckpointOptions {
  /** The private key of one of the log's public keys. */
  readonly signingKey: KeyObject;
  /** An earlier checkpoint, from wherever it was kept: nothing is signed for a log that does not continue it. */
  readonly previous?: Uint8Array;
  /** The public keys, kept elsewhere, that the earlier one has to be signed with. Default: those in the log's own folder. */
  readonly publicKeys?: readonly KeyObject[];
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Default: the file system. */
  readonly files?: Files;
}

/** The note, in UTF-8; undefined where something speaks against it: nobody should vouch for that. */
export interface TakenCheckpoint {
  readonly note: string | undefined;
  /** What speaks against it: the findings of the report, and where the log cannot be compared to the earlier checkpoint. */
  readonly against: readonly Finding[];
  readonly report: VerifyReport;
}

/**
 * Verifies the log, against an earlier checkpoint where there is one, and signs how long each chain is. Processes may go on writing. Rejects with CONFIGURATION_INVALID where there is no log, or
 * the key is not one of its own, and with AUDIT_FAILED where a file cannot be read, or not be made durable.
 */
export async function takeCheckpoint(dir: string, options: CheckpointOptions): Promise<TakenCheckpoint> {
  const { signingKey, previous, publicKeys, now = Date.now, files = realFiles } = options;
  // Read before the chains are: what was written until then is in the note, and more may be.
  const at = new Date(now()).toISOString();
  const report = await verifyLog(dir, {
    ...(previous === undefined ? {} : { checkpoint: previous }),
    ...(publicKeys === undefined ? {} : { publicKeys }),
  });
  const { log, origin, chains } = report;
  const against = continuityFindings(report);
  if (log === undefined || origin === undefined || against.length > 0) return { note: undefined, against, report };
  if (!(await verifyFiles(dir)).publicKeys.has(keyIdOf(signingKey))) {
    throw new VerdictError(
      'CONFIGURATION_INVALID',
      "found a signing key that is not the log's own, expected one whose public key is in its folder",
    );
  }
  const heads = chains.filter(({ length }) => length > 0);
  await wrapIoErrors('made durable', async () => {
    for (const { chain } of heads) await settle(join(dir, 'chains', chain), files);
  });
  return { note: signCheckpoint({ log, origin, at, heads }, signingKey), against, report };
}

/** INVARIANT: no note names a line that the machine's end could still take: its process may be writing it just now. */
async function settle(path: string, files: Files): Promise<void> {
  const { last, segments } = await listChainFolder(path);
  if (!segments.has(last)) return;
  const file = await files.open(join(path, SEGMENTS.of(last)), 'append');
  await closing(file, () => file.datasync());
  await files.syncFolder(path);
}
