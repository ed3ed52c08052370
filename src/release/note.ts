/** What a person says of a release -> a signed note of it, and back. */

import type { KeyObject } from 'node:crypto';
import { problemOfSignature, signNote, splitNote, type TrustedKeys } from '../audit/keys/signature.ts';
import { digestOfCanonical } from '../platform/digest.ts';
import { refused } from './files.ts';
import type { Reference } from './manifest.ts';

/**
 * What a note can say. `tighten` replaces the approvals of a release that is proved to be stricter, `confirm` is the
 * second person's agreement to that afterwards, and `activate` puts a release in force.
 */
export const VERDICTS = ['approve', 'reject', 'tighten', 'confirm', 'activate'] as const;

/** What a note says. */
export interface NoteText {
  readonly series: string;
  readonly release: Reference;
  readonly base: Reference | null;
  /** The digests of the evidence that was seen; null for none. */
  readonly proof: string | null;
  readonly impact: string | null;
  /** The subject of who says it. */
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly verdict: (typeof VERDICTS)[number];
  /** Of `activate`: the digests of the notes that it rests on, sorted. */
  readonly notes?: readonly string[];
}

/** A note as it is kept. */
export interface ReleaseNote extends NoteText {
  readonly text: string;
  readonly keyId: string;
}

const TITLE = 'verdict-release/1';
/** In the signature line, where a checkpoint names the operator: the text says who speaks. */
const SIGNER = 'verdict-release';

function formatText({ series, release, base, proof, impact, by, at, verdict, notes }: NoteText): string {
  const named = (one: Reference | null) => (one ? `${one.number} ${one.digest}` : 'none');
  const lines = [
    ...[`${TITLE} ${series}`, `release ${named(release)}`, `base ${named(base)}`, `proof ${proof ?? 'none'}`],
    ...[`impact ${impact ?? 'none'}`, `by ${by}`, `at ${at}`, `verdict ${verdict}`],
    ...(notes === undefined ? [] : [`notes ${notes.join(' ')}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** A signed note. Throws RELEASE_REFUSED for a text that cannot be read again. */
export function signReleaseNote(text: NoteText, key: KeyObject): string {
  const note = signNote(formatText(text), SIGNER, key);
  readNote(note);
  return note;
}

const REFERENCE = '([1-9]\\d{0,5}) (sha256:[0-9a-f]{64})';
const DIGEST = '(sha256:[0-9a-f]{64}|none)';
const TEXT = new RegExp(
  `^${TITLE} ([0-9a-f-]{36})\\nrelease ${REFERENCE}\\nbase (?:${REFERENCE}|none)\\n` +
    `proof ${DIGEST}\\nimpact ${DIGEST}\\n` +
    `by ([^\\s\\p{C}](?:[^\\p{C}]{0,198}[^\\s\\p{C}])?)\\nat (\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z)\\n` +
    `verdict (${VERDICTS.join('|')})\\n(?:notes (sha256:[0-9a-f]{64}(?: sha256:[0-9a-f]{64})*)\\n)?$`,
  'u',
);

/** Reads a note without checking its signature. Throws RELEASE_REFUSED for another text. */
export function readNote(note: string): ReleaseNote {
  const signed = splitNote(note);
  // The signature is of the text alone.
  if (signed?.signer !== SIGNER) throw refused('a note has no signature line, or a malformed one');
  const found = TEXT.exec(signed.text);
  if (!found) throw refused('the text of a note is malformed');
  const [, series = '', number, digest = '', baseNumber, baseDigest = '', ...rest] = found;
  const [proof, impact, by = '', at = '', verdict, notes] = rest;
  return {
    ...{ series, release: { number: Number(number), digest }, by, at, text: note, keyId: signed.keyId },
    base: baseNumber === undefined ? null : { number: Number(baseNumber), digest: baseDigest },
    ...{ proof: orNone(proof), impact: orNone(impact), verdict: verdict as NoteText['verdict'] },
    ...(notes === undefined ? {} : { notes: notes.split(' ') }),
  };
}

function orNone(digest: string | undefined): string | null {
  return digest === undefined || digest === 'none' ? null : digest;
}

/** Why a note is not signed with one of these keys; undefined if it is. */
export function problemOfNote({ text }: ReleaseNote, trusted: TrustedKeys): string | undefined {
  const signed = splitNote(text);
  return signed ? problemOfSignature(signed, trusted) : 'the note has no signature line';
}

/** The digest by which an activation names a note that it rests on. */
export function digestOfNote({ text }: Pick<ReleaseNote, 'text'>): string {
  return digestOfCanonical(text);
}
