/** The body of a record and its data key <-> the encrypted body (AES-256-GCM, NIST SP 800-38D). */

import { isAscii } from 'node:buffer';
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import {
  type BodyEntry,
  type DecisionFields,
  type EventFields,
  MISSING_CAUSES,
  type NoteFields,
} from '../entry/entry.ts';
import { chainOfKey, type DataKeyReader } from './data-keys.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The clear fields of a record that has a body. */
export type ClearPart = WithoutBody<DecisionFields> | WithoutBody<NoteFields> | WithoutBody<EventFields>;
type WithoutBody<Fields> = Omit<Fields, 'key' | 'sealed' | 'plain'>;

/** A record whose body is still to be encrypted. */
export interface Draft {
  readonly clear: ClearPart;
  /** The texts of the body, joined. */
  readonly body: string;
}

/** The clear fields and chain that a body is bound to: it decrypts in no other record and beside no other fields. */
type EncryptionContext = ClearPart & Pick<BodyEntry, 'chain'>;

/** Makes the encrypted body of a record, in base64. */
export type Encryptor = (body: string, key: Buffer, context: EncryptionContext) => string;

/** Nonce, ciphertext and tag in base64. */
export const encryptBody: Encryptor = (body, key, context) =>
  sealText(body, createSecretKey(key), additionalData(context)).toString('base64');

/** The body; undefined if the key, the ciphertext or the additional data (chain and clear fields) do not match. */
export function decryptBody(sealed: string, key: Buffer, context: EncryptionContext): string | undefined {
  return openText(Buffer.from(sealed, 'base64'), createSecretKey(key), additionalData(context));
}

/** Nonce, ciphertext and tag. With a key object, because Node takes three times as long with a bare buffer. */
export function sealBytes(bytes: Buffer, key: KeyObject, additional: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additional);
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** `sealBytes` of a text in UTF-8. */
export function sealText(text: string, key: KeyObject, additional: Buffer): Buffer {
  return sealBytes(Buffer.from(text, 'utf8'), key, additional);
}

/** The text; undefined if the key, the ciphertext or the additional data do not match. */
export function openText(bytes: Buffer, key: KeyObject, additional: Buffer): string | undefined {
  const opened = openBytes(bytes, key, additional);
  return opened && (isAscii(opened) ? opened.toString('latin1') : opened.toString('utf8'));
}

/** The bytes; undefined if the key, the ciphertext or the additional data do not match. */
export function openBytes(bytes: Buffer, key: KeyObject, additional: Buffer): Buffer | undefined {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(additional).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    // Returns no more bytes, because GCM keeps no block back, but throws if the tag does not match.
    decipher.final();
    return opened;
  } catch {
    return undefined;
  }
}

/** The chain and all clear fields as one JSON text. INVARIANT: every clear field that a record gains is added here. */
function additionalData(context: EncryptionContext): Buffer {
  const { chain, kind, id, at, subjects } = context;
  const { phoneNo, email, ip } = subjects;
  const all: unknown[] = [chain, kind, id, at, phoneNo, email, ip];
  if (context.kind === 'note') {
    const { decision, disposition, knownOn, resolves } = context;
    all.push(decision, disposition, ...(knownOn === undefined ? [] : [knownOn]));
    if (resolves) all.push([resolves.case, resolves.token, resolves.actor]);
  } else if (context.kind === 'event') all.push(context.type, context.object, context.detail, context.actor);
  else {
    const { policy } = context;
    all.push(context.writtenAt, context.outcome, reasonData(context), context.rules, context.undetermined);
    all.push(context.reference, ...MISSING_CAUSES.flatMap((cause) => missingData(cause, context.missing[cause])));
    all.push(policy.name, policy.version, policy.digest, context.mapping, context.engine);
    if (context.replaces !== undefined) all.push(context.replaces);
    if (context.links) all.push(context.links);
  }
  return Buffer.from(JSON.stringify(all));
}

/** Causes that came later: records without them are bound as those before. */
const LATER_CAUSES: ReadonlySet<string> = new Set(['incomplete', 'noneSeen']);

function missingData(cause: string, paths: readonly string[] | undefined): readonly unknown[] {
  if (!LATER_CAUSES.has(cause)) return [paths];
  return paths === undefined ? [] : [[cause, paths]];
}

/** Three lists, or in the earlier form a list of texts: the two never have the same JSON. */
function reasonData({ reasons, codes }: Pick<DecisionFields, 'reasons' | 'codes'>): unknown {
  return reasons ? [reasons.decisive, reasons.fired, reasons.undetermined] : codes;
}

/** The state of a record's key: `own` decrypts its body; `another` exists but does not, or belongs to another chain. */
export type KeyState = 'own' | 'another' | 'erased' | 'missing';

/**
 * INVARIANT: an erasure of a record erases only a key that decrypts its body. Anyone who can write the log can name
 * any key in a record; a key that decrypts a body beside its clear fields is the one that encrypted it.
 */
export async function stateOfKey(line: BodyEntry, keys: DataKeyReader): Promise<KeyState> {
  if (line.key === undefined || line.sealed === undefined) return 'missing';
  if (chainOfKey(line.key) !== line.chain) return 'another';
  const key = await keys.read(line.key);
  if (typeof key === 'string') return key;
  return decryptBody(line.sealed, key, line) === undefined ? 'another' : 'own';
}
