/** A body and the data key of its record -> its sealed form, and back (AES-256-GCM, NIST SP 800-38D). */

import { isAscii } from 'node:buffer';
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import type { BodyEntry, DecisionFields, NoteFields } from '../entry/entry.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a record says in clear, without its body. */
export type ClearPart = Unsealed<DecisionFields> | Unsealed<NoteFields>;
type Unsealed<Fields> = Omit<Fields, 'key' | 'sealed' | 'plain'>;

/** A record without its body, in its chain: what a body is bound to. It opens for no other, and with nothing else in clear beside it. */
export type EncryptionContext = ClearPart & Pick<BodyEntry, 'chain'>;

/** Nonce, ciphertext and tag as base64. */
export function encryptBody(text: string, key: Buffer, place: EncryptionContext): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', createSecretKey(key), nonce).setAAD(Buffer.from(additionalData(place)));
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** The text; undefined where it was sealed with another key or for another record, or was changed, or what its record says in clear. */
export function decryptBody(sealed: string, key: Buffer, place: EncryptionContext): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const tag = bytes.subarray(-TAG_BYTES);
  // A key object: Node takes three times as long over a bare buffer.
  const secret = createSecretKey(key);
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(additionalData(place))).setAuthTag(tag);
  try {
    const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    // Nothing more comes (GCM keeps no block back), but for an error where the tag is another.
    decipher.final();
    return isAscii(opened) ? opened.toString('latin1') : opened.toString('utf8');
  } catch {
    return undefined;
  }
}

/** All that stands in clear, as one JSON text. INVARIANT: what a record gains in clear is added here. */
function additionalData(place: EncryptionContext): string {
  const { chain, kind, id, at, subjects } = place;
  const { phoneNo, email, ip } = subjects;
  const all: unknown[] = [chain, kind, id, at, phoneNo, email, ip];
  if (place.kind === 'note') all.push(place.decision, place.disposition);
  else {
    const { policy } = place;
    all.push(place.writtenAt, place.outcome, place.codes, place.rules, place.undetermined, place.causes);
    all.push(policy.name, policy.version, policy.digest, place.mapping, place.engine);
  }
  return JSON.stringify(all);
}
