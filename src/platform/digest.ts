/** JSON data -> its digest: SHA-256 over its canonical form (RFC 8785). */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';

/** The canonical JSON text (RFC 8785) of JSON data. Keys whose value is undefined are left out. */
export function canonicalJson(data: unknown): string {
  const text = canonicalize(data);
  if (text === undefined) throw new TypeError('only JSON data has a canonical form');
  return text;
}

/** `sha256:` followed by 64 hexadecimal digits. */
export function digest(data: unknown): string {
  return digestOfCanonical(canonicalJson(data));
}

/** The digest of data whose canonical JSON is given. */
export function digestOfCanonical(canonical: string): string {
  return `sha256:${bytesToHex(sha256(utf8ToBytes(canonical)))}`;
}
