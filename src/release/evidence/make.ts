/** The files of a release and of what it replaces -> its evidence, as texts: here, or in a process of its own. */

import type { LogPlace } from '../../audit/place.ts';
import { VerdictError } from '../../errors.ts';
import { Thread } from '../../platform/thread.ts';
import type { Policy } from '../../policy/language.ts';
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
  const sources = { place: counting.place, ...policiesOf(files, base, of) };
  const earlier = counting.earlier === undefined ? undefined : readImpact(counting.earlier);
  // What was counted once is counted again: the same days, as far as the log has them.
  const again = earlier && (await rerunImpact(earlier, sources));
  const impact = impactText(again?.impact ?? (await makeImpact({ ...sources, until: counting.until })));
  return { proof, impact, again: again && { isSame: again.isSame, gone: again.gone } };
}

/** The policies of both folders by name. */
function policiesOf(files: string, base: string | undefined, { mapping, baseMapping }: CountOf) {
  const read = (folder: string, name: string) =>
    new Map(Array.from(policiesIn(folder, name), ([policy, found]) => [policy, found.policy]));
  return {
    base: base === undefined ? new Map<string, Policy>() : read(base, baseMapping),
    release: read(files, mapping),
  };
}

/** What decisions on record are counted by. */
export type CountOf = Pick<EvidenceOf, 'files' | 'base' | 'mapping' | 'baseMapping'>;

/** The impact of the decisions from one instant to another, as a text. Throws as `makeEvidence` does. */
export async function countDecisions(
  of: CountOf,
  counting: { readonly place: LogPlace; readonly from: string; readonly until: string },
): Promise<string> {
  return inFolder(of.files, (files) => {
    const work = async (base?: string) => impactText(await makeImpact({ ...counting, ...policiesOf(files, base, of) }));
    return of.base ? inFolder(of.base, work) : work();
  });
}

/** What the process of `evidence-process.ts` offers. */
export type EvidenceFunctions = { readonly make: typeof makeEvidence; readonly count: typeof countDecisions };

/** The same in a process that ends, beside one that decides: the solver keeps its memory, and takes its time. */
export function makeEvidenceElsewhere(of: EvidenceOf): Promise<Evidence> {
  return elsewhere((process) => process.call('make', of));
}

/** `countDecisions` in such a process. */
export const countDecisionsElsewhere: typeof countDecisions = (...of) =>
  elsewhere((process) => process.call('count', ...of));

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
