/** The digest of a policy <-> the file of its keys in the key folder: one key for each text about a person in it. */

import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { FORMAT, formatExactFile, readExactFile } from '../entry/canonical.ts';
import * as is from '../entry/schema.ts';
import { closing, ensureFolder, type Files, publishNew, readWhole, unlessCode, writeAll } from '../store/files.ts';
import { unusable } from '../store/io-errors.ts';
import type { IndexKey } from './subject.ts';

/** For AES-256. */
export const KEY_BYTES = 32;

/** A key, then the keyed hash of its subject, or zeros for a text that identifies nobody. */
const SLOT_BYTES = 2 * KEY_BYTES;

/** As many texts as the largest archive holds. */
const MOST_BYTES = 512 * 1024 * 1024;

/** What overwrites an erased key. */
const ERASED = Buffer.alloc(KEY_BYTES);

const HEADER: is.Shape = { format: FORMAT, archive: is.DIGEST, index: is.NUMBER, slots: is.COUNT };
/** More than any header takes. */
const HEADER_BYTES = 256;
const LINE_BREAK = 0x0a;

/** The keys of one archived policy. */
export interface PolicyKeyFile {
  /** The digest of the archived form that they open. */
  readonly archive: string;
  /** The number of the index key that the subjects are hashed with. */
  readonly index: number;
  readonly slots: readonly KeySlot[];
}

/** The key of one text. */
export interface KeySlot {
  /** Undefined once it is erased. */
  readonly key: Buffer | undefined;
  /** The keyed hash of the person whom the text identifies, as records have it; undefined if it identifies nobody. */
  readonly subject: string | undefined;
}

const FILE = /^([0-9a-f]{64}(?:-[1-9]\d*)?)\.keys$/;

/** The files of the keys of archived policies, in the key folder. */
export class PolicyKeys {
  readonly #folder: string;
  readonly #files: Files;

  constructor(keysDir: string, files: Files) {
    this.#folder = join(keysDir, 'policies');
    this.#files = files;
  }

  /** All names, sorted. */
  async names(): Promise<readonly string[]> {
    const found = (await unlessCode(this.#files.list(this.#folder), 'ENOENT')) ?? [];
    return found.flatMap((file) => FILE.exec(file)?.[1] ?? []).sort();
  }

  /** Undefined if there is no such file. Rejects with CONFIGURATION_INVALID if it is malformed. */
  async read(name: string): Promise<PolicyKeyFile | undefined> {
    const bytes = await readWhole(this.#files, this.#pathOf(name), { most: MOST_BYTES });
    return bytes && readKeyFile(bytes);
  }

  /** The digest of the archived form alone. */
  async readArchive(name: string): Promise<string | undefined> {
    const read = async () => {
      for await (const piece of this.#files.read(this.#pathOf(name), 0, HEADER_BYTES)) return readHeader(piece).archive;
      throw malformed();
    };
    return unlessCode(read(), 'ENOENT');
  }

  /** Resolves when the names that others gave to new files would survive a power failure. */
  sync(): Promise<void> {
    return this.#files.syncFolder(this.#folder);
  }

  /** Writes the keys, durable. Rejects with EEXIST if another process wrote them first: its keys count. */
  async create(name: string, { archive, index, slots }: PolicyKeyFile): Promise<void> {
    const header = formatExactFile({ format: 1, archive, index, slots: slots.length });
    const parts = slots.flatMap(({ key = ERASED, subject }) => [
      key,
      subject === undefined ? ERASED : Buffer.from(subject.slice(subject.indexOf(':') + 1), 'hex'),
    ]);
    await ensureFolder(this.#files, this.#folder);
    await publishNew(this.#files, this.#pathOf(name), Buffer.concat([header, ...parts]));
  }

  /** Overwrites keys with zeros, durable. */
  async erase(name: string, { slots }: Pick<PolicyKeyFile, 'slots'>, numbers: readonly number[]): Promise<void> {
    const file = await this.#files.open(this.#pathOf(name), 'change');
    await closing(file, async () => {
      const from = (await file.state()).size - slots.length * SLOT_BYTES;
      for (const number of numbers) await writeAll(file, ERASED, from + number * SLOT_BYTES);
      await file.datasync();
    });
  }

  #pathOf(name: string): string {
    return join(this.#folder, `${name}.keys`);
  }
}

/** The name of a policy's keys. Keyed, because the digest of a short list alone would tell who is in it. */
export function policyKeysName(digest: string, first: IndexKey, generation = 1): string {
  const name = createHmac('sha256', first.key).update(`policy|${digest}`, 'utf8').digest('hex');
  return generation === 1 ? name : `${name}-${generation}`;
}

function readHeader(bytes: Buffer): { readonly archive: string; readonly index: number; readonly slots: number } {
  const end = bytes.indexOf(LINE_BREAK) + 1;
  const header = end > 0 ? readExactFile(bytes.subarray(0, end), HEADER) : undefined;
  if (!header) throw malformed();
  return header as unknown as ReturnType<typeof readHeader>;
}

function readKeyFile(bytes: Buffer): PolicyKeyFile {
  const { archive, index, slots } = readHeader(bytes);
  const table = bytes.subarray(bytes.indexOf(LINE_BREAK) + 1);
  if (table.length !== slots * SLOT_BYTES) throw malformed();
  const part = (at: number) => {
    const bytes = table.subarray(at, at + KEY_BYTES);
    return bytes.equals(ERASED) ? undefined : bytes;
  };
  return {
    archive,
    index,
    slots: Array.from({ length: slots }, (_, i) => {
      const subject = part(i * SLOT_BYTES + KEY_BYTES);
      return { key: part(i * SLOT_BYTES), subject: subject && `${index}:${subject.toString('hex')}` };
    }),
  };
}

function malformed() {
  return unusable('a file with the keys of a policy, in the key folder, is malformed');
}
