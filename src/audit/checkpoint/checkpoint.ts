/** The heads of a log's chains and a key -> a signed note to be kept elsewhere, and back. */

import type { KeyObject } from 'node:crypto';
import { VerdictError } from '../../errors.ts';
import * as is from '../entry/schema.ts';
import { isSignature, isSigned, keyIdOf, signText, type TrustedKeys } from '../keys/signature.ts';
import { type LogFile, ORIGIN } from '../log-file.ts';

/** How long a chain is, and the hash of its last line. */
export interface ChainHead {
  readonly chain: string;
  /** The `seq` of the last line. */
  readonly length: number;
  readonly hash: string;
}

/** What a log was at an instant. */
export interface Checkpoint {
  readonly log: string;
  readonly origin: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Sorted by chain; one without lines has no head. */
  readonly heads: readonly ChainHead[];
}

/** A checkpoint whose signature is that of a trusted key; or what is wrong with it. */
export type CheckedCheckpoint =
  | { readonly checkpoint: Checkpoint; readonly keyId: string }
  | { readonly problem: string };

const TITLE = 'verdict-audit/1';
/** What follows the text: an empty line, and who signed. The dash is the one of Go's signed notes (golang.org/x/mod/sumdb/note). */
const SIGNATURE = /\n\n— ([!-~]+) ([0-9a-f]{16}) ([A-Za-z0-9+/]{86}==)\n$/;
/** A thousand of these are 110 KB; a text that is longer than a log's checkpoint can be is not taken apart. */
const MAX_BYTES = 64 * 1024 * 1024;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The signed note of a checkpoint. Throws CONFIGURATION_INVALID for a key that is no private Ed25519 key, and
 * AUDIT_FAILED for what is no checkpoint.
 */
export function signCheckpoint(checkpoint: Checkpoint, key: KeyObject): string {
  const text = formatCheckpoint(checkpoint);
  if (!readText(text))
    throw new VerdictError('AUDIT_FAILED', 'this is no checkpoint: its heads are not those of a log');
  return `${text}\n— ${checkpoint.origin} ${keyIdOf(key)} ${signText(text, key)}\n`;
}

/** The checkpoint of a signed note, if it is one of this log, one of the keys signed it, and nothing in it could be written otherwise. */
export function readCheckpoint(
  note: Uint8Array,
  trusted: TrustedKeys,
  log: Pick<LogFile, 'log' | 'origin'>,
): CheckedCheckpoint {
  const text = note.length > MAX_BYTES ? '' : decode(note);
  const [end = '', origin, keyId = '', signature = ''] = SIGNATURE.exec(text) ?? [];
  if (!isSignature(signature)) return { problem: 'found no signature, or one that is not written as it has to be' };
  const signed = text.slice(0, text.length - end.length + 1);
  const checkpoint = readText(signed);
  if (!checkpoint) return { problem: 'found a text that is not written as a checkpoint has to be' };
  if (checkpoint.origin !== origin)
    return { problem: 'found the signature of another origin than the one that it names' };
  // Before the key, which another log has not.
  if (checkpoint.log !== log.log) return { problem: 'found a checkpoint of another log' };
  if (checkpoint.origin !== log.origin) return { problem: 'found a checkpoint of another origin than log.json names' };
  if (!trusted.has(keyId))
    return { problem: `found the signature of key ${keyId}, which is none of the keys to check it with` };
  if (!isSigned(signed, keyId, signature, trusted))
    return { problem: `found a signature that is not that of key ${keyId}` };
  return { checkpoint, keyId };
}

function formatCheckpoint({ log, origin, at, heads }: Checkpoint): string {
  const lines = heads.map(({ chain, length, hash }) => `${chain} ${length} ${hash}\n`);
  return `${TITLE} ${log}\norigin ${origin}\nat ${at}\n${lines.join('')}`;
}

function readText(text: string): Checkpoint | undefined {
  const [title = '', originLine = '', atLine = '', ...rows] = text.split('\n').slice(0, -1);
  const heads = rows.map((row): ChainHead => {
    const [chain = '', length, hash = ''] = row.split(' ');
    return { chain, length: Number(length), hash };
  });
  const [log, origin, at] = [
    title.slice(TITLE.length + 1),
    originLine.slice('origin '.length),
    atLine.slice('at '.length),
  ];
  const checkpoint = { log, origin, at, heads };
  const isGood =
    is.ID.is(log) &&
    ORIGIN.is(origin) &&
    is.INSTANT.is(at) &&
    is.SORTED.is(heads.map(({ chain }) => chain)) &&
    heads.every(({ chain, length, hash }) => is.ID.is(chain) && is.NUMBER.is(length) && is.HASH.is(hash));
  // What was read has to be written in just these bytes: nothing is left out, and nothing said twice.
  return isGood && formatCheckpoint(checkpoint) === text ? checkpoint : undefined;
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return '';
  }
}
