/** Policies and mappings that decided <-> their files in the log by digest, so that decisions can be replayed. */

import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { type Mapping, mappingData, mappingFromData } from '../../facts/mapping/mapping.ts';
import { canonicalJson, digest as digestOf } from '../../platform/digest.ts';
import { parseJson } from '../../platform/json.ts';
import type { Policy } from '../../policy/language.ts';
import { policyFromData } from '../../policy/read/data.ts';
import { policyData } from '../../policy/source-map.ts';
import { TamperedError } from '../tampered-error.ts';
import { ensureFolder, type Files, isCode, publish, readWhole, realFiles } from './files.ts';
import { readSmall } from './folder.ts';

const FOLDERS = { policy: 'policies', mapping: 'mappings' } as const;

type Kind = keyof typeof FOLDERS;

/** More than any policy with its lists needs, and little enough to fit into one string. */
const MAX_BYTES = 512 * 1024 * 1024;

/** More levels than any policy has: the reader of its data refuses 257. */
const MAX_DEPTH = 512;

/** Policies and mappings in the folder of a log; each is written and read once. */
export class ArtifactStore {
  readonly #dir: string;
  readonly #files: Files;
  readonly #written = new Map<string, Promise<void>>();
  readonly #policies = new Map<string, Promise<Policy>>();
  readonly #mappings = new Map<string, Promise<Mapping>>();

  constructor(dir: string, files: Files = realFiles) {
    this.#dir = dir;
    this.#files = files;
  }

  /** Resolves when both are durable. INVARIANT: no record names a policy or mapping that is not kept. */
  async put(policy: Policy, mapping: Mapping): Promise<void> {
    await Promise.all([
      this.#put('policy', policy.digest, () => policyData(policy)),
      this.#put('mapping', mapping.digest, () => mappingData(mapping)),
    ]);
  }

  /** The policy of a decision and its mapping. Rejects with AUDIT_FAILED if one is absent or was changed. */
  policy(digest: string, mapping: string): Promise<Policy> {
    return once(this.#policies, `${digest} ${mapping}`, async () => {
      const data = await this.#read('policy', digest);
      const read = await this.mapping(mapping);
      return parseWith('policy', digest, () => policyFromData(data, { mapping: read, shown: digest }));
    });
  }

  /** The mapping of a decision. Rejects with AUDIT_FAILED if it is absent or was changed. */
  mapping(digest: string): Promise<Mapping> {
    return once(this.#mappings, digest, async () => {
      const data = await this.#read('mapping', digest);
      return parseWith('mapping', digest, () => mappingFromData(data, { shown: digest }));
    });
  }

  #put(kind: Kind, digest: string, data: () => unknown): Promise<void> {
    const name = `${kind} ${digest}`;
    const written = once(this.#written, name, () => this.#write(kind, digest, data));
    // The next record tries again.
    written.catch(() => this.#written.delete(name));
    return written;
  }

  async #write(kind: Kind, digest: string, data: () => unknown): Promise<void> {
    const path = this.#pathOf(kind, digest);
    const folder = join(this.#dir, FOLDERS[kind]);
    const bytes = Buffer.from(canonicalJson(data()), 'utf8');
    await ensureFolder(this.#files, folder);
    try {
      await publish(this.#files, path, bytes, 'new');
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
      const kept = await readWhole(this.#files, path, { most: bytes.length });
      if (!kept?.equals(bytes)) throw changed(kind, digest);
    }
    await this.#files.syncFolder(folder);
  }

  async #read(kind: Kind, digest: string): Promise<unknown> {
    const bytes = await readSmall(this.#pathOf(kind, digest), MAX_BYTES);
    if (!bytes) throw new TamperedError(`the log does not keep the ${kind} ${digest}`);
    const parsed = parseJson(bytes, { maxDepth: MAX_DEPTH });
    if (parsed.problem !== undefined || !hasDigest(parsed.value, digest)) throw changed(kind, digest);
    return parsed.value;
  }

  #pathOf(kind: Kind, digest: string): string {
    return join(this.#dir, FOLDERS[kind], `${digest.slice('sha256:'.length)}.json`);
  }
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

function hasDigest(data: unknown, digest: string): boolean {
  try {
    return digestOf(data) === digest;
  } catch {
    // Data without a canonical form, such as a number out of range.
    return false;
  }
}

function changed(kind: Kind, digest: string): TamperedError {
  return new TamperedError(`what the log keeps as the ${kind} ${digest} was changed: it has another digest`);
}

function once<Value>(known: Map<string, Promise<Value>>, name: string, make: () => Promise<Value>): Promise<Value> {
  const value = known.get(name) ?? make();
  known.set(name, value);
  return value;
}
