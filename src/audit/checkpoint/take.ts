/** A log and a signing key -> a checkpoint of the verified log: a signed note to be kept outside it. */

import type { KeyObject } from 'node:crypto';
import { BYTES, FUNCTION, optionsReader } from '../../platform/given/options.ts';
import { readClock } from '../../platform/given/read-given.ts';
import { homeOf } from '../home.ts';
import { PUBLIC_KEYS, SIGNING_KEY } from '../keys/signature.ts';
import { LOG_PLACE, type LogPlace } from '../place.ts';
import { syncChain } from '../store/chain-folder.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { signCheckpoint } from '../verify/checkpoint.ts';
import type { Finding } from '../verify/finding.ts';
import { checkSigningKey, verifyFiles } from '../verify/log-files.ts';
import { continuityFindings, type VerifyOptions, type VerifyReport, verifyLog } from '../verify/verify.ts';

/** Of which log a checkpoint is taken, and with what. */
export type CheckpointOptions = LogPlace &
  Pick<VerifyOptions, 'publicKeys'> & {
    /** The private key of one of the log's public keys. */
    readonly signingKey: KeyObject;
    /** An earlier checkpoint, kept outside the log: nothing is signed unless the log continues it. */
    readonly previous?: Uint8Array;
    /** The clock, in milliseconds since 1970. Default: `Date.now`. */
    readonly now?: () => number;
  };

const readOptions = optionsReader<CheckpointOptions>('the options of the checkpoint', {
  ...LOG_PLACE,
  signingKey: SIGNING_KEY,
  'previous?': BYTES,
  'publicKeys?': PUBLIC_KEYS,
  'now?': FUNCTION,
});

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
 * processes may write meanwhile. Rejects with CONFIGURATION_INVALID for options that cannot be used, such as no log or
 * a signing key that does not belong to it, and with AUDIT_FAILED if a file cannot be read or made durable.
 */
export async function takeCheckpoint(options: CheckpointOptions): Promise<TakenCheckpoint> {
  const { signingKey, previous, now = Date.now, ...verified } = readOptions(options);
  const home = await homeOf(verified);
  // Before the chains are read: the note covers at least all that was written up to this instant.
  const at = new Date(readClock(now)).toISOString();
  const report = await verifyLog(previous === undefined ? verified : { ...verified, checkpoint: previous });
  const { log, origin, chains } = report;
  const against = continuityFindings(report);
  if (log === undefined || origin === undefined || against.length > 0) return { note: undefined, against, report };
  checkSigningKey(await verifyFiles(home.log), signingKey);
  const heads = chains.filter(({ length }) => length > 0);
  // INVARIANT: no note names an entry that a power failure could still remove, such as one being written just now.
  await wrapIoErrors('made durable', async () => {
    for (const { chain } of heads) await syncChain(home.log, chain);
  });
  return { note: signCheckpoint({ log, origin, at, heads }, signingKey), against, report };
}
