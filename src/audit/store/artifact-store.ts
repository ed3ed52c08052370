/** Policies and mappings that decided <-> their files in the log by digest, so that decisions can be replayed. */

import { createHash, hash } from 'node:crypto';
import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { type Facts, isMissing } from '../../facts/fact.ts';
import { type Mapping, mappingData, mappingFromData } from '../../facts/mapping/mapping.ts';
import { canonicalJson } from '../../platform/digest.ts';
import { RE2 } from '../../platform/formats/re2.ts';
import { parseJson } from '../../platform/json.ts';
import { identityOf, namesPeople } from '../../policy/identities.ts';
import type { Policy } from '../../policy/language.ts';
import { partsOfData } from '../../policy/read/files/texts.ts';
import { policyFromData } from '../../policy/read/parse.ts';
import { loadPolicyAndCondition, type PolicyAndCondition } from '../../policy/read/read-policy.ts';
import { policyData } from '../../policy/source-map.ts';
import { type KeyTable, PolicyKeys } from '../keys/policy-keys.ts';
import { type IndexKey, subjectIn } from '../keys/subject.ts';
import { readSmall } from './chain-folder.ts';
import { below, ensureFolder, type Folder, isCode, publish } from './files.ts';
import { TamperedError } from './io-errors.ts';
import { asSealedPolicy, type OpenedPolicy, openSealedPolicy, PolicySealer } from './sealed-policy.ts';

const FOLDERS = { policy: 'policies', mapping: 'mappings' } as const;

type Kind = keyof typeof FOLDERS;

/** More than any policy with its lists needs, and little enough to fit into one string. */
const MAX_BYTES = 512 * 1024 * 1024;

/** More levels than any policy has: the reader of its data refuses 257. */
const MAX_DEPTH = 512;

/** The file of the diagnostics of a condition. */
export const SHOWN_CONDITION = 'the condition';

/** A policy as the log keeps it. */
export interface ArchivedPolicy extends Omit<OpenedPolicy, 'data' | 'ownDigest'> {
  /** Its own digest; that of its archived form if something was erased. */
  readonly digest: string;
  /** If something was erased, with stand-ins, which its digest covers. */
  readonly policy: Policy;
  /** Whether its texts about people are encrypted, and left out of the records. */
  readonly isSealed: boolean;
}

/** Where artifacts are, and with which keys. */
interface ArtifactStoreOptions {
  /** The folder of the log. */
  readonly log: Folder;
  readonly keys: Folder;
  /** The index keys of a log that encrypts personal data. Default: policies are archived as they are. */
  readonly indexKeys?: readonly IndexKey[];
}

/** Policies and mappings in the folder of a log; each is written and read once. */
export class ArtifactStore {
  readonly #log: Folder;
  readonly #keys: PolicyKeys;
  readonly #sealer: PolicySealer | undefined;
  readonly #written = new Map<string, Promise<string>>();
  readonly #policies = new Map<string, Promise<ArchivedPolicy>>();
  readonly #mappings = new Map<string, Promise<Mapping>>();

  constructor({ log, keys, indexKeys }: ArtifactStoreOptions) {
    this.#log = log;
    this.#keys = new PolicyKeys(keys);
    this.#sealer = indexKeys && new PolicySealer(this.#keys, indexKeys);
  }

  /**
   * Resolves when both are durable, with the digest of the policy's archived form: its own digest, unless something in
   * it is encrypted. INVARIANT: no record names a policy or mapping that is not kept.
   */
  async put(policy: Policy, mapping: Mapping): Promise<string> {
    const [archived] = await Promise.all([
      this.#once('policy', policy.digest, () => this.#putPolicy(policy)),
      this.#once('mapping', mapping.digest, () => this.#write('mapping', mapping.digest, mappingData(mapping))),
    ]);
    return archived;
  }

  /** The policy of a decision and its mapping. Rejects with AUDIT_FAILED if one is absent or was changed. */
  policy(digest: string, mapping: string): Promise<ArchivedPolicy> {
    return once(this.#policies, `${digest} ${mapping}`, async () => {
      const { data, table, ownDigest, ...archived } = await this.open(await this.data(digest), digest);
      const read = await this.mapping(mapping);
      const policy = keptPolicy(`${digest} ${mapping}`, archived.erased, () =>
        parseWith('policy', digest, () => policyFromData(data, { mapping: read, shown: digest })),
      );
      if (table && ownDigest !== undefined && policy.digest !== ownDigest) throw changedError('policy', digest);
      return { ...archived, policy, digest: ownDigest ?? digest, isSealed: table !== undefined };
    });
  }

  /**
   * A condition as YAML, in the names of a policy on record. Rejects with a `DiagnosticsError` if it has an error
   * there, or the policy has one, and with AUDIT_FAILED if the policy is absent or was changed.
   */
  async condition(digest: string, mapping: string, text: string): Promise<PolicyAndCondition> {
    const { data } = await this.open(await this.data(digest), digest);
    const options = { mapping: await this.mapping(mapping), patterns: RE2 };
    return loadPolicyAndCondition(partsOfData(data, digest), options, { text, shown: SHOWN_CONDITION });
  }

  /** The file of a policy, parsed. Rejects with AUDIT_FAILED if it is absent or was changed. */
  data(digest: string): Promise<unknown> {
    return this.#read('policy', digest);
  }

  /** Opens it with its keys, if anything in it is encrypted. Rejects with AUDIT_FAILED if they do not open it. */
  async open(data: unknown, archive: string): Promise<OpenedPolicy & { readonly table?: KeyTable }> {
    const sealed = asSealedPolicy(data);
    if (!sealed) return { data, ownDigest: archive, texts: 0, erased: new Set(), standIns: new Set() };
    const keys = await this.#keys.read(sealed.keys);
    if (!keys) throw new TamperedError('the key folder does not have the keys of an archived policy');
    return { ...openSealedPolicy(sealed, keys.table), table: keys.table };
  }

  /** The mapping of a decision. Rejects with AUDIT_FAILED if it is absent or was changed. */
  mapping(digest: string): Promise<Mapping> {
    return once(this.#mappings, digest, async () => {
      const data = await this.#read('mapping', digest);
      return parseWith('mapping', digest, () => mappingFromData(data, { shown: digest }));
    });
  }

  #once(kind: Kind, digest: string, put: () => Promise<string>): Promise<string> {
    const name = `${kind} ${digest}`;
    const written = once(this.#written, name, put);
    // The next record tries again.
    written.catch(() => this.#written.delete(name));
    return written;
  }

  async #putPolicy(policy: Policy): Promise<string> {
    const data = policyData(policy);
    const sealed = await this.#sealer?.seal(policy, data, (archive) => this.#isKept('policy', archive));
    if (!sealed) return this.#write('policy', policy.digest, data);
    if (sealed.bytes) await this.#writeBytes('policy', sealed.archive, sealed.bytes);
    return sealed.archive;
  }

  async #write(kind: Kind, digest: string, data: unknown): Promise<string> {
    await this.#writeBytes(kind, digest, Buffer.from(canonicalJson(data), 'utf8'));
    return digest;
  }

  async #writeBytes(kind: Kind, digest: string, bytes: Buffer): Promise<void> {
    const folder = this.#folderOf(kind);
    await ensureFolder(folder);
    try {
      await publish(folder, fileOf(digest), bytes, 'new');
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
      await this.#isKept(kind, digest);
    }
    await folder.files.syncFolder(folder.path);
  }

  /** Whether a file is there, durable. Rejects with AUDIT_FAILED if it has another digest. */
  async #isKept(kind: Kind, digest: string): Promise<boolean> {
    const found = createHash('sha256');
    const { files, path } = this.#folderOf(kind);
    try {
      for await (const piece of files.read(join(path, fileOf(digest)))) found.update(piece);
    } catch (error) {
      if (isCode(error, 'ENOENT')) return false;
      throw error;
    }
    if (`sha256:${found.digest('hex')}` !== digest) throw changedError(kind, digest);
    await files.syncFolder(path);
    return true;
  }

  async #read(kind: Kind, digest: string): Promise<unknown> {
    const bytes = await readSmall(this.#folderOf(kind), fileOf(digest), MAX_BYTES);
    if (!bytes) throw new TamperedError(`the log does not keep the ${kind} ${digest}`);
    if (`sha256:${hash('sha256', bytes, 'hex')}` !== digest) throw changedError(kind, digest);
    const parsed = parseJson(bytes, { maxDepth: MAX_DEPTH });
    if (parsed.problem !== undefined) throw changedError(kind, digest);
    return parsed.value;
  }

  #folderOf(kind: Kind): Folder {
    return below(this.#log, FOLDERS[kind]);
  }
}

function fileOf(digest: string): string {
  return `${digest.slice('sha256:'.length)}.json`;
}

/** Policies that are kept in memory, of all logs that a process reads. */
const MOST_KEPT = 8;

/** By the digests of policy and mapping, the one that was asked for last at the end. */
const kept = new Map<string, { readonly policy: Policy; readonly erased: ReadonlySet<string> }>();

/**
 * A policy of the same digests and the same erased subjects is read once: it takes longer than everything else about a
 * record. The file was read before, and has its digest. After an erasure the policy is read again, and replaced here.
 */
function keptPolicy(name: string, erased: ReadonlySet<string>, read: () => Policy): Policy {
  const found = kept.get(name);
  const policy = found && found.erased.symmetricDifference(erased).size === 0 ? found.policy : read();
  kept.delete(name);
  kept.set(name, { policy, erased });
  for (const oldest of [...kept.keys()].slice(0, -MOST_KEPT)) kept.delete(oldest);
  return policy;
}

/** Reports what cannot be read as tampering: anyone who can write the log can keep any data under its own digest. */
function parseWith<Read>(kind: Kind, digest: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof VerdictError)) throw error;
    throw new TamperedError(`this version cannot read what the log keeps as the ${kind} ${digest}`);
  }
}

function changedError(kind: Kind, digest: string): TamperedError {
  return new TamperedError(`what the log keeps as the ${kind} ${digest} was changed: it has another digest`);
}

function once<Value>(known: Map<string, Promise<Value>>, name: string, make: () => Promise<Value>): Promise<Value> {
  const value = known.get(name) ?? make();
  known.set(name, value);
  return value;
}

/**
 * Whether the policy can no longer decide on these facts. It decides on all others as before, because an erased text
 * equals no fact of another person.
 */
export function touchesErased(
  { policy, erased, standIns }: Pick<ArchivedPolicy, 'policy' | 'erased' | 'standIns'>,
  facts: Facts,
  indexKeys: readonly IndexKey[],
): boolean {
  if (erased.size === 0) return false;
  for (const [path, fact] of facts) {
    if (isMissing(fact) || !namesPeople(path, policy.facts)) continue;
    const format = identityOf(path, policy.facts);
    const text = String(fact.value);
    if (standIns.has(text)) return true;
    if (indexKeys.some((key) => erased.has(subjectIn(text, format, key) ?? ''))) return true;
  }
  return false;
}
