/** The files of a release and of what it replaces -> its evidence, as texts: here, or in a process of its own. */

import type { LogPlace } from '../../audit/place.ts';
import { VerdictError } from '../../errors.ts';
import { Thread } from '../../platform/thread.ts';
import { inFolder, type Texts } from '../files.ts';
import { policiesIn } from '../policies.ts';
import { impactText, makeImpact, readImpact, rerunImpact } from './impact.ts';
import { makeProof, proofText } from './proof.ts';

/** What evidence is of. */
export interface EvidenceOf {
  readonly files: Texts;
  readonly base: Texts | undefined;
  readonly mapping: string;
  readonly baseMapping: string;
  /** The day of the proof, yyyy-MM-dd. */
  readonly day: string;
  readonly steps?: number;
  /** The log whose decisions are counted, until when; or how they were counted before. Absent for the proof alone. */
  readonly counting?: { readonly place: LogPlace; readonly until: string; readonly earlier?: string | undefined };
}

export interface Evidence {
  readonly proof: string;
  /** Undefined if nothing was to be counted. */
  readonly impact: string | undefined;
  /** Of an impact that was counted before: whether it is the same, and how many of its records are gone. */
  readonly again: { readonly isSame: boolean; readonly gone: number } | undefined;
}

/** Makes evidence. Throws what reading a policy throws, and what the log does. */
export async function makeEvidence(of: EvidenceOf): Promise<Evidence> {
  return inFolder(of.files, (files) => {
    const work = (base?: string) => makeIn(files, base, of);
    return of.base ? inFolder(of.base, work) : work();
  });
}

async function makeIn(files: string, base: string | undefined, of: EvidenceOf): Promise<Evidence> {
  const { mapping, baseMapping, day, steps, counting } = of;
  const stepping = steps === undefined ? {} : { steps };
  const proof = proofText(await makeProof({ files, base, mapping, baseMapping, day, ...stepping }));
  if (!counting) return { proof, impact: undefined, again: undefined };
  const read = (folder: string, name: string) =>
    new Map(Array.from(policiesIn(folder, name), ([policy, found]) => [policy, found.policy]));
  const before = base === undefined ? new Map() : read(base, baseMapping);
  const sources = { place: counting.place, base: before, release: read(files, mapping) };
  const earlier = counting.earlier === undefined ? undefined : readImpact(counting.earlier);
  // What was counted once is counted again: the same days, as far as the log has them.
  const again = earlier && (await rerunImpact(earlier, sources));
  const impact = impactText(again?.impact ?? (await makeImpact({ ...sources, until: counting.until })));
  return { proof, impact, again: again && { isSame: again.isSame, gone: again.gone } };
}

/** What the process of `evidence-process.ts` offers. */
export type EvidenceFunctions = { readonly make: typeof makeEvidence };

/** The same in a process that ends, beside one that decides: the solver keeps its memory, and takes its time. */
export function makeEvidenceElsewhere(of: EvidenceOf): Promise<Evidence> {
  return elsewhere((process) => process.call('make', of));
}

async function elsewhere<Result>(work: (process: Thread<EvidenceFunctions>) => Promise<Result>): Promise<Result> {
  const process = new Thread<EvidenceFunctions>('release/evidence/evidence-process', undefined, { isProcess: true });
  try {
    return await work(process);
  } catch (error) {
    if (VerdictError.is(error)) throw error;
    const what = 'the process that makes evidence has ended; it needs about 500 MB of memory for a while';
    throw new VerdictError('SOLVER_FAILED', what, { cause: error });
  } finally {
    await process.end();
  }
}
