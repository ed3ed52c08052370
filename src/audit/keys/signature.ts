/** A text and an Ed25519 key -> a signature or a signed note, and whether it is valid and of a trusted key. */

import { createHash, createPublicKey, KeyObject, sign, verify } from 'node:crypto';
import { type Kind, listOf } from '../../platform/given/options.ts';
import { isBase64 } from '../entry/schema.ts';

/** Public keys by their ids. */
export type TrustedKeys = ReadonlyMap<string, KeyObject>;

const isKey = (value: unknown, type: KeyObject['type']) =>
  value instanceof KeyObject && value.type === type && value.asymmetricKeyType === 'ed25519';

export const SIGNING_KEY: Kind = {
  expected: 'a private Ed25519 key: `createPrivateKey(…)` of node:crypto',
  is: (value) => isKey(value, 'private'),
};
export const PUBLIC_KEYS = listOf(
  { expected: '', is: (value) => isKey(value, 'public') },
  'a list of public Ed25519 keys: `createPublicKey(…)` of node:crypto',
);

/** The id of a private or public key: the first 16 hexadecimal digits of SHA-256 over the public key (SPKI, DER). */
export function keyIdOf(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
}

/** The Ed25519 signature (RFC 8032) of UTF-8 text in base64. INVARIANT: the key is a `SIGNING_KEY`. */
export function signText(text: string, key: KeyObject): string {
  return sign(null, Buffer.from(text, 'utf8'), key).toString('base64');
}

/** Whether a value is 64 bytes in canonical base64. */
export function isSignature(value: unknown): boolean {
  return typeof value === 'string' && /^[^=]{86}==$/.test(value) && isBase64(value);
}

/** Whether a text was signed with the key of this id, and the key is trusted. */
export function isSigned(text: string, keyId: string, signature: string, trusted: TrustedKeys): boolean {
  const key = trusted.get(keyId);
  return key !== undefined && verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'base64'));
}

/** After an empty line: the signer's name, the key id and the signature, as in golang.org/x/mod/sumdb/note. */
const SIGNATURE_LINE = /\n\n— ([!-~]+) ([0-9a-f]{16}) ([A-Za-z0-9+/]{86}==)\n$/;

/** A signed text, which ends with a line break. */
export interface SignedNote {
  readonly text: string;
  readonly signer: string;
  readonly keyId: string;
}

/** The note of a text that ends with a line break. `signer`: visible ASCII characters. */
export function signNote(text: string, signer: string, key: KeyObject): string {
  return `${text}\n— ${signer} ${keyIdOf(key)} ${signText(text, key)}\n`;
}

/** The parts of a note; undefined if it has no signature line. Whether it `isSigned` is for the caller to ask. */
export function splitNote(note: string): (SignedNote & { readonly signature: string }) | undefined {
  const [end = '', signer = '', keyId = '', signature = ''] = SIGNATURE_LINE.exec(note) ?? [];
  if (!isSignature(signature)) return undefined;
  return { text: note.slice(0, note.length - end.length + 1), signer, keyId, signature };
}

/** Why a note is not signed with a trusted key; undefined if it is. */
export function problemOfSignature(
  { text, keyId, signature }: SignedNote & { readonly signature: string },
  trusted: TrustedKeys,
): string | undefined {
  if (!trusted.has(keyId)) return `signed with key ${keyId}, which is not one of the trusted keys`;
  return isSigned(text, keyId, signature, trusted) ? undefined : `the signature does not match key ${keyId}`;
}

/** The Ed25519 public key of a PEM; undefined unless the PEM is exactly the one written for the key. */
export function readPublicKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' && key.export({ type: 'spki', format: 'pem' }) === pem ? key : undefined;
  } catch {
    return undefined;
  }
}
