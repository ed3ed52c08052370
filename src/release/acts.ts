/** What people do with releases: begin, propose, make evidence, say something, activate. Each act is in the log. */

import type { KeyObject } from 'node:crypto';
import { randomBytes, randomUUID } from 'node:crypto';
import { homeOfLog, type OpenAuditLog } from '../audit/log.ts';
import { addEvent } from '../audit/query/event.ts';
import { PROSE } from '../audit/query/note.ts';
import { unusable } from '../audit/store/io-errors.ts';
import { printable } from '../text.ts';
import { type Impact, readImpact } from './evidence/impact.ts';
import { type CountOf, countDecisions, type Evidence, type EvidenceOf, makeEvidence } from './evidence/make.ts';
import { type Proof, readProof } from './evidence/proof.ts';
import { checkTexts, refused, type Texts } from './files.ts';
import {
  againstTightening,
  evidenceOf,
  isAuthor,
  isInvited,
  type Judged,
  judge,
  referenceOf,
  restsOn,
} from './judge.ts';
import { type Content, makeManifest, type ReadManifest, readManifest } from './manifest.ts';
import { digestOfNote, type NoteText, readNote, signReleaseNote } from './note.ts';
import { namedPolicies } from './policies.ts';
import { openReleases, type Release, type ReleaseStore } from './store.ts';
import type { Trust } from './trust.ts';

/** Where releases are kept, and the log that has what was done. */
export interface Means {
  readonly log: OpenAuditLog;
  /** Makes evidence. Default: in this process. */
  readonly make?: (of: EvidenceOf) => Promise<Evidence>;
  /** Counts decisions. Default: in this process. */
  readonly count?: typeof countDecisions;
  /** Reads the policies of a proposal. Default: in this process. */
  readonly readPolicies?: typeof namedPolicies;
  readonly now?: () => number;
}

const storeOf = ({ log }: Means) => openReleases(homeOfLog(log));
const nowOf = ({ now = Date.now }: Means) => now();
const timeOf = (means: Means) => new Date(nowOf(means)).toISOString();

/** The log has the number and the digest of a release, and who acted, which is encrypted. */
async function tell(
  means: Means,
  what: 'proposed' | 'said' | 'activated',
  by: string,
  details: Record<string, string>,
  why = '',
) {
  const type = `release.${what}` as const;
  await addEvent({ log: means.log, type, by, why, details, subjects: {}, now: () => nowOf(means) });
}

/** Begins the series of a log, unless there is one. */
export async function beginSeries(means: Means): Promise<string> {
  const store = storeOf(means);
  await store.begin(randomUUID());
  return seriesOf(store);
}

async function seriesOf(store: ReleaseStore) {
  const series = await store.series();
  if (!series) throw unusable('this log has no releases: `verdict release init` begins them');
  return series;
}

/** The release in force; undefined before the first. */
async function releaseInForce(store: ReleaseStore, withContent = true): Promise<Release | undefined> {
  const number = await store.inForce();
  return number === 0 ? undefined : store.read(number, withContent);
}

/** What is proposed. */
export interface Proposal {
  readonly files: Texts;
  /** The file of the mapping. */
  readonly mapping: string;
  readonly title: string;
  /** The subjects of all who saved a file of it, first of who proposes it. */
  readonly authors: readonly string[];
  /** The number of the release that its authors saw in force. Default: the one that is. */
  readonly replaces?: number;
  readonly restores?: number;
  /** The log has it, encrypted. */
  readonly why?: string;
}

/**
 * Keeps a release that replaces the one in force. Throws `DiagnosticsError` if a policy or the mapping has errors, and
 * RELEASE_REFUSED for files that cannot be in a release, or that are those in force.
 */
export async function propose(means: Means, proposal: Proposal): Promise<ReadManifest> {
  const { mapping, title, authors, restores, replaces, why = '' } = proposal;
  const store = storeOf(means);
  const series = await seriesOf(store);
  const files = checkTexts(proposal.files);
  if (!Object.hasOwn(files, mapping))
    throw refused(`the files have no ${printable(mapping)}, which is to be the mapping`);
  const policies = await (means.readPolicies ?? namedPolicies)(files, mapping);
  const inForce = await releaseInForce(store);
  if (replaces !== undefined && replaces !== (inForce?.number ?? 0))
    throw refused('another release came into force in the meantime: look at it first');
  if (inForce?.content && isSameTexts(inForce.content.files, files)) throw refused('these files are in force already');
  const base = inForce ? referenceOf(readManifest(inForce.manifest)) : null;
  const content: Content = { salt: randomBytes(32).toString('hex'), files };
  for (;;) {
    const number = await store.nextNumber();
    const named = { series, number, base, title, authors: [...authors], createdAt: timeOf(means), mapping, policies };
    const read = makeManifest(content, restores === undefined ? named : { ...named, restores });
    // Another process may have taken the number first.
    if (!(await store.add(number, content, read.text))) continue;
    await tell(means, 'proposed', authors[0] ?? '', {
      release: `${number} ${read.digest}`,
      authors: authors.join('\n'),
      why,
    });
    return read;
  }
}

function isSameTexts(one: Texts, other: Texts): boolean {
  const paths = Object.keys(one);
  return paths.length === Object.keys(other).length && paths.every((path) => one[path] === other[path]);
}

/** Proposes the files of a release again that was in force, and so approved: its authors may approve them now. */
export async function restore(means: Means, number: number, by: string): Promise<ReadManifest> {
  const earlier = await readRelease(storeOf(means), number);
  if (!earlier.activation) throw refused(`release ${number} was never in force: propose its files instead`);
  const { manifest } = readManifest(earlier.manifest);
  const files = contentOf(earlier).files;
  return propose(means, {
    files,
    mapping: manifest.mapping,
    title: `Back to release ${number}`,
    authors: [by],
    restores: number,
  });
}

/** Throws RELEASE_REFUSED for a number without a release. */
export async function readRelease(store: ReleaseStore, number: number): Promise<Release> {
  const found = await store.read(number);
  if (found) return found;
  throw refused(`there is no release ${number}: see \`verdict release list\``);
}

function contentOf({ content, number }: Release): Content {
  if (content) return content;
  throw refused(`the files of release ${number} are gone: their key was removed`);
}

/** The day of a proof, yyyy-MM-dd, and the steps of the solver. */
export type ProofDay = Pick<EvidenceOf, 'day' | 'steps'>;

/** Makes the evidence of a release and keeps it. Throws RELEASE_REFUSED if it has another proof already. */
export async function addEvidence(means: Means, number: number, how: ProofDay) {
  const store = storeOf(means);
  const release = await readRelease(store, number);
  const { proof, impact } = await remakeEvidence(means, release, how);
  await store.put(number, 'proof', proof);
  if (impact !== undefined) await store.put(number, 'impact', impact);
  const kept = await readRelease(store, number);
  // Of two who make it at once, the proof of both is the same; the impact is that of the first.
  if (kept.proof !== proof) throw refused(`release ${number} has another proof already: propose it again`);
  return { proof: readProof(proof) as Proof, impact: readImpact(kept.impact ?? '') };
}

/** Makes the evidence of a release, on the release that it replaces. `isProofAlone`: without counting decisions. */
export async function remakeEvidence(
  means: Means,
  release: Release,
  how: ProofDay,
  isProofAlone = false,
): Promise<Evidence> {
  const { make = makeEvidence, log } = means;
  const counting = { place: log.place, until: timeOf(means), earlier: release.impact };
  return make({ ...(await filesOf(means, release)), ...how, ...(isProofAlone ? {} : { counting }) });
}

/** The files of a release, and of what it replaces. */
async function filesOf(means: Means, release: Release): Promise<CountOf> {
  const { base, mapping } = readManifest(release.manifest).manifest;
  const before = base ? await readRelease(storeOf(means), base.number) : undefined;
  return {
    ...{ mapping, files: contentOf(release).files, base: before && contentOf(before).files },
    baseMapping: before ? readManifest(before.manifest).manifest.mapping : mapping,
  };
}

/**
 * Counts the decisions since a release was proposed that it would have decided otherwise. The counts are not evidence,
 * and are not kept. Decisions that need a new velocity are not judged: the log does not have its counts.
 */
export async function countSinceProposed(means: Means, number: number): Promise<Impact> {
  const { log, count = countDecisions } = means;
  const release = await readRelease(storeOf(means), number);
  const { createdAt: from } = readManifest(release.manifest).manifest;
  const text = await count(await filesOf(means, release), { place: log.place, from, until: timeOf(means) });
  return readImpact(text) as Impact;
}

/** A release as it is now, judged on what is in force. */
export async function judgeNow(means: Means, number: number, trust: Trust): Promise<Judged> {
  const store = storeOf(means);
  const [release, inForce] = [await readRelease(store, number), await releaseInForce(store, false)];
  const { activation } = release;
  const base = activation ? activation.base : inForce ? referenceOf(readManifest(inForce.manifest)) : null;
  return judge(release, trust, base, activation ? Date.parse(activation.at) : nowOf(means));
}

/** What somebody says, and by which key. */
export interface Saying {
  readonly by: string;
  readonly verdict: Exclude<NoteText['verdict'], 'activate'>;
  /** Needed for `reject`; the log has it, encrypted. */
  readonly why?: string;
  /** Default: that of the service. */
  readonly key?: KeyObject | undefined;
}

/** What a person signs of a release. Throws RELEASE_REFUSED for a subject that is not one line of text. */
export function signNoteOf(
  release: Release,
  said: Pick<NoteText, 'by' | 'verdict' | 'at' | 'notes'>,
  key: KeyObject,
): string {
  const read = readManifest(release.manifest);
  const { series, base } = read.manifest;
  return signReleaseNote({ series, release: referenceOf(read), base, ...evidenceOf(release), ...said }, key);
}

/** Says something of a release: a signed note, and an event in the log. */
export async function sayOf(means: Means, number: number, trust: Trust, saying: Saying): Promise<Judged> {
  const { by, verdict, why, key = await storeOf(means).signingKey() } = saying;
  const release = await readRelease(storeOf(means), number);
  return addNote(means, number, trust, signNoteOf(release, { by, verdict, at: timeOf(means) }, key), why);
}

/** Keeps a note that somebody signed, perhaps elsewhere. */
export async function addNote(means: Means, number: number, trust: Trust, text: string, why = ''): Promise<Judged> {
  const [judged, note] = [await judgeNow(means, number, trust), readNote(text)];
  refuseSaying(judged, trust, note, why);
  // Judged as if it were kept: what a key that is not trusted has signed is not.
  const { release, read } = judged;
  judge({ ...release, notes: [...release.notes, note] }, trust, read.manifest.base, nowOf(means));
  await storeOf(means).putNote(number, text);
  await tell(means, 'said', note.by, { release: `${number} ${read.digest}`, verdict: note.verdict }, why);
  return judgeNow(means, number, trust);
}

function refuseSaying(judged: Judged, trust: Trust, { by, verdict }: NoteText, why: string): void {
  const { release, read, proof, impact, tightening } = judged;
  const { number } = read.manifest;
  const isOpen = release.activation === undefined;
  if (verdict === 'activate') throw refused('a release is put in force by `activate` alone');
  if (verdict === 'reject' && why.trim() === '') throw refused('a rejection needs a why');
  if (why !== '' && !PROSE.is(why)) throw refused(`expected a why that is ${PROSE.expected}`);
  if (verdict === 'confirm' && (isOpen || !tightening)) throw refused(`release ${number} waits for no confirmation`);
  if (verdict === 'confirm' && by === tightening?.by) throw refused('somebody else confirms a tightening');
  if (verdict !== 'confirm' && !isOpen) throw refused(`release ${number} was put in force already`);
  if (verdict === 'reject') return;
  if (!proof || !impact) throw refused(`release ${number} has no evidence yet: \`verdict release evidence\` makes it`);
  if (verdict === 'tighten') {
    const [reason] = isInvited(by)
      ? ['who was invited puts nothing in force']
      : againstTightening(proof, impact, trust);
    if (reason !== undefined) throw refused(`release ${number} needs approvals: ${reason}`);
  } else if (isAuthor(by, read.manifest)) throw refused('who wrote a release, or was invited, does not approve it');
}

/**
 * Puts a release in force, if it can be: the one way in, for each page and command. Making one file is the activation.
 * Of two on one base one succeeds, and whatever ends the process, the release is in force or is not. The event follows;
 * the next activation, or a service that loads it, records one that is missing.
 */
export async function activate(
  means: Means,
  number: number,
  trust: Trust,
  { by, key }: { by: string; key?: KeyObject | undefined },
) {
  const store = storeOf(means);
  await checkProof(means, await judgeToActivate(means, number, trust));
  // Somebody may have said something meanwhile.
  const judged = await judgeToActivate(means, number, trust);
  const said = { by, verdict: 'activate', at: timeOf(means), notes: restsOn(judged).map(digestOfNote).sort() } as const;
  const note = signNoteOf(judged.release, said, key ?? (await store.signingKey()));
  const { base } = judged.read.manifest;
  const activated = { ...judged.release, activation: readNote(note) };
  judge(activated, trust, base, nowOf(means));
  if (!(await store.put(base?.number ?? 0, 'next', note))) throw refused('another release was put in force meanwhile');
  await tellActivations(means);
  return judgeNow(means, number, trust);
}

async function judgeToActivate(means: Means, number: number, trust: Trust): Promise<Judged> {
  const judged = await judgeNow(means, number, trust);
  if (judged.release.activation) throw refused(`release ${number} was put in force already`);
  const [reason] = judged.against;
  if (reason !== undefined) throw refused(`release ${number} cannot be put in force: ${reason}`);
  return judged;
}

/** The proof is made again, not believed. */
async function checkProof(means: Means, { release, proof }: Judged): Promise<void> {
  const { day, steps } = proof as Proof;
  const again = await remakeEvidence(means, release, { day, steps }, true);
  if (again.proof !== release.proof) throw refused('its proof, made again, is another one');
}

/** Records the event of each activation that has none, as after a crash between the two; perhaps once more. */
export async function tellActivations(means: Means): Promise<void> {
  const store = storeOf(means);
  const told = new Set(await store.told());
  for (const { release, by } of await store.activations()) {
    if (told.has(release.number)) continue;
    await tell(means, 'activated', by, { release: `${release.number} ${release.digest}` });
    await store.put(release.number, 'told', '');
  }
}
