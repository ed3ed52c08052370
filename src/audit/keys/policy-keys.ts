/** The digest of a policy <-> the file of its keys in the key folder: one key for each text about a person in it. */

import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import * as is from '../entry/schema.ts';
import { FORMAT, formatExactFile, readExactFile } from '../entry/schema.ts';
import {
  below,
  closing,
  ensureFolder,
  type Folder,
  publishNew,
  readWhole,
  unlessCode,
  writeAll,
} from '../store/files.ts';
import { unusable } from '../store/io-errors.ts';
import type { IndexKey } from './subject.ts';

/** For AES-256. */
export const KEY_BYTES = 32;

/** A key, then the keyed hash of its subject, or zeros for a text that identifies nobody. */
const SLOT_BYTES = 2 * KEY_BYTES;

/** The number of the key of the policy's own digest, which precedes the texts. */
export const OWN_DIGEST = 0;

/** As many texts as the largest archive holds. */
const MOST_BYTES = 512 * 1024 * 1024;

/** What overwrites an erased key. */
const ERASED = Buffer.alloc(KEY_BYTES);

const HEADER: is.Shape = { format: FORMAT, archive: is.DIGEST, index: is.NUMBER, slots: is.COUNT };
/** More than any header takes. */
const HEADER_BYTES = 256;
const LINE_BREAK = 0x0a;

/** The keys of the texts of one policy, by their numbers. */
export class KeyTable {
  /** The number of the index key that the subjects are hashed with. */
  readonly index: number;
  readonly bytes: Buffer;

  constructor(index: number, bytes: Buffer) {
    this.index = index;
    this.bytes = bytes;
  }

  /** A table from new keys and the subjects of the texts. */
  static of(index: number, keys: Buffer, subjects: readonly (string | undefined)[]): KeyTable {
    const bytes = Buffer.alloc(subjects.length * SLOT_BYTES);
    for (const [number, subject] of subjects.entries()) {
      keys.copy(bytes, number * SLOT_BYTES, number * KEY_BYTES, (number + 1) * KEY_BYTES);
      if (subject !== undefined) hashBytes(subject).copy(bytes, number * SLOT_BYTES + KEY_BYTES);
    }
    return new KeyTable(index, bytes);
  }

  get size(): number {
    return this.bytes.length / SLOT_BYTES;
  }

  /** Undefined once it is erased, and for a number without a text. */
  keyOf(number: number): Buffer | undefined {
    return this.#part(number * SLOT_BYTES);
  }

  /** The keyed hash of the person whom a text identifies, as records have it; undefined if it identifies nobody. */
  subjectOf(number: number): string | undefined {
    const hash = this.#part(number * SLOT_BYTES + KEY_BYTES);
    return hash && `${this.index}:${hash.toString('hex')}`;
  }

  isComplete(): boolean {
    for (let number = 0; number < this.size; number++) if (!this.keyOf(number)) return false;
    return true;
  }

  /** The numbers of the texts about a subject. */
  find(hashes: readonly string[]): number[] {
    const found: number[] = [];
    for (const subject of hashes.filter((hash) => hash.startsWith(`${this.index}:`))) {
      const sought = hashBytes(subject);
      for (let at = this.bytes.indexOf(sought); at >= 0; at = this.bytes.indexOf(sought, at + 1)) {
        if (at % SLOT_BYTES === KEY_BYTES) found.push((at - KEY_BYTES) / SLOT_BYTES);
      }
    }
    return found;
  }

  #part(at: number): Buffer | undefined {
    const part = this.bytes.subarray(at, at + KEY_BYTES);
    return part.length < KEY_BYTES || part.equals(ERASED) ? undefined : part;
  }
}

function hashBytes(subject: string): Buffer {
  return Buffer.from(subject.slice(subject.indexOf(':') + 1), 'hex');
}

/** The keys of one archived policy. */
export interface PolicyKeyFile {
  /** The digest of the archived form that they open. */
  readonly archive: string;
  readonly table: KeyTable;
}

const FILE = /^([0-9a-f]{64}(?:-[1-9]\d*)?)\.keys$/;

/** The files of the keys of archived policies, in the key folder. */
export class PolicyKeys {
  readonly #folder: Folder;

  constructor(keys: Folder) {
    this.#folder = below(keys, 'policies');
  }

  /** All names, sorted. */
  async names(): Promise<readonly string[]> {
    const found = (await unlessCode(this.#folder.files.list(this.#folder.path), 'ENOENT')) ?? [];
    return found.flatMap((file) => FILE.exec(file)?.[1] ?? []).sort();
  }

  /** Undefined if there is no such file. Rejects with CONFIGURATION_INVALID if it is malformed. */
  async read(name: string): Promise<PolicyKeyFile | undefined> {
    const bytes = await readWhole(this.#folder, fileOf(name), { most: MOST_BYTES });
    if (!bytes) return undefined;
    const { archive, index, slots } = readHeader(bytes);
    const table = new KeyTable(index, bytes.subarray(bytes.indexOf(LINE_BREAK) + 1));
    if (table.size !== slots) throw malformedError();
    return { archive, table };
  }

  /** The digest of the archived form alone. */
  async readArchive(name: string): Promise<string | undefined> {
    const read = async () => {
      for await (const piece of this.#folder.files.read(this.#pathOf(name), 0, HEADER_BYTES))
        return readHeader(piece).archive;
      throw malformedError();
    };
    return unlessCode(read(), 'ENOENT');
  }

  /** Resolves when the names that others gave to new files would survive a power failure. */
  sync(): Promise<void> {
    return this.#folder.files.syncFolder(this.#folder.path);
  }

  /** Writes the keys, durable. Rejects with EEXIST if another process wrote them first: its keys count. */
  async create(name: string, { archive, table }: PolicyKeyFile): Promise<void> {
    const header = formatExactFile({ format: 1, archive, index: table.index, slots: table.size });
    await ensureFolder(this.#folder);
    await publishNew(this.#folder, fileOf(name), Buffer.concat([header, table.bytes]));
  }

  /** Overwrites keys with zeros, durable. */
  async erase(name: string, { table }: PolicyKeyFile, numbers: readonly number[]): Promise<void> {
    const file = await this.#folder.files.open(this.#pathOf(name), 'change');
    await closing(file, async () => {
      const from = (await file.state()).size - table.bytes.length;
      for (const number of numbers) await writeAll(file, ERASED, from + number * SLOT_BYTES);
      await file.datasync();
    });
  }

  #pathOf(name: string): string {
    return join(this.#folder.path, fileOf(name));
  }
}

function fileOf(name: string): string {
  return `${name}.keys`;
}

/** The name of a policy's keys. Keyed, because the digest of a short list alone would tell who is in it. */
export function policyKeysName(digest: string, first: IndexKey, generation = 1): string {
  const name = createHmac('sha256', first.key).update(`policy|${digest}`, 'utf8').digest('hex');
  return generation === 1 ? name : `${name}-${generation}`;
}

function readHeader(bytes: Buffer): { readonly archive: string; readonly index: number; readonly slots: number } {
  const end = bytes.indexOf(LINE_BREAK) + 1;
  const header = end > 0 ? readExactFile(bytes.subarray(0, end), HEADER) : undefined;
  if (!header) throw malformedError();
  return header as unknown as ReturnType<typeof readHeader>;
}

function malformedError() {
  return unusable('a file with the keys of a policy, in the key folder, is malformed');
}
