/** A sample of random cases -> the result of comparing all runners on it, with the lots shared between cores. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Sample, seekDisagreement, type Tried } from './agreement.ts';
import { runnersOn } from './runners.ts';
import { startDuckDb } from './sql-engines.ts';

/** The result of all lots. */
export interface Agreement extends Tried {
  /** Milliseconds of one core, by runner. */
  readonly ms: Readonly<Record<string, number>>;
}

/** The lots of one worker: from the first on, in steps. */
interface Part extends Sample {
  readonly first: number;
  readonly step: number;
  readonly folder: string;
  /** Not 0 once a worker has a finding. */
  readonly ended: Int32Array;
}

/** Policies of a lot. Each lot has its own seed, so the cases do not depend on the number of workers. */
const LOT = 100;

/** Marks our own workers, since this file can also be imported in another worker. */
const NAME = 'agreement';

if (!isMainThread && workerData?.name === NAME) await work(workerData.part as Part);

async function work({ seed, policies, applicants, first, step, folder, ended }: Part): Promise<void> {
  const engine = await startDuckDb();
  const runners = runnersOn(engine);
  for (let lot = first; lot * LOT < policies && Atomics.load(ended, 0) === 0; lot += step) {
    const ms: Record<string, number> = {};
    const sample = { seed: seedOf(seed, lot), policies: Math.min(LOT, policies - lot * LOT), applicants };
    const tried = await seekDisagreement(runners, sample, folder, (runner, taken) => {
      ms[runner] = (ms[runner] ?? 0) + taken;
    });
    parentPort?.postMessage({ ...tried, ms } satisfies Agreement);
    if (tried.finding) Atomics.store(ended, 0, 1);
  }
  await engine?.close();
}

/** Mixes a seed, so that lots of adjacent seeds do not overlap. */
function seedOf(seed: number, lot: number): number {
  return seed ^ Math.imul(lot + 1, 0x9e3779b1);
}

/**
 * Compares all runners on a sample. A finding ends every worker after its lot. `progress` gets the number of
 * policies tried so far.
 */
export async function seekOnCores(
  sample: Sample,
  jobs: number,
  progress: (policies: number) => void = () => {},
): Promise<Agreement> {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-agreement-'));
  let policies = 0;
  let finding: Agreement['finding'];
  const ms: Record<string, number> = {};
  const ended = new Int32Array(new SharedArrayBuffer(4));
  const run = (first: number) => {
    const part: Part = { ...sample, first, step: jobs, folder: join(folder, String(first)), ended };
    const worker = new Worker(new URL(import.meta.url), { workerData: { name: NAME, part } });
    return new Promise<void>((resolve, reject) => {
      worker.on('message', (lot: Agreement) => {
        policies += lot.policies;
        for (const [runner, taken] of Object.entries(lot.ms)) ms[runner] = (ms[runner] ?? 0) + taken;
        progress(policies);
        finding ??= lot.finding;
      });
      worker.on('error', reject);
      worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
    });
  };
  try {
    await Promise.all(Array.from({ length: jobs }, (_, first) => run(first)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { policies, ms, ...(finding ? { finding } : {}) };
}
