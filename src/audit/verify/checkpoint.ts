/** The heads of a log's chains and a signing key -> a signed note, and back. */

import type { KeyObject } from 'node:crypto';
import { VerdictError } from '../../errors.ts';
import * as is from '../entry/schema.ts';
import { problemOfSignature, signNote, splitNote, type TrustedKeys } from '../keys/signature.ts';
import { type LogFile, ORIGIN } from '../place.ts';

/** The length of a chain, and the hash of its last entry. */
export interface ChainHead {
  readonly chain: string;
  /** The `seq` of the last entry. */
  readonly length: number;
  readonly hash: string;
}

/** The state of a log at an instant. */
export interface Checkpoint {
  readonly log: string;
  readonly origin: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Sorted by chain; an empty chain has no head. */
  readonly heads: readonly ChainHead[];
}

/** A checkpoint signed with a trusted key, or why it was refused. */
export type CheckedCheckpoint =
  | { readonly checkpoint: Checkpoint; readonly keyId: string }
  | { readonly problem: string };

const TITLE = 'verdict-audit/1';
/** A thousand chains are 110 KB; nothing longer than this is parsed. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Throws CONFIGURATION_INVALID if the key is not a private Ed25519 key, and AUDIT_FAILED for an invalid checkpoint. */
export function signCheckpoint(checkpoint: Checkpoint, key: KeyObject): string {
  const text = formatCheckpoint(checkpoint);
  if (!readText(text)) throw new VerdictError('AUDIT_FAILED', 'the data to sign is not a valid checkpoint');
  return signNote(text, checkpoint.origin, key);
}

/** Reads a signed note: a checkpoint of this log in its exact canonical form, signed with a trusted key. */
export function readCheckpoint(
  note: Uint8Array,
  trusted: TrustedKeys,
  log: Pick<LogFile, 'log' | 'origin'>,
): CheckedCheckpoint {
  const text = note.length > MAX_BYTES ? '' : decode(note);
  const signed = splitNote(text);
  if (!signed) return { problem: 'the note has no signature line, or a malformed one' };
  const checkpoint = readText(signed.text);
  if (!checkpoint) return { problem: 'the text of the note is not a well-formed checkpoint' };
  if (checkpoint.origin !== signed.signer)
    return { problem: 'the signature line names another origin than the checkpoint' };
  // Checked before the key: another log has other keys, and this says more.
  if (checkpoint.log !== log.log) return { problem: 'the checkpoint is of another log' };
  if (checkpoint.origin !== log.origin) return { problem: 'the checkpoint names another origin than log.json' };
  const problem = problemOfSignature(signed, trusted);
  return problem === undefined ? { checkpoint, keyId: signed.keyId } : { problem };
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
  const log = title.slice(TITLE.length + 1);
  const checkpoint = { log, origin: originLine.slice('origin '.length), at: atLine.slice('at '.length), heads };
  const isValid =
    is.isOfShape({ ...checkpoint, heads: heads.map(({ chain }) => chain) }, CHECKPOINT) &&
    heads.every((head) => is.isOfShape(head, HEAD));
  // Only the canonical form is accepted: there is one text for each checkpoint.
  return isValid && formatCheckpoint(checkpoint) === text ? checkpoint : undefined;
}

const HEAD: is.Shape = { chain: is.ID, length: is.NUMBER, hash: is.HASH };
/** Its heads as the names of their chains. */
const CHECKPOINT: is.Shape = { log: is.ID, origin: ORIGIN, at: is.INSTANT, heads: is.SORTED };

function decode(bytes: Uint8Array): string {
  try {
    return is.UTF8.decode(bytes);
  } catch {
    return '';
  }
}
