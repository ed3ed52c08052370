/** Text and an Ed25519 key -> its signature, and whether a signature is that of a key one trusts. */

import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { VerdictError } from '../../errors.ts';

/** Public keys by their ids. */
export type TrustedKeys = ReadonlyMap<string, KeyObject>;

/** The name of a key, private or public: the first 16 hexadecimal digits of SHA-256 over the public key (SPKI, DER). */
export function keyIdOf(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
}

/** The Ed25519 signature (RFC 8032) of a text in UTF-8, as base64. Throws CONFIGURATION_INVALID for a key that is no private Ed25519 key. */
export function signText(text: string, key: KeyObject): string {
  if (key.type !== 'private' || key.asymmetricKeyType !== 'ed25519') {
    throw new VerdictError('CONFIGURATION_INVALID', 'the signing key is another key, expected a private Ed25519 key');
  }
  return sign(null, Buffer.from(text, 'utf8'), key).toString('base64');
}

/** Whether a value is 64 bytes in base64, written as base64 is. */
export function isSignature(value: unknown): boolean {
  if (typeof value !== 'string' || value.length !== 88) return false;
  const bytes = Buffer.from(value, 'base64');
  return bytes.length === 64 && bytes.toString('base64') === value;
}

/** Whether a text was signed with the key of that id, which has to be among the trusted ones. */
export function isSigned(text: string, keyId: string, signature: string, trusted: TrustedKeys): boolean {
  const key = trusted.get(keyId);
  return key !== undefined && verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'base64'));
}

/** An Ed25519 public key from its PEM, if the PEM is just as a key is written; undefined for anything else. */
export function readPublicKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' && key.export({ type: 'spki', format: 'pem' }) === pem ? key : undefined;
  } catch {
    return undefined;
  }
}
