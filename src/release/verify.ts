/** Releases and whom operations trust -> for each whether every byte, note and activation is what it has to be. */

import { homeOfLog } from '../audit/log.ts';
import { VerdictError } from '../errors.ts';
import { type Means, remakeEvidence } from './acts.ts';
import { readProof } from './evidence/proof.ts';
import { checkActivation, judge } from './judge.ts';
import { readManifest } from './manifest.ts';
import { openReleases, type Release } from './store.ts';
import type { Trust } from './trust.ts';

export interface Verified {
  readonly number: number;
  /** What is sound, in words. */
  readonly words: string;
  /** Undefined if it is sound. */
  readonly problem?: string;
}

/** Verifies releases by themselves: what they replace is what they say. */
export async function verifyReleases(
  releases: readonly Release[],
  trust: Trust,
  more: (release: Release) => Promise<string> = async () => '',
): Promise<readonly Verified[]> {
  const found: Verified[] = [];
  for (const release of releases) {
    const { number } = release;
    try {
      const { base } = readManifest(release.manifest).manifest;
      const at = release.activation ? Date.parse(release.activation.at) : 0;
      const judged = judge(release, trust, base, at);
      if (release.activation) checkActivation(judged);
      const state = release.activation ? `put in force ${release.activation.at}` : 'not put in force';
      found.push({ number, words: `sound, ${state}${await more(release)}` });
    } catch (error) {
      if (!VerdictError.is(error)) throw error;
      found.push({ number, words: '', problem: error.message });
    }
  }
  return found;
}

/** Verifies the releases of a log, or one. `rerun`: whether its evidence is made again. */
export async function verifyLogReleases(
  means: Means,
  trust: Trust,
  { number, rerun = false }: { readonly number?: number | undefined; readonly rerun?: boolean } = {},
): Promise<readonly Verified[]> {
  const store = openReleases(homeOfLog(means.log));
  const numbers = number === undefined ? await store.numbers() : [number];
  const releases: Release[] = [];
  for (const each of numbers) {
    const found = await store.read(each);
    if (found) releases.push(found);
  }
  return verifyReleases(releases, trust, async (release) => {
    if (!rerun || release.proof === undefined) return '';
    const { day, steps } = readProof(release.proof) ?? { day: '', steps: 1 };
    const { proof, again } = await remakeEvidence(means, release, { day, steps });
    if (proof !== release.proof) throw new VerdictError('RELEASE_REFUSED', 'its proof, made again, is another one');
    const gone = again && again.gone > 0 ? `, of whose records ${again.gone} are gone` : '';
    const impact = again?.isSame ? 'and so is its impact' : `its impact is another one${gone}`;
    return `; its proof is made again to the byte, ${impact}`;
  });
}
