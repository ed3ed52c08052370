/** A log and a signing key -> a checkpoint of the verified log: a signed note to be kept outside it. */

import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { listChainFolder } from '../store/chain-folder.ts';
import { closing, type Files, realFiles } from '../store/files.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { SEGMENTS } from '../store/segment.ts';
import type { Finding } from '../verify/finding.ts';
import { checkSigningKey, verifyFiles } from '../verify/log-files.ts';
import { continuityFindings, type VerifyReport, verifyLog } from '../verify/verify.ts';
import { signCheckpoint } from './checkpoint.ts';

/** What a checkpoint is taken with. */
export interface CheckpointOptions {
  /** The private key of one of the log's public keys. */
  readonly signingKey: KeyObject;
  /** An earlier checkpoint, kept outside the log: nothing is signed unless the log continues it. */
  readonly previous?: Uint8Array;
  /** The public keys, kept outside the log, for `previous`. Default: those in the log's own folder. */
  readonly publicKeys?: readonly KeyObject[];
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Default: the file system. */
  readonly files?: Files;
}

/** A checkpoint, or why none was signed. */
export interface TakenCheckpoint {
  /** The signed note, in UTF-8; undefined if there are findings, since nobody should vouch for such a log. */
  readonly note: string | undefined;
  /** The findings of the report, and one for each chain that cannot be compared with the earlier checkpoint. */
  readonly against: readonly Finding[];
  readonly report: VerifyReport;
}

/**
 * Verifies the log, against an earlier checkpoint if there is one, and signs the length of each chain. Other
 * processes may write meanwhile. Rejects with CONFIGURATION_INVALID if there is no log or the signing key does
 * not belong to it, and with AUDIT_FAILED if a file cannot be read or made durable.
 */
export async function takeCheckpoint(dir: string, options: CheckpointOptions): Promise<TakenCheckpoint> {
  const { signingKey, previous, publicKeys, now = Date.now, files = realFiles } = options;
  // Before the chains are read: the note covers at least all that was written up to this instant.
  const at = new Date(now()).toISOString();
  const report = await verifyLog(dir, {
    ...(previous === undefined ? {} : { checkpoint: previous }),
    ...(publicKeys === undefined ? {} : { publicKeys }),
  });
  const { log, origin, chains } = report;
  const against = continuityFindings(report);
  if (log === undefined || origin === undefined || against.length > 0) return { note: undefined, against, report };
  checkSigningKey(await verifyFiles(dir), signingKey);
  const heads = chains.filter(({ length }) => length > 0);
  await wrapIoErrors('made durable', async () => {
    for (const { chain } of heads) await syncChain(join(dir, 'chains', chain), files);
  });
  return { note: signCheckpoint({ log, origin, at, heads }, signingKey), against, report };
}

/** INVARIANT: no note names an entry that a power failure could still remove, such as one being written just now. */
async function syncChain(path: string, files: Files): Promise<void> {
  const { last, segments } = await listChainFolder(path);
  if (!segments.has(last)) return;
  const file = await files.open(join(path, SEGMENTS.of(last)), 'append');
  await closing(file, () => file.datasync());
  await files.syncFolder(path);
}
