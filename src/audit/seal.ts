/** A body and the data key of its record -> its sealed form, and back (AES-256-GCM, NIST SP 800-38D). */

import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The record that a body belongs to: it opens for no other. */
export interface SealPlace {
  readonly chain: string;
  readonly kind: string;
  readonly id: string;
}

/** Nonce, ciphertext and tag as base64. */
export function sealText(text: string, key: Buffer, place: SealPlace): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', createSecretKey(key), nonce).setAAD(additionalData(place));
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** The text; undefined where it was sealed with another key or for another record, or was changed. */
export function openText(sealed: string, key: Buffer, place: SealPlace): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const tag = bytes.subarray(-TAG_BYTES);
  // A key object: Node takes three times as long over a bare buffer.
  const secret = createSecretKey(key);
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(additionalData(place)).setAuthTag(tag);
  try {
    const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    // Nothing more comes (GCM keeps no block back), but for an error where the tag is another.
    decipher.final();
    return opened.toString('utf8');
  } catch {
    return undefined;
  }
}

function additionalData({ chain, kind, id }: SealPlace): Buffer {
  return Buffer.from(`${chain}|${kind}|${id}`, 'utf8');
}
