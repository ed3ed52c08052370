/** A log's folder, with a checkpoint and a public key that are kept elsewhere -> every place that is not as it was written, and what cannot be seen. */

import type { KeyObject } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { splitLines } from '../../platform/lines.ts';
import { count } from '../../text.ts';
import { type CheckedCheckpoint, readCheckpoint } from '../checkpoint/checkpoint.ts';
import { type BodyEntry, type Entry, MAX_LINE_BYTES, parseEntry } from '../entry/entry.ts';
import { checkKeys } from '../keys/index-keys.ts';
import { keyIdOf, type TrustedKeys } from '../keys/signature.ts';
import { instantOf, isTooOld } from '../log-file.ts';
import { placesOf } from '../query/lookup.ts';
import { listChainFolder } from '../store/chain-folder.ts';
import { readPieces, statEntry } from '../store/folder.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { SEGMENTS } from '../store/segment.ts';
import { positionWords } from '../tampered-error.ts';
import type { ChainReport } from './chain-check.ts';
import { ArtifactCheck, type VersionTwice } from './check-artifacts.ts';
import { BodyCheck } from './check-body.ts';
import { ErasureCheck } from './erasure/check-erasures.ts';
import type { Finding } from './finding.ts';
import { IdSet } from './id-set.ts';
import { limitations } from './limitations.ts';
import { type LogFiles, verifyFiles } from './log-files.ts';
import { verifyChain } from './verify-chain.ts';

/** What a log is held to. */
export interface VerifyOptions {
  /** A signed note of this log, from wherever it was kept. */
  readonly checkpoint?: Uint8Array;
  /**
   * The Ed25519 public keys, kept elsewhere, that checkpoints and tombstones have to be signed with. Default: those in
   * the log's own folder, which whoever can rewrite the log can replace.
   */
  readonly publicKeys?: readonly KeyObject[];
  /** The key folder: bodies are opened with it, and held to what their records say in clear. */
  readonly keysDir?: string;
  /** Told for each line how many were read; a chain that is written meanwhile may be read again. */
  readonly onProgress?: (lines: number) => void;
}

/** What a verification found. */
export interface VerifyReport {
  /** Undefined where `log.json` cannot be read. */
  readonly log: string | undefined;
  readonly origin: string | undefined;
  /** Empty where everything is as it was written. The log's own files first, then the chains in their order, of the records of each the first. */
  readonly findings: readonly Finding[];
  readonly versionsTwice: readonly VersionTwice[];
  /** Sorted; each as far as it is good. */
  readonly chains: readonly ChainReport[];
  /** What the log was held to. */
  readonly checkpoint?: { readonly at: string; readonly keyId: string; readonly chains: number };
  /** Where there was a key folder: the records whose keys were erased, as the log tells. */
  readonly erased?: number;
  /** In sentences: what this verification could not see. */
  readonly unseen: readonly string[];
}

/**
 * Reads a log, all of it, and writes nothing. Processes may go on writing: each chain is read up to the length it had when it was
 * first looked at. Memory grows by some 40 bytes a record. Rejects with CONFIGURATION_INVALID where there is no log, and with
 * AUDIT_FAILED where a file cannot be read.
 */
export function verifyLog(dir: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  return wrapIoErrors('read', () => verify(dir, options));
}

async function verify(
  given: string,
  { checkpoint: note, publicKeys, keysDir, onProgress }: VerifyOptions,
): Promise<VerifyReport> {
  // Of a link to a log the log is meant; within it, none is followed.
  const dir = await realpath(given).catch(() => given);
  if (!(await statEntry(join(dir, 'log.json'))) && !(await statEntry(join(dir, 'chains')))) {
    throw new VerdictError('CONFIGURATION_INVALID', 'found no audit log in that folder, expected log.json and chains');
  }
  const files = await verifyFiles(dir);
  const trusted = publicKeys ? new Map(publicKeys.map((key) => [keyIdOf(key), key])) : files.publicKeys;
  const held = note ? checkNote(note, files, trusted) : undefined;
  const good = held && 'checkpoint' in held ? held : undefined;
  const promises = new Map(good?.checkpoint.heads.map((head) => [head.chain, head]));
  const findings: Finding[] = [...files.findings, ...oldChains(files)];
  if (held && 'problem' in held) findings.push({ code: 'checkpoint-invalid', message: held.problem });

  const log = files.log?.log ?? (await findLog(dir, files.chains));
  const archive = new ArtifactCheck(dir);
  const bodies = await openBodies(keysDir, files);
  const openBody = bodies && ((line: BodyEntry) => bodies.check(line));
  let lines = 0;
  const check = (line: Entry) => {
    lines += 1;
    onProgress?.(lines);
    return archive.check(line);
  };
  const ids = new IdSet();
  const chains: ChainReport[] = [];
  const erasures = new ErasureCheck();
  for (const chain of [...new Set([...files.chains, ...promises.keys()])].sort()) {
    const promise = promises.get(chain);
    if (!files.chains.includes(chain)) {
      const message = `found no such chain, expected ${count(promise?.length ?? 0, 'line')}, as the checkpoint says`;
      findings.push({ code: 'checkpoint-chain-missing', chain, message });
      continue;
    }
    const name = `chains/${chain}`;
    const place = { path: join(dir, name), name, chain, log };
    const read = await verifyChain({ ...place, trusted, promise, ids, check, openBody });
    chains.push(read.report);
    for (const finding of read.findings) findings.push(finding);
    erasures.add(read);
  }
  if (keysDir !== undefined) findings.push(...(await erasures.findings({ dir, log, keysDir }, ids)));
  return {
    log: files.log?.log,
    origin: files.log?.origin,
    findings: await withPlaces(dir, findings),
    versionsTwice: archive.versionsTwice(),
    chains,
    ...(good
      ? { checkpoint: { at: good.checkpoint.at, keyId: good.keyId, chains: good.checkpoint.heads.length } }
      : {}),
    ...(bodies ? { erased: erasures.told } : {}),
    unseen: limitations(good?.checkpoint, chains, { isKeyGiven: publicKeys !== undefined, untold: erasures.unsure }),
  };
}

/** The chains that were begun before their log was. */
function oldChains({ log, chains }: LogFiles): Finding[] {
  return chains
    .filter((chain) => log && isTooOld(chain, log.log))
    .map((chain) => ({
      code: 'chain-too-old',
      chain,
      message: `found a chain of ${instantOf(chain)}, expected none from before the log, which was begun ${log?.createdAt}`,
    }));
}

/** Says of each record whose id another has where that one stands. */
async function withPlaces(dir: string, findings: readonly Finding[]): Promise<Finding[]> {
  const doubled = findings.flatMap(({ code, id }) => (code === 'duplicate-id' && id !== undefined ? [id] : []));
  if (doubled.length === 0) return [...findings];
  const places = await placesOf(dir, doubled);
  return findings.map((finding) => {
    const { code, id = '', chain, segment, line, message } = finding;
    const other = places.get(id)?.find((at) => at.chain !== chain || at.segment !== segment || at.line !== line);
    return code === 'duplicate-id' && other
      ? { ...finding, message: `${message}; also at ${positionWords(other)}` }
      : finding;
  });
}

/** With which bodies are opened. Throws CONFIGURATION_INVALID where the key folder is that of another log. */
async function openBodies(keysDir: string | undefined, { log }: LogFiles): Promise<BodyCheck | undefined> {
  if (keysDir === undefined) return undefined;
  if (log) await checkKeys(keysDir, log.log);
  return new BodyCheck(keysDir);
}

/** The checkpoint of a note, if it is one of this log. */
function checkNote(note: Uint8Array, { log }: LogFiles, trusted: TrustedKeys): CheckedCheckpoint {
  return log
    ? readCheckpoint(note, trusted, log)
    : { problem: 'found a checkpoint, and no log.json that says whose it is' };
}

/** The log that the first opening of a chain names, where log.json does not: the chains can be read all the same. */
async function findLog(dir: string, chains: readonly string[]): Promise<string> {
  for (const chain of chains) {
    const { path, segments } = await listChainFolder(join(dir, 'chains', chain));
    for (const [segment, length] of segments) {
      for await (const { bytes } of splitLines(readPieces(join(path, SEGMENTS.of(segment)), length), MAX_LINE_BYTES)) {
        const parsed = parseEntry(bytes ?? Buffer.alloc(0));
        if ('line' in parsed && parsed.line.kind === 'open') return parsed.line.log;
      }
    }
  }
  return '';
}
