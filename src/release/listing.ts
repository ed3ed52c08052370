/** Releases -> what lists and commands say of them: data, and lines for people. */

import { changeLines, doubtLines } from './evidence/words.ts';
import type { Judged } from './judge.ts';
import { readManifest } from './manifest.ts';
import type { ReleaseNote } from './note.ts';
import type { Release, ReleaseStore } from './store.ts';

/** `replaced`: it was in force once. `overtaken`: another was put in force on its base. */
export type ReleaseState = 'proposed' | 'rejected' | 'in force' | 'replaced' | 'overtaken';

export interface ListedRelease {
  readonly number: number;
  readonly state: ReleaseState;
  readonly title: string;
  readonly authors: readonly string[];
  /** The subjects of those who approved, or tightened. */
  readonly approvals: readonly string[];
  readonly createdAt: string;
  readonly activatedAt?: string;
}

/** `inForce`: the number of the release in force; 0 for none. */
export function stateOf({ number, manifest, notes, activation }: Release, inForce: number): ReleaseState {
  if (number === inForce) return 'in force';
  if (activation) return 'replaced';
  const { base } = readManifest(manifest).manifest;
  if ((base?.number ?? 0) !== inForce) return 'overtaken';
  return notes.some(({ verdict }) => verdict === 'reject') ? 'rejected' : 'proposed';
}

/** The newest first. */
export async function listReleases(store: ReleaseStore): Promise<readonly ListedRelease[]> {
  const inForce = await store.inForce();
  const listed = (await store.readAll()).map((release): ListedRelease => {
    const { title, authors, createdAt } = readManifest(release.manifest).manifest;
    const { number, notes, activation } = release;
    return {
      ...{ number, title, authors, createdAt, state: stateOf(release, inForce) },
      approvals: notes.filter(({ verdict }) => verdict === 'approve' || verdict === 'tighten').map(({ by }) => by),
      ...(activation ? { activatedAt: activation.at } : {}),
    };
  });
  return listed.reverse();
}

/** What programs read of a release. */
export function judgedData({ read, release, proof, impact, against }: Judged) {
  const said = ({ verdict, by, at, keyId }: ReleaseNote) => ({ verdict, by, at, key: keyId });
  const { activation, notes } = release;
  return {
    ...{ digest: read.digest, manifest: read.manifest, proof: proof ?? null, impact: impact ?? null },
    ...{ notes: notes.map(said), activation: activation ? said(activation) : null, against },
  };
}

/** What people read: who said what, what a checker should doubt, and what is missing. */
export function judgedLines({ read, release, proof, impact, against }: Judged): readonly string[] {
  const { number, title, authors, base } = read.manifest;
  const { activation, notes } = release;
  return [
    `release ${number}: ${title}`,
    `  ${read.digest}`,
    `  by ${authors.join(', ')}; replaces ${base ? `release ${base.number}` : 'nothing'}`,
    ...(proof ? [...doubtLines(proof), ...changeLines(proof, impact)].map((line) => `  ${line}`) : []),
    ...notes.map(({ verdict, by, at }) => `  ${at} ${SAID[verdict]} ${by}`),
    ...(activation ? [`  ${activation.at} put in force by ${activation.by}`] : []),
    ...(activation || against.length > 0 ? [] : ['  it can be put in force']),
    ...(activation ? [] : against.map((reason) => `  not yet: ${reason}`)),
  ];
}

const SAID = {
  approve: 'approved by',
  reject: 'rejected by',
  tighten: 'tightened by',
  confirm: 'confirmed by',
  activate: 'put in force by',
} as const;
