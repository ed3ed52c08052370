/** Cases of a target, tried in child processes with limits of time and memory -> the broken promises. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const CHILD = join(import.meta.dirname, 'child.ts');
const TARGETS = join(import.meta.dirname, 'targets.ts');

/** What a child process writes, a line each. */
export type Told =
  | { readonly began: number }
  | { readonly broken: string; readonly number: number }
  | { readonly mostBytes: number };

/** The limits of one case. */
export interface Limits {
  /** Of processor time where the system tells it, so that a busy machine makes no case late. */
  readonly caseMs: number;
  /** Of the heap of the process, which also holds the program itself. */
  readonly heapMb: number;
}

/** A case that broke a promise or a limit. */
export interface Finding {
  readonly number: number;
  readonly problem: string;
}

export interface Watched {
  readonly findings: readonly Finding[];
  /** The most memory that one of the processes had. */
  readonly mostBytes: number;
}

interface Batch {
  readonly name: string;
  readonly seed: number;
  readonly from: number;
  readonly cases: number;
  /** The module of the targets. Default: all targets of the program. */
  readonly targets?: string;
}

/** Tries all cases; after one that ends its process, the next process goes on with the case behind it. */
export async function watchCases(batch: Batch, limits: Limits): Promise<Watched> {
  const end = batch.from + batch.cases;
  const findings: Finding[] = [];
  let mostBytes = 0;
  for (let from = batch.from; from < end; ) {
    const run = await runChild({ ...batch, from, cases: end - from }, limits);
    findings.push(...run.findings);
    mostBytes = Math.max(mostBytes, run.mostBytes);
    from = run.next;
  }
  return { findings, mostBytes };
}

interface ChildRun extends Watched {
  /** The case behind the last one tried. */
  readonly next: number;
}

/** How long a case may take that uses little of the processor: it waits, or others use the machine. */
const WAIT_MS = 5 * 60_000;

/** The processor time of a process; NaN where the system does not tell it, so that no comparison holds. */
function processorMs(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name in brackets, the 12th and the 13th field are ticks of 10 ms.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

function runChild({ name, seed, from, cases, targets = TARGETS }: Batch, limits: Limits): Promise<ChildRun> {
  const words = [CHILD, targets, name, seed, from, cases].map(String);
  const child = spawn(process.execPath, [`--max-old-space-size=${limits.heapMb}`, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const findings: Finding[] = [];
  let [began, mostBytes, isLate, errors]: [number | undefined, number, boolean, string] = [undefined, 0, false, ''];
  let timer: NodeJS.Timeout | undefined;
  const startClock = (number: number, usedMs = processorMs(child.pid), beganAt = performance.now()) => {
    clearTimeout(timer);
    const endLate = () => {
      if (number !== began) return;
      const isStarved = processorMs(child.pid) - usedMs < limits.caseMs;
      if (isStarved && performance.now() - beganAt < WAIT_MS) return startClock(number, usedMs, beganAt);
      isLate = true;
      child.kill('SIGKILL');
    };
    // If this process itself was late, lines are waiting: they are read first.
    timer = setTimeout(() => setImmediate(endLate), limits.caseMs);
  };
  child.stderr.on('data', (text) => {
    errors = `${errors}${text}`.slice(-2000);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const told: Told = JSON.parse(line);
    if ('began' in told) {
      began = told.began;
      startClock(began);
    } else if ('broken' in told) findings.push({ number: told.number, problem: told.broken });
    else mostBytes = told.mostBytes;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0 && !isLate) return resolve({ findings, mostBytes, next: from + cases });
      if (began === undefined) return reject(new Error(`the process ended before its first case: ${errors}`));
      const isFull = /heap out of memory|Reached heap limit/.test(errors);
      const limit = isLate ? `took more than ${limits.caseMs} ms` : `needed more than ${limits.heapMb} MB of heap`;
      const problem = isLate || isFull ? limit : `ended the process (${code ?? signal}): ${errors}`;
      resolve({ findings: [...findings, { number: began, problem }], mostBytes, next: began + 1 });
    });
  });
}
