/** A release, what it replaces and whom operations trust -> why it cannot come into force, or that it can. */

import { digestOfCanonical } from '../platform/digest.ts';
import { LANGUAGE_VERSION } from '../policy/language.ts';
import { changedShare, type Impact, readImpact } from './evidence/impact.ts';
import { isStricter } from './evidence/judge-proof.ts';
import { type Proof, readProof } from './evidence/proof.ts';
import { refused } from './files.ts';
import { checkContent, type Manifest, type ReadManifest, type Reference, readManifest } from './manifest.ts';
import { digestOfNote, type NoteText, problemOfNote, type ReleaseNote } from './note.ts';
import type { Release } from './store.ts';
import type { Trust, TrustedKey } from './trust.ts';

/** A release whose files are those of its manifest, and what people said of it. */
export interface Judged {
  readonly release: Release;
  readonly read: ReadManifest;
  readonly proof: Proof | undefined;
  readonly impact: Impact | undefined;
  /**
   * The notes that count: of trusted keys, about this manifest, base and evidence. Once it was put in force, those
   * that it was put in force by.
   */
  readonly approvals: readonly ReleaseNote[];
  readonly rejections: readonly ReleaseNote[];
  /** The note that puts it in force without the approvals it lacks. */
  readonly tightening: ReleaseNote | undefined;
  /** What somebody else said of a tightening. */
  readonly confirmation: ReleaseNote | undefined;
  /** Why it cannot come into force, the weightiest first; empty if it can. */
  readonly against: readonly string[];
}

/** The number and the digest of a manifest. */
export function referenceOf({ manifest: { number }, digest }: ReadManifest): Reference {
  return { number, digest };
}

/** The digests of the evidence of a release, as a note names them. */
export function evidenceOf({ proof, impact }: Pick<Release, 'proof' | 'impact'>): Pick<NoteText, 'proof' | 'impact'> {
  const digestOf = (text: string | undefined) => (text === undefined ? null : digestOfCanonical(text));
  return { proof: digestOf(proof), impact: digestOf(impact) };
}

const isSame = (one: Reference | null, other: Reference | null) =>
  one?.number === other?.number && one?.digest === other?.digest;

/**
 * Judges a release on a base, at an instant. Throws RELEASE_REFUSED if anything of it was changed: a byte of a file, of
 * the manifest, of the evidence that a note names, or of a note.
 */
export function judge(release: Release, trust: Trust, base: Reference | null, now: number): Judged {
  const read = readManifest(release.manifest);
  const { manifest } = read;
  if (manifest.series !== trust.series) throw refused('the release is of another series than the one that is trusted');
  if (manifest.number !== release.number) throw refused('the manifest has another number than the release');
  if (release.content) checkContent(read, release.content);
  const proof = release.proof === undefined ? undefined : readProof(release.proof);
  const impact = release.impact === undefined ? undefined : readImpact(release.impact);
  const said = [release.notes, release.activation ?? []].flat();
  for (const note of said) checkNote(note, read, trust, evidenceOf(release));
  const saying = (verdict: ReleaseNote['verdict']) => release.notes.filter((note) => note.verdict === verdict);
  const { activation } = release;
  const isNamed = (note: ReleaseNote) => !activation || activation.notes?.includes(digestOfNote(note));
  const byOthers = (notes: readonly ReleaseNote[]) =>
    [...new Map(notes.map((note) => [note.by, note])).values()].filter(({ by }) => !isAuthor(by, manifest));
  const approvals = byOthers(saying('approve').filter(isNamed));
  // Who has all approvals needs nobody's confirmation.
  const alone = approvals.length < trust.approvals ? saying('tighten') : [];
  const tightening = alone.find((note) => isNamed(note) && !isInvited(note.by));
  const rejections = saying('reject').filter(({ at }) => !activation || at <= activation.at);
  const judged = {
    ...{ release, read, proof, impact, approvals, rejections, tightening },
    confirmation: byOthers(saying('confirm')).find(({ by }) => by !== tightening?.by),
  };
  return { ...judged, against: reasonsAgainst(judged, trust, base, now) };
}

/** An author of a release does not approve it, and who was invited approves nothing. */
export function isAuthor(by: string, { authors }: Manifest): boolean {
  return authors.includes(by) || isInvited(by);
}

/** Somebody who came in by an invitation. No issuer vouches for who that is. */
export function isInvited(by: string): boolean {
  return by.startsWith('invited ');
}

/** Which key a note needs: people confirm as they approve. */
const USE_OF = {
  approve: 'approve',
  reject: 'approve',
  confirm: 'approve',
  tighten: 'tighten',
  activate: 'activate',
} as const;

function checkNote(
  note: ReleaseNote,
  { manifest, digest }: ReadManifest,
  trust: Trust,
  evidence: ReturnType<typeof evidenceOf>,
): void {
  const what = `the note ${note.verdict} of release ${manifest.number}`;
  const problem = problemOfNote(note, new Map(Array.from(trust.keys, ([id, { key }]) => [id, key])));
  if (problem !== undefined) throw refused(`${what}: ${problem}`);
  const { uses, person, until } = trust.keys.get(note.keyId) as TrustedKey;
  if (!uses.includes(USE_OF[note.verdict])) throw refused(`${what} is signed with a key that is not trusted with it`);
  if (until !== undefined && note.at.slice(0, 10) > until) throw refused(`${what} is of a day after the key's last`);
  if (person !== undefined && person !== note.by) throw refused(`${what} is signed with the key of somebody else`);
  if (note.series !== manifest.series) throw refused(`${what} is of another series`);
  if (!isSame(note.release, { number: manifest.number, digest })) throw refused(`${what} is about another manifest`);
  if (!isSame(note.base, manifest.base)) throw refused(`${what} is about another base`);
  // What is rejected needs no evidence, and may get it afterwards.
  const isOther = (named: string | null, own: string | null) =>
    named !== own && !(note.verdict === 'reject' && named === null);
  if (isOther(note.proof, evidence.proof) || isOther(note.impact, evidence.impact))
    throw refused(`${what} is about other evidence`);
}

const DAY_MS = 86_400_000;

function reasonsAgainst(
  { read: { manifest }, proof, impact, approvals, rejections, tightening }: Omit<Judged, 'against'>,
  trust: Trust,
  base: Reference | null,
  now: number,
): readonly string[] {
  const against: string[] = [];
  if (manifest.language > LANGUAGE_VERSION) against.push('its policies are for a later version of verdict');
  if (!isSame(manifest.base, base))
    against.push(`it replaces ${nameOf(manifest.base)}, and ${nameOf(base)} is in force`);
  if (rejections.length > 0) against.push('it was rejected');
  if (!proof || !impact) return [...against, 'it has no evidence'];
  if (proof.check.errors.length > 0) against.push('its files have errors');
  if (proof.tests.failed.length > 0) against.push(`${proof.tests.failed.length} of its tests fail`);
  const open = proof.guarantees.filter(({ result }) => result === 'refuted' || result === 'undecided');
  for (const { policy, id, result } of open) against.push(`the guarantee ${id} of ${policy} is ${result}`);
  const until = Date.parse(`${proof.day}T00:00:00Z`) + (trust.evidenceDays + 1) * DAY_MS;
  if (now > until) against.push('its evidence is too old');
  // Somewhere it is a day later than in UTC.
  if (now < Date.parse(proof.day) - DAY_MS) against.push('its evidence is of a later day');
  if (tightening) against.push(...againstTightening(proof, impact, trust));
  else if (approvals.length < trust.approvals) {
    against.push(`it has ${approvals.length} of ${trust.approvals} approvals by people who did not write it`);
  }
  return against;
}

/** Why a release may not come into force by one person alone. */
export function againstTightening(proof: Proof, impact: Impact, { tighten }: Trust): readonly string[] {
  if (!tighten) return ['nobody is trusted to tighten rules alone'];
  const stricter = isStricter(proof);
  const share = changedShare(impact);
  if (stricter !== true)
    return [`it is ${stricter === 'undecided' ? 'not proved' : 'disproved'} that every change is stricter`];
  if (share <= tighten.atMost) return [];
  return [`it changes ${percent(share)} of the decisions, and one person alone may change ${percent(tighten.atMost)}`];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function nameOf(reference: Reference | null): string {
  return reference ? `release ${reference.number}` : 'no release';
}

/** Throws RELEASE_REFUSED unless a release was put in force rightly: by a trusted key, on the notes that it has. */
export function checkActivation({ release, read, against, approvals, tightening }: Judged): void {
  const { activation } = release;
  if (!activation) throw refused(`release ${read.manifest.number} was never put in force`);
  const [reason] = against;
  if (reason !== undefined) throw refused(`release ${read.manifest.number} cannot be in force: ${reason}`);
  const rests = new Set(restsOn({ approvals, tightening }).map(digestOfNote));
  if (!activation.notes?.every((each) => rests.has(each)))
    throw refused('the activation rests on other notes than the release has');
}

/** The notes that a release comes into force by. */
export function restsOn({ approvals, tightening }: Pick<Judged, 'approvals' | 'tightening'>): readonly ReleaseNote[] {
  return tightening ? [tightening] : approvals;
}
