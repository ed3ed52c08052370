/** What stood in a segment that was pruned, and a key -> the signed tombstone in its place, and back. */

import type { KeyObject } from 'node:crypto';
import { canonicalJson } from '../../platform/digest.ts';
import { readExactFile } from '../entry/canonical.ts';
import * as is from '../entry/schema.ts';
import { isSignature, isSigned, keyIdOf, signText, type TrustedKeys } from '../keys/signature.ts';
import type { Head } from '../store/segment.ts';

/** What a segment was: enough to join what stood before it to what stands behind it. */
export interface PrunedSegment {
  readonly chain: string;
  readonly segment: number;
  /** The `seq` of its first line, and of its seal. */
  readonly first: number;
  readonly last: number;
  /** Its lines without the seal. */
  readonly records: number;
  /** The hash that its first line follows, and the hash of its seal. */
  readonly prev: string;
  readonly head: string;
  /** The earliest and the latest instant of its lines without the seal; ISO 8601, UTC. */
  readonly from: string;
  readonly to: string;
  readonly prunedAt: string;
}

/** The same, signed. */
export interface Tombstone extends PrunedSegment {
  /** The id of the key that signed it. */
  readonly key: string;
  /** Ed25519 over the canonical JSON (RFC 8785) of all the others, as base64. */
  readonly signature: string;
}

const KEY_ID: is.Type = {
  expected: '16 hexadecimal digits',
  is: (value) => typeof value === 'string' && /^[0-9a-f]{16}$/.test(value),
};
const SIGNATURE: is.Type = { expected: 'base64 of 64 bytes', is: isSignature };

/** In the order of canonical JSON, in which the file is written. */
const SHAPE: is.Shape = {
  chain: is.ID,
  first: is.NUMBER,
  from: is.INSTANT,
  head: is.HASH,
  key: KEY_ID,
  last: is.NUMBER,
  prev: is.HASH,
  prunedAt: is.INSTANT,
  records: is.NUMBER,
  segment: is.NUMBER,
  signature: SIGNATURE,
  to: is.INSTANT,
};

/** The bytes of a tombstone's file. Throws CONFIGURATION_INVALID for a key that is no private Ed25519 key. */
export function signTombstone(pruned: PrunedSegment, key: KeyObject): string {
  const named = { ...pruned, key: keyIdOf(key) };
  return `${canonicalJson({ ...named, signature: signText(canonicalJson(named), key) })}\n`;
}

/** Undefined for anything but the bytes that are written for a tombstone. */
function readTombstone(bytes: Uint8Array): Tombstone | undefined {
  const tombstone = readExactFile(bytes, SHAPE) as Tombstone | undefined;
  return tombstone && tombstone.last - tombstone.first === tombstone.records && tombstone.from <= tombstone.to
    ? tombstone
    : undefined;
}

/** Where a tombstone stands: behind that line, which is a tombstone's too, or none. */
export interface TombstonePlace {
  readonly chain: string;
  readonly segment: number;
  readonly before: Head;
  readonly trusted: TrustedKeys;
}

/** The tombstone of a file, if it is that of this segment, joins what stands before it and was signed with a trusted key; or what is wrong. */
export function joinTombstone(
  bytes: Uint8Array | undefined,
  { chain, segment, before, trusted }: TombstonePlace,
): { readonly tombstone: Tombstone } | { readonly problem: string } {
  const tombstone = bytes && readTombstone(bytes);
  if (!tombstone) return { problem: 'found another text than a tombstone has' };
  if (tombstone.chain !== chain || tombstone.segment !== segment)
    return { problem: 'found the tombstone of another segment' };
  if (tombstone.first !== before.seq + 1 || tombstone.prev !== before.hash) {
    return { problem: 'found a tombstone that does not join the one before it' };
  }
  const { signature, ...named } = tombstone;
  const isTrusted = isSigned(canonicalJson(named), named.key, signature, trusted);
  return isTrusted ? { tombstone } : { problem: 'found no signature of a known key' };
}
