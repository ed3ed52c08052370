/** A policy and its keys <-> its archived form, in which every text about a person is encrypted. */

import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type IdentityFormat, type IdentityPart, replaceIdentities } from '../../policy/identities.ts';
import type { Policy } from '../../policy/language.ts';
import * as is from '../entry/schema.ts';
import { FORMAT } from '../entry/schema.ts';
import { KEY_BYTES, KeyTable, OWN_DIGEST, type PolicyKeys, policyKeysName } from '../keys/policy-keys.ts';
import { type IndexKey, subjectIn } from '../keys/subject.ts';
import { isCode } from './files.ts';
import { TamperedError } from './io-errors.ts';

/** The archived form of a policy: its digest, and its bytes unless the log keeps it already. */
interface SealedForm {
  readonly archive: string;
  readonly bytes?: Buffer;
}

/** A policy with its data and the parts of these that are to be encrypted. */
interface SealedParts {
  readonly policy: Policy;
  readonly data: unknown;
  readonly parts: readonly IdentityPart[];
}

/** Other work gets its turn after this many texts. */
const TEXTS_AT_ONCE = 1000;

/** Seals policies with the keys of a key folder. */
export class PolicySealer {
  readonly #keys: PolicyKeys;
  readonly #first: IndexKey;
  readonly #current: IndexKey;

  constructor(keys: PolicyKeys, indexKeys: readonly IndexKey[]) {
    this.#keys = keys;
    [this.#first, this.#current] = [indexKeys[0] as IndexKey, indexKeys.at(-1) as IndexKey];
  }

  /**
   * Undefined for a policy that says nothing about people. INVARIANT: the keys are durable before the archived form is
   * written, and one policy has one archived form, whichever process makes it and however often: an erased text stays
   * erased. The form is made again with the keys that a crash left; with an erased one among them it cannot be, so
   * there are new keys under the next name.
   */
  async seal(
    policy: Policy,
    data: unknown,
    isKept: (archive: string) => Promise<boolean>,
  ): Promise<SealedForm | undefined> {
    const parts: IdentityPart[] = [];
    replaceIdentities(policy, data, (part) => parts.push(part));
    if (parts.length === 0) return undefined;
    const given = { policy, data, parts };
    for (let generation = 1; ; ) {
      const name = policyKeysName(policy.digest, this.#first, generation);
      const archive = await this.#keys.readArchive(name);
      if (archive === undefined) {
        const made = await this.#make(name, given);
        if (made) return made;
        continue;
      }
      await this.#keys.sync();
      if (await isKept(archive)) return { archive };
      const { table } = (await this.#keys.read(name)) ?? {};
      if (table?.isComplete()) {
        const bytes = await formatParts(name, given, table);
        if (digestOf(bytes) === archive) return { archive, bytes };
        throw new TamperedError('the keys of a policy, in the key folder, belong to another archived form of it');
      }
      generation += 1;
    }
  }

  /** Undefined if another process has made the keys meanwhile. */
  async #make(name: string, given: SealedParts): Promise<SealedForm | undefined> {
    // The policy's own digest is about nobody.
    const subjects: (string | undefined)[] = [undefined];
    for (const [i, { text, format }] of given.parts.entries()) {
      if (i % TEXTS_AT_ONCE === 0) await setImmediate();
      subjects.push(text === undefined ? undefined : subjectIn(text, format, this.#current));
    }
    const table = KeyTable.of(this.#current.number, randomBytes(subjects.length * KEY_BYTES), subjects);
    const bytes = await formatParts(name, given, table);
    const archive = digestOf(bytes);
    try {
      await this.#keys.create(name, { archive, table });
      return { archive, bytes };
    } catch (error) {
      if (isCode(error, 'EEXIST')) return undefined;
      throw error;
    }
  }
}

async function formatParts(name: string, { policy, data, parts }: SealedParts, table: KeyTable): Promise<Buffer> {
  const sealed: unknown[] = [];
  for (const [i, { format, data: part }] of parts.entries()) {
    if (i % TEXTS_AT_ONCE === 0) await setImmediate();
    sealed.push(sealText(i + 1, part, format, table.keyOf(i + 1)));
  }
  let next = 0;
  const replaced = replaceIdentities(policy, data, () => sealed[next++]);
  const digest = sealText(OWN_DIGEST, policy.digest, undefined, table.keyOf(OWN_DIGEST));
  return formatSealedPolicy({ keys: name, digest, policy: replaced });
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Replaces an encrypted text; no name in a policy begins with this sign. */
const SEALED = '$sealed';

const SHAPE: is.Shape = { format: FORMAT, keys: is.TEXT, digest: is.OBJECT, policy: is.OBJECT };

/** A policy in its archived form, as parsed. */
interface SealedPolicy {
  /** The name of the file of its keys. */
  readonly keys: string;
  /** The policy's own digest, encrypted with the first key. */
  readonly digest: unknown;
  readonly policy: unknown;
}

/** Undefined for the data of a policy that is archived as it is. */
export function asSealedPolicy(data: unknown): SealedPolicy | undefined {
  return is.isOfShape(data, SHAPE) ? (data as SealedPolicy) : undefined;
}

/** Each key encrypts one text (NIST SP 800-38D, section 8: a nonce must not repeat under one key). */
const NONCE = Buffer.alloc(12);
const TAG_BYTES = 16;
/** Texts are padded to a multiple of this, because the length of an address tells something. */
const PADDING = 32;

/** An encrypted text. INVARIANT: the same key and data give the same bytes, so that an archive can be made again. */
function sealText(number: number, data: unknown, format: IdentityFormat | undefined, key: Buffer | undefined): unknown {
  if (!key) throw new RangeError('found no key for a text');
  const json = Buffer.from(JSON.stringify(data));
  const padded = Buffer.alloc(Math.ceil(json.length / PADDING) * PADDING, ' ');
  json.copy(padded);
  const cipher = createCipheriv('aes-256-gcm', createSecretKey(key), NONCE);
  const bytes = Buffer.concat([cipher.update(padded), cipher.final(), cipher.getAuthTag()]);
  return { [SEALED]: [number, format ?? 'any', bytes.toString('base64')] };
}

/** The bytes of an archived form, whose digest is theirs. */
function formatSealedPolicy({ keys, digest, policy }: SealedPolicy): Buffer {
  return Buffer.from(JSON.stringify({ format: 1, keys, digest, policy }), 'utf8');
}

/** The data of an archived policy, as far as they were not erased. */
export interface OpenedPolicy {
  /** The policy's own digest, which the data have; undefined once anything was erased. */
  readonly ownDigest: string | undefined;
  /** With a stand-in for each erased text, which no fact of an applicant equals. */
  readonly data: unknown;
  /** How many texts there are about people. */
  readonly texts: number;
  /** The subjects of the erased texts. */
  readonly erased: ReadonlySet<string>;
  readonly standIns: ReadonlySet<string>;
}

/** Opens an archived policy. Throws AUDIT_FAILED if a key is missing or does not open its text. */
export function openSealedPolicy({ digest, policy }: SealedPolicy, table: KeyTable): OpenedPolicy {
  const standIns = new Map<string, string>();
  const open = (number: number, format: string, sealed: string): unknown => {
    const [key, subject] = [table.keyOf(number), table.subjectOf(number)];
    if (key) return decrypt(Buffer.from(sealed, 'base64'), key);
    // Only texts with a subject are ever erased.
    if (subject === undefined) throw unopenedError();
    const standIn = standIns.get(subject) ?? standInOf(format, standIns.size);
    standIns.set(subject, standIn);
    return standIn;
  };
  const data = openAll(policy, open);
  const ownDigest = standIns.size === 0 && table.keyOf(OWN_DIGEST) ? openAll(digest, open) : undefined;
  if (ownDigest !== undefined && typeof ownDigest !== 'string') throw unopenedError();
  const [erased, given] = [new Set(standIns.keys()), new Set(standIns.values())];
  return { ownDigest, data, texts: table.size - 1, erased, standIns: given };
}

function openAll(data: unknown, open: (number: number, format: string, sealed: string) => unknown): unknown {
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) return data.map((item) => openAll(item, open));
  const { [SEALED]: sealed } = data as Readonly<Record<string, unknown>>;
  if (sealed === undefined) {
    return Object.fromEntries(Object.entries(data).map(([name, part]) => [name, openAll(part, open)]));
  }
  const [number, format, text] = Array.isArray(sealed) ? (sealed as unknown[]) : [];
  if (typeof number !== 'number' || typeof text !== 'string') throw unopenedError();
  return open(number, String(format), text);
}

function decrypt(sealed: Buffer, key: Buffer): unknown {
  const decipher = createDecipheriv('aes-256-gcm', createSecretKey(key), NONCE, { authTagLength: TAG_BYTES });
  try {
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const opened = decipher.update(sealed.subarray(0, -TAG_BYTES));
    decipher.final();
    return JSON.parse(opened.toString('utf8'));
  } catch {
    throw unopenedError();
  }
}

function unopenedError(): TamperedError {
  return new TamperedError('a text about a person in an archived policy does not open with its key');
}

/** Numbers of a country code that is not assigned, reserved addresses (RFC 1112), a domain without hosts (RFC 2606). */
const STAND_INS: Readonly<Record<IdentityFormat, (number: number) => string>> = {
  phone: (number) => `999${String(number).padStart(12, '0')}`,
  email: (number) => `erased-${number}@erased.invalid`,
  ip: (number) => [240 + (number >>> 24), (number >>> 16) & 255, (number >>> 8) & 255, number & 255].join('.'),
};

/** INVARIANT: a different one for each person, because equal tests count once as evidence. */
function standInOf(format: string, number: number): string {
  return (Object.hasOwn(STAND_INS, format) ? STAND_INS[format as IdentityFormat] : STAND_INS.email)(number);
}
