/** The policies and mappings that decided, kept by digest -> what decides again as they did. */

import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { type Mapping, mappingData, mappingFromData } from '../../facts/mapping/mapping.ts';
import { canonicalJson, digest as digestOf } from '../../platform/digest.ts';
import type { Policy } from '../../policy/language.ts';
import { policyFromData } from '../../policy/read/data.ts';
import { policyData } from '../../policy/source-map.ts';
import { TamperedError } from '../tampered-error.ts';
import { ensureFolder, type Files, isCode, publish, readWhole } from './files.ts';
import { readSmall } from './folder.ts';

/** Where each kind is kept. */
const FOLDERS = { policy: 'policies', mapping: 'mappings' } as const;

type Kind = keyof typeof FOLDERS;

/** More than any policy with its lists comes to; as text it has to fit into one string. */
const MAX_BYTES = 512 * 1024 * 1024;

function fileOf(dir: string, kind: Kind, digest: string): string {
  return join(dir, FOLDERS[kind], `${digest.slice('sha256:'.length)}.json`);
}

/** Keeps policies and mappings, each once. */
export class ArtifactWriter {
  readonly #dir: string;
  readonly #files: Files;
  readonly #kept = new Map<string, Promise<void>>();

  constructor(dir: string, files: Files) {
    this.#dir = dir;
    this.#files = files;
  }

  /** Resolves when both are durable. INVARIANT: no record names what is not kept. */
  async keep(policy: Policy, mapping: Mapping): Promise<void> {
    await Promise.all([
      this.#keep('policy', policy.digest, () => policyData(policy)),
      this.#keep('mapping', mapping.digest, () => mappingData(mapping)),
    ]);
  }

  #keep(kind: Kind, digest: string, data: () => unknown): Promise<void> {
    const name = `${kind} ${digest}`;
    let kept = this.#kept.get(name);
    if (!kept) {
      kept = this.#write(kind, digest, data);
      this.#kept.set(name, kept);
      // The next record tries again.
      kept.catch(() => this.#kept.delete(name));
    }
    return kept;
  }

  async #write(kind: Kind, digest: string, data: () => unknown): Promise<void> {
    const folder = join(this.#dir, FOLDERS[kind]);
    const path = fileOf(this.#dir, kind, digest);
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
}

/** Whoever can write the log can keep anything, by its own digest. */
function reading<Read>(kind: Kind, digest: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof VerdictError)) throw error;
    throw new TamperedError(`what the log keeps as the ${kind} ${digest} is no ${kind} that this version can read`);
  }
}

/** Reads what is kept, each once. */
export class ArtifactReader {
  readonly #dir: string;
  readonly #policies = new Map<string, Promise<Policy>>();
  readonly #mappings = new Map<string, Promise<Mapping>>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The policy of a decision, read with its mapping. Rejects with AUDIT_FAILED where one of them is not kept, or not as it was. */
  policy(digest: string, mapping: string): Promise<Policy> {
    return once(this.#policies, `${digest} ${mapping}`, async () => {
      const data = await this.#read('policy', digest);
      const read = await this.mapping(mapping);
      return reading('policy', digest, () => policyFromData(data, { mapping: read, shown: digest }));
    });
  }

  mapping(digest: string): Promise<Mapping> {
    return once(this.#mappings, digest, async () => {
      const data = await this.#read('mapping', digest);
      return reading('mapping', digest, () => mappingFromData(data, { shown: digest }));
    });
  }

  async #read(kind: Kind, digest: string): Promise<unknown> {
    const bytes = await readSmall(fileOf(this.#dir, kind, digest), MAX_BYTES);
    if (!bytes) throw new TamperedError(`the log does not keep the ${kind} ${digest}`);
    const data = parse(bytes.toString('utf8'));
    if (data !== undefined && digestOf(data) === digest) return data;
    throw changed(kind, digest);
  }
}

function changed(kind: Kind, digest: string): TamperedError {
  return new TamperedError(`what the log keeps as the ${kind} ${digest} has another digest: it was changed`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function once<Value>(known: Map<string, Promise<Value>>, name: string, read: () => Promise<Value>): Promise<Value> {
  let found = known.get(name);
  if (!found) {
    found = read();
    known.set(name, found);
  }
  return found;
}
