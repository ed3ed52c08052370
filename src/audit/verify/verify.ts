/** A log, and optionally a checkpoint and keys -> what is not as it was written, and what cannot be detected. */

import type { KeyObject } from 'node:crypto';
import { BYTES, FUNCTION, optionsReader } from '../../platform/given/options.ts';
import { count } from '../../text.ts';
import type { ErasureFields } from '../entry/entry.ts';
import { homeOf } from '../home.ts';
import { checkKeys } from '../keys/key-folder.ts';
import { keyIdOf, PUBLIC_KEYS } from '../keys/signature.ts';
import { LOG_PLACE, type LogPlace } from '../place.ts';
import { containsAny, findEntries, positionsOf } from '../read/read-log.ts';
import { listFolder, statEntry } from '../store/chain-folder.ts';
import { below, type Folder } from '../store/files.ts';
import { positionWords, unusable, wrapIoErrors } from '../store/io-errors.ts';
import { instantOf, isTooOld } from '../store/segment.ts';
import { type ChainReport, limitations } from './chain-report.ts';
import { verifyChain } from './chain-verifier.ts';
import { ErasureCheck } from './check-erasures.ts';
import {
  ArtifactCheck,
  BodyCheck,
  type CheckedPolicies,
  checkPolicies,
  type SealedPolicyStatus,
  type VersionTwice,
} from './check-records.ts';
import { readCheckpoint } from './checkpoint.ts';
import type { Finding } from './finding.ts';
import { type LogFiles, verifyFiles } from './log-files.ts';
import { IdSet } from './record-sets.ts';

/** Which log to verify, and against what. With its keys, bodies are opened and compared with the clear fields. */
export type VerifyOptions = LogPlace & {
  /** A signed note of this log, kept outside the log. */
  readonly checkpoint?: Uint8Array;
  /**
   * The Ed25519 public keys, kept outside the log, that checkpoints and tombstones have to be signed with.
   * Default: those in the log's own folder, which anyone who can rewrite the log can replace.
   */
  readonly publicKeys?: readonly KeyObject[];
  /** Called for each entry with the number of entries read; a chain that is being written may be read again. */
  readonly onProgress?: (lines: number) => void;
};

/** The result of a verification. */
export interface VerifyReport {
  /** Undefined if `log.json` cannot be read. */
  readonly log: string | undefined;
  readonly origin: string | undefined;
  /** Empty if all is as it was written. First those of other files, then of each chain up to its first bad entry. */
  readonly findings: readonly Finding[];
  readonly versionsTwice: readonly VersionTwice[];
  /** Sorted; each up to its first bad entry. */
  readonly chains: readonly ChainReport[];
  /** The checkpoint that the log was compared with. */
  readonly checkpoint?: { readonly at: string; readonly keyId: string; readonly chains: number };
  /** With the key folder: how many records were erased with an erasure on record. */
  readonly erased?: number;
  /** With the key folder: the policies with encrypted texts about people. */
  readonly sealedPolicies?: readonly SealedPolicyStatus[];
  /** What this verification could not detect, in words. */
  readonly unseen: readonly string[];
}

/**
 * Reads a whole log and writes nothing. Other processes may write meanwhile: each chain is read up to its
 * length when it was first listed. Memory grows by some 40 bytes a record. Rejects with CONFIGURATION_INVALID for
 * options that cannot be used, such as no log or the key folder of another log, and with AUDIT_FAILED if a file cannot
 * be read.
 */
export async function verifyLog(given: VerifyOptions): Promise<VerifyReport> {
  const options = readOptions(given);
  return wrapIoErrors('read', () => verify(options));
}

const readOptions = optionsReader<VerifyOptions>('the options of the verification', {
  ...LOG_PLACE,
  'checkpoint?': BYTES,
  'publicKeys?': PUBLIC_KEYS,
  'onProgress?': FUNCTION,
});

async function verify({ checkpoint: note, publicKeys, onProgress, ...place }: VerifyOptions): Promise<VerifyReport> {
  const home = await homeOf(place);
  const { log: dir } = home;
  const keys = place.keys === undefined ? undefined : home.keys;
  if (!(await statEntry(dir, 'log.json')) && !(await statEntry(dir, 'chains'))) {
    throw unusable('found no audit log in that folder, expected log.json and chains');
  }
  const files = await verifyFiles(dir);
  const trusted = publicKeys ? new Map(publicKeys.map((key) => [keyIdOf(key), key])) : files.publicKeys;
  const unread = { problem: 'the checkpoint cannot be compared: log.json is missing or malformed' };
  const checked = note && (files.log ? readCheckpoint(note, trusted, files.log) : unread);
  const accepted = checked && 'checkpoint' in checked ? checked : undefined;
  const heads = new Map(accepted?.checkpoint.heads.map((head) => [head.chain, head]));
  const findings: Finding[] = [...files.findings, ...oldChains(files)];
  if (checked && 'problem' in checked) findings.push({ code: 'checkpoint-invalid', message: checked.problem });

  const log = files.log?.log ?? (await findLogId(dir));
  if (keys && files.log) await checkKeys(keys, log);
  const artifacts = new ArtifactCheck(dir);
  const bodies = keys && new BodyCheck(keys);
  let entries = 0;
  const onEntry = () => {
    entries += 1;
    onProgress?.(entries);
  };
  const ids = new IdSet();
  const chains: ChainReport[] = [];
  const erasures = new ErasureCheck();
  const ofPolicies: ErasureFields[] = [];
  for (const chain of [...new Set([...files.chains, ...heads.keys()])].sort()) {
    const checkpointed = heads.get(chain);
    if (!files.chains.includes(chain)) {
      const message = `the chain is missing, expected ${count(checkpointed?.length ?? 0, 'line')} as in the checkpoint`;
      findings.push({ code: 'checkpoint-chain-missing', chain, message });
      continue;
    }
    const read = await verifyChain({ dir, log, chain, trusted, checkpointed, ids, artifacts, bodies, onEntry });
    chains.push(read.report);
    for (const finding of read.findings) findings.push(finding);
    erasures.add(read);
    ofPolicies.push(...read.erasures.filter(({ policies }) => policies));
  }
  let policies: CheckedPolicies | undefined;
  if (keys) {
    findings.push(...(await erasures.findings({ dir, log, keys }, ids)));
    policies = await checkPolicies(home, artifacts.policies(), ofPolicies);
    findings.push(...policies.findings);
  }
  return {
    log: files.log?.log,
    origin: files.log?.origin,
    findings: await withOtherPositions(dir, findings),
    versionsTwice: artifacts.versionsTwice(policies?.ownDigests),
    chains,
    ...(accepted ? { checkpoint: { at: accepted.checkpoint.at, keyId: accepted.keyId, chains: heads.size } } : {}),
    ...(bodies ? { erased: erasures.recorded } : {}),
    ...(policies ? { sealedPolicies: policies.sealed } : {}),
    unseen: [
      ...limitations(accepted?.checkpoint, chains, publicKeys !== undefined, erasures.unexplained),
      ...((await listFolder(below(dir, 'releases'))).length > 0 ? [RELEASES_UNSEEN] : []),
    ],
  };
}

/**
 * Findings showing that a log verified against an earlier checkpoint does not continue it; empty if it does and every
 * chain could be compared.
 */
export function continuityFindings({ findings, chains }: VerifyReport): readonly Finding[] {
  const pruned = chains.filter(({ isPromisePruned }) => isPromisePruned);
  return [...findings, ...pruned.map(({ chain }): Finding => ({ code: 'checkpoint-pruned', chain, message: PRUNED }))];
}

const PRUNED = "the checkpoint's entry was pruned and cannot be compared, expected a later checkpoint";

/** Findings for chains created before their log. */
function oldChains({ log, chains }: LogFiles): Finding[] {
  return chains
    .filter((chain) => log && isTooOld(chain, log.log))
    .map((chain) => ({
      code: 'chain-too-old',
      chain,
      message: `the chain was created at ${instantOf(chain)}, before its log at ${log?.createdAt}`,
    }));
}

const RELEASES_UNSEEN = 'the files and signatures of releases: `verdict release verify` checks them';

/** Adds to each finding of a duplicate id the position of another record with that id. */
async function withOtherPositions(dir: Folder, findings: readonly Finding[]): Promise<Finding[]> {
  const doubled = findings.flatMap(({ code, id }) => (code === 'duplicate-id' && id !== undefined ? [id] : []));
  if (doubled.length === 0) return [...findings];
  const positions = await positionsOf(dir, doubled);
  return findings.map((finding) => {
    const { code, id = '', chain, segment, line, message } = finding;
    const other = positions.get(id)?.find((at) => at.chain !== chain || at.segment !== segment || at.line !== line);
    return code === 'duplicate-id' && other
      ? { ...finding, message: `${message}; also at ${positionWords(other)}` }
      : finding;
  });
}

/** The log's id in the first `open` entry: chains are verified even without a readable log.json. */
async function findLogId(dir: Folder): Promise<string> {
  for await (const { parsed } of findEntries(dir, containsAny(['"kind":"open"']))) {
    if ('line' in parsed && parsed.line.kind === 'open') return parsed.line.log;
  }
  return '';
}
