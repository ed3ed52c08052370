/** Releases and whom operations trust -> for each whether it is sound: its bytes, its notes and its activation. */

import { homeOfLog } from '../audit/log.ts';
import { VerdictError } from '../errors.ts';
import { type Means, readRelease, remakeEvidence } from './acts.ts';
import { readProof } from './evidence/proof.ts';
import { refused } from './files.ts';
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
export function verifyReleases(releases: readonly Release[], trust: Trust): Promise<readonly Verified[]> {
  return Promise.all(releases.map((release) => verifyOne(release.number, trust, async () => release)));
}

/** `more`: what else is sound of it, in words. */
async function verifyOne(
  number: number,
  trust: Trust,
  read: () => Promise<Release>,
  more: (release: Release) => Promise<string> = async () => '',
): Promise<Verified> {
  try {
    const release = await read();
    const { base } = readManifest(release.manifest).manifest;
    const at = release.activation ? Date.parse(release.activation.at) : 0;
    const judged = judge(release, trust, base, at);
    if (release.activation) checkActivation(judged);
    const state = release.activation ? `put in force ${release.activation.at}` : 'not put in force';
    const files = release.content ? '' : '; its files are gone';
    return { number, words: `sound, ${state}${files}${await more(release)}` };
  } catch (error) {
    if (!VerdictError.is(error)) throw error;
    return { number, words: '', problem: error.message };
  }
}

/** Verifies the releases of a log, or one. `rerun`: whether its evidence is made again. */
export async function verifyLogReleases(
  means: Means,
  trust: Trust,
  { number, rerun = false }: { readonly number?: number | undefined; readonly rerun?: boolean } = {},
): Promise<readonly Verified[]> {
  const store = openReleases(homeOfLog(means.log));
  const more = async (release: Release) => {
    if (!rerun || release.proof === undefined) return '';
    const { day, steps } = readProof(release.proof) ?? { day: '', steps: 1 };
    const { proof, again } = await remakeEvidence(means, release, { day, steps });
    if (proof !== release.proof) throw refused('its proof, made again, is another one');
    const gone = again && again.gone > 0 ? `, of whose records ${again.gone} are gone` : '';
    const impact = again?.isSame ? 'and so is its impact' : `its impact is another one${gone}`;
    return `; its proof is made again to the byte, ${impact}`;
  };
  const activations = store.activations();
  activations.catch(() => {});
  const found: Verified[] = [];
  for (const each of number === undefined ? await store.numbers() : [number]) {
    const read = async () => {
      if ((await store.series()) !== trust.series) throw refused('these are the releases of another series');
      await activations;
      return readRelease(store, each);
    };
    found.push(await verifyOne(each, trust, read, more));
  }
  return found;
}
