/** The service, a release and its reader -> what its pages show, and what its forms do. */

import { homeOfLog } from '../../../../audit/log.ts';
import { VerdictError } from '../../../../errors.ts';
import { OUTCOMES } from '../../../../policy/language.ts';
import type { Means } from '../../../../release/acts.ts';
import { activate, judgeNow, restore, sayOf } from '../../../../release/acts.ts';
import { makeEvidenceElsewhere } from '../../../../release/evidence/make.ts';
import { againstTightening, isAuthor, type Judged } from '../../../../release/judge.ts';
import { type ListedRelease, listReleases, stateOf } from '../../../../release/listing.ts';
import { openReleases, type Release, type ReleaseStore } from '../../../../release/store.ts';
import { hasRole } from '../../../auth/roles.ts';
import type { Person } from '../../../auth/sessions.ts';
import { ProblemError } from '../../../problem.ts';
import type { Released } from '../../../released.ts';
import type { Service } from '../../../service.ts';
import type { ReleaseData, ReleasesData } from '../../pages/release-pages.ts';
import { RELEASES } from '../../words/releases.ts';
import { differenceOf } from './text-difference.ts';

/** Releases and their log. Throws NOT_FOUND where the files of a folder are in force. */
export function releasedOf({ released, audit }: Service): { readonly released: Released; readonly means: Means } {
  if (!released || !audit) throw new ProblemError('NOT_FOUND', 'this service has no releases: see docs/releases.md');
  // Reading them here would make the callers of decisions wait.
  const readPolicies: Means['readPolicies'] = (files, mapping) => released.worker.ask('policies', files, mapping);
  return { released, means: { log: audit, make: makeEvidenceElsewhere, readPolicies } };
}

/** What refuses a release is the answer of a form, in words. */
export async function orProblem<Done>(work: Promise<Done>): Promise<Done> {
  return work.catch((error: unknown) => {
    if (VerdictError.is(error) && error.code === 'RELEASE_REFUSED')
      throw new ProblemError('REQUEST_INVALID', error.message);
    throw error;
  });
}

/** The releases of a service. */
export const storeOf = ({ log }: Means): ReleaseStore => openReleases(homeOfLog(log));

export async function releasesData(person: Person, service: Service): Promise<ReleasesData> {
  const { released, means } = releasedOf(service);
  const mayEdit = hasRole(person, ['edit']);
  const drafts = mayEdit ? await orProblem(released.drafts.readAll()) : [];
  const releases = await orProblem(listReleases(storeOf(means)));
  return { mayEdit, drafts, inForce: released.inForce(), releases, decided: await decidedBy(releases, service) };
}

/** What was decided while each release was in force, by its number; nothing while the index is being made. */
async function decidedBy(releases: readonly ListedRelease[], { records }: Service): Promise<ReleasesData['decided']> {
  if (!records?.follower.isReady) return new Map();
  let until = Date.now();
  const decided = new Map<number, { readonly decisions: number; readonly reviews: number }>();
  for (const { number, activatedAt } of releases) {
    if (activatedAt === undefined) continue;
    const from = Date.parse(activatedAt);
    const terms = OUTCOMES.map((text) => ({ kind: 'outcome', text }));
    const counts = await records.index.counts(terms, { from, until });
    const reviews = counts[OUTCOMES.indexOf('review')] ?? 0;
    decided.set(number, { reviews, decisions: counts.reduce((sum, count) => sum + count, 0) });
    until = from;
  }
  return decided;
}

/** The number of a release in a path. */
export function numberOf(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new ProblemError('NOT_FOUND');
  return Number(text);
}

async function judgedOf(id: string, service: Service): Promise<Judged> {
  const { released, means } = releasedOf(service);
  return orProblem(judgeNow(means, numberOf(id), released.trust));
}

/** An approval is given within this time after a sign-in. */
const FRESH_MS = 5 * 60_000;

/** Whether somebody has just shown who they are; people of a trial have nothing to show. */
function isFresh({ authenticatedAt }: Person, { access }: Service): boolean {
  if (!access?.signIn) return access?.isTrial ?? false;
  return authenticatedAt !== undefined && Date.now() - authenticatedAt < FRESH_MS;
}

export async function releaseData(id: string, person: Person, service: Service): Promise<ReleaseData> {
  const { released, means } = releasedOf(service);
  const judged = await judgedOf(id, service);
  const { release, read, proof, impact, tightening, confirmation } = judged;
  const store = storeOf(means);
  const base = read.manifest.base && (await store.read(read.manifest.base.number));
  const state = stateOf(release, await store.inForce());
  const loaded = released.inForce();
  return {
    ...{ judged, state, evidence: released.evidence.stateOf(release.number) },
    refused: state === 'in force' && loaded.number !== release.number ? loaded.refused : undefined,
    edited: editedFiles(release, base ?? undefined, hasRole(person, ['edit', 'approve'])),
    may: {
      edit: hasRole(person, ['edit']) && state !== 'overtaken',
      approve: hasRole(person, ['approve']),
      tighten:
        hasRole(person, ['tighten']) && proof && impact
          ? againstTightening(proof, impact, released.trust).length === 0
          : false,
      confirm:
        hasRole(person, ['approve']) && tightening !== undefined && !confirmation && tightening.by !== person.subject,
    },
    isOwn: isAuthor(person.subject, read.manifest),
    hasApproved: judged.approvals.some(({ by }) => by === person.subject),
    isFresh: isFresh(person, service),
    watched: released.evidence.watched(release.number),
  };
}

/** The files that differ from those of what is replaced; how, for who may see the rules. */
function editedFiles({ content }: Release, base: Release | undefined, maySee: boolean): ReleaseData['edited'] {
  const [now, old] = [content?.files ?? {}, base?.content?.files ?? {}];
  const paths = [...new Set([...Object.keys(now), ...Object.keys(old)])].filter((path) => now[path] !== old[path]);
  return paths.sort().map((path) => {
    const difference = maySee && base ? differenceOf(old[path] ?? '', now[path] ?? '') : undefined;
    return { path, difference };
  });
}

/** What a form says; `read`: that its sender has read what to doubt. */
export interface Said {
  readonly verdict: 'approve' | 'reject' | 'tighten' | 'confirm';
  readonly read?: 'yes' | undefined;
  readonly why?: string | undefined;
}

/** Says something of a release, as a page may. Throws FORBIDDEN for who may not, or has not just signed in. */
export async function say(
  id: string,
  { verdict, read, why = '' }: Said,
  person: Person,
  service: Service,
): Promise<void> {
  const { released, means } = releasedOf(service);
  if (!hasRole(person, [verdict === 'tighten' ? 'tighten' : 'approve'])) throw new ProblemError('FORBIDDEN');
  if (!isFresh(person, service)) throw new ProblemError('FORBIDDEN', 'sign in again first: nothing was recorded');
  if (verdict === 'approve' && !read) throw new ProblemError('REQUEST_INVALID', RELEASES.unread);
  await orProblem(sayOf(means, numberOf(id), released.trust, { by: person.subject, verdict, why }));
  if (verdict === 'tighten') await putInForce(id, person, service);
}

export async function putInForce(id: string, { subject: by }: Person, service: Service): Promise<void> {
  const { released, means } = releasedOf(service);
  await orProblem(activate(means, numberOf(id), released.trust, { by }));
}

/** Proposes the files of a release again; resolves with the number of the new one. */
export async function proposeAgain(id: string, { subject }: Person, service: Service): Promise<number> {
  const { released, means } = releasedOf(service);
  const { manifest } = await orProblem(restore(means, numberOf(id), subject));
  released.evidence.start(manifest.number);
  return manifest.number;
}
