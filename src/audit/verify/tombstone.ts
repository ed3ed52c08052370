/** A pruned segment and a signing key -> the signed tombstone that replaces it, and back. */

import type { KeyObject } from 'node:crypto';
import { canonicalJson } from '../../platform/digest.ts';
import * as is from '../entry/schema.ts';
import { readExactFile } from '../entry/schema.ts';
import { isSignature, isSigned, keyIdOf, signText, type TrustedKeys } from '../keys/signature.ts';
import type { Head } from '../store/segment.ts';

/** What a tombstone keeps of its segment: enough to link the entries before it to those after it. */
export interface PrunedSegment {
  readonly chain: string;
  readonly segment: number;
  /** The `seq` of its first entry, and of its footer. */
  readonly first: number;
  readonly last: number;
  /** How many entries it had, without the footer. */
  readonly records: number;
  /** The `prev` of its first entry, and the hash of its footer. */
  readonly prev: string;
  readonly head: string;
  /** The earliest and the latest instant of its entries without the footer; ISO 8601, UTC. */
  readonly from: string;
  readonly to: string;
  readonly prunedAt: string;
}

/** A pruned segment, signed. */
export interface Tombstone extends PrunedSegment {
  /** The id of the signing key. */
  readonly key: string;
  /** Ed25519 over the canonical JSON (RFC 8785) of all other fields, as base64. */
  readonly signature: string;
}

/** In the key order of canonical JSON, in which the file is written. */
const SHAPE: is.Shape = {
  chain: is.ID,
  first: is.NUMBER,
  from: is.INSTANT,
  head: is.HASH,
  key: is.KEY_ID,
  last: is.NUMBER,
  prev: is.HASH,
  prunedAt: is.INSTANT,
  records: is.NUMBER,
  segment: is.NUMBER,
  signature: { expected: 'base64 of 64 bytes', is: isSignature },
  to: is.INSTANT,
};

/** The text of a tombstone's file. Throws CONFIGURATION_INVALID if the key is not a private Ed25519 key. */
export function signTombstone(pruned: PrunedSegment, key: KeyObject): string {
  const named = { ...pruned, key: keyIdOf(key) };
  return `${canonicalJson({ ...named, signature: signText(canonicalJson(named), key) })}\n`;
}

/** Undefined unless the bytes are exactly those that `signTombstone` writes. */
function readTombstone(bytes: Uint8Array): Tombstone | undefined {
  const tombstone = readExactFile(bytes, SHAPE) as Tombstone | undefined;
  return tombstone && tombstone.last - tombstone.first === tombstone.records && tombstone.from <= tombstone.to
    ? tombstone
    : undefined;
}

/** Which segment a tombstone has to replace, and the entry before it. */
export interface TombstonePlace {
  readonly chain: string;
  readonly segment: number;
  readonly before: Head;
  readonly trusted: TrustedKeys;
}

/** Reads the tombstone of a segment: it has to follow the entry before it, and to be signed with a trusted key. */
export function joinTombstone(
  bytes: Uint8Array | undefined,
  { chain, segment, before, trusted }: TombstonePlace,
): { readonly tombstone: Tombstone } | { readonly problem: string } {
  const tombstone = bytes && readTombstone(bytes);
  if (!tombstone) return { problem: 'tombstone is missing or malformed' };
  if (tombstone.chain !== chain || tombstone.segment !== segment)
    return { problem: 'found the tombstone of another segment or chain' };
  if (tombstone.first !== before.seq + 1 || tombstone.prev !== before.hash) {
    return { problem: 'tombstone does not follow the tombstone before it' };
  }
  const { signature, ...named } = tombstone;
  const isTrusted = isSigned(canonicalJson(named), named.key, signature, trusted);
  return isTrusted
    ? { tombstone }
    : { problem: `tombstone is not signed with a trusted key; it names key ${named.key}` };
}
