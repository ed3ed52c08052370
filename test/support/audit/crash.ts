/**
 * A seed -> a log written by processes that fail and are killed. The machine crashes at their calls, and each state is
 * opened and compared with the acknowledged records.
 */

import { v7 as uuidV7 } from 'uuid';
import { type ChainWriter, isChainName, openChain } from '../../../src/audit/store/chain.ts';
import { type Files, readWhole } from '../../../src/audit/store/files.ts';
import { readSegment, SEGMENTS, tornName } from '../../../src/audit/store/segment.ts';
import { VerdictError } from '../../../src/errors.ts';
import type { ProcessId } from '../../../src/platform/process.ts';
import { pick, type Random, randomOf } from '../facts/mutate.ts';
import { type Acknowledged, appendTo, checkLog, markBody } from './check.ts';
import { type Call, Disk, type Fate, type Watcher } from './disk.ts';

/** The crashes to try. */
export interface CrashSetting {
  readonly seed: number;
  readonly states: number;
  /** Wraps the file system, such as with a planted bug. */
  readonly wrap?: (files: Files) => Files;
  /** Stops at the first broken state. */
  readonly isFirstEnough?: boolean;
}

/** The result. */
export interface CrashReport {
  /** Crashes of the machine, including those during a recovery. */
  readonly crashes: number;
  readonly states: number;
  /** Acknowledged records, counted once for each state that was checked for them. */
  readonly records: number;
  readonly killed: number;
  readonly failedCalls: number;
  /** Tails that were set aside. */
  readonly torn: number;
  /** Broken promises, a sentence each. */
  readonly broken: readonly string[];
}

const LOG = '01900000-0000-7000-8000-000000000000';

/** The log on a disk. */
const logAmong = (files: Files) => ({ dir: { files, path: '/log' }, keys: { files, path: '/keys' }, log: LOG });

/** The share of states before calls that are tried: another log shows more than the next call. */
const KEPT = 0.3;

/** The disk after a crash, and the records acknowledged before it. */
interface State {
  readonly disk: Disk;
  readonly acknowledged: Acknowledged;
  /** How often the clock was read. */
  readonly ticks: number;
}

/** Readings of the clock in one day: the first record of a later day ends a segment. */
const TICKS_PER_DAY = 40;

/** A machine: a disk, and the processes that run. */
class Machine {
  readonly disk: Disk;
  readonly acknowledged: Acknowledged;
  #ticks: number;
  readonly #boot = uuidV7();
  readonly #running = new Set<number>();
  readonly #wrap: (files: Files) => Files;

  constructor({ disk, acknowledged, ticks }: State, wrap: (files: Files) => Files) {
    this.disk = disk;
    this.acknowledged = acknowledged;
    this.#ticks = ticks;
    this.#wrap = wrap;
  }

  /** The state after a crash now. */
  crash(random?: Random): State {
    return { disk: this.disk.crash(random), acknowledged: new Map(this.acknowledged), ticks: this.#ticks };
  }

  /** Opens the log in a process of its own. */
  open(pid: number, segmentBytes: number, watch: Watcher): Promise<ChainWriter> {
    this.#running.add(pid);
    const self = (): ProcessId => ({ pid, host: 'here', start: null, space: null, boot: this.#boot, machine: null });
    return openChain({
      ...logAmong(this.#wrap(this.disk.view(watch))),
      ...{ engine: '0.1.0', segmentBytes, encrypt: markBody },
      now: () => Date.UTC(2026, 10, 20 + Math.floor(this.#ticks++ / TICKS_PER_DAY)),
      processes: { self, isRunning: ({ pid, boot }) => boot === this.#boot && this.#running.has(pid) },
    });
  }

  end(pid: number): void {
    this.#running.delete(pid);
  }

  /** Appends a record, and notes it once it is acknowledged. */
  async append(writer: ChainWriter): Promise<void> {
    const { id, appended } = await appendTo(writer);
    this.acknowledged.set(id, appended);
  }
}

/** Tries states after crashes at random calls; in a third of them the recovery crashes as well. */
export async function tryCrashes(setting: CrashSetting): Promise<CrashReport> {
  const { seed, states: wanted, wrap = (files) => files, isFirstEnough = false } = setting;
  const totals = { crashes: 0, states: 0, records: 0, killed: 0, failedCalls: 0, torn: 0 };
  const broken: string[] = [];
  for (let run = 0; totals.states < wanted; run++) {
    const random = randomOf(seed + run);
    const states = await live(random, wrap, totals);
    for (const [number, state] of states.entries()) {
      if (totals.states >= wanted || (isFirstEnough && broken.length > 0)) break;
      totals.states += 1;
      const found = await recover(state, randomOf((seed + run) * 10_007 + number), wrap, totals);
      broken.push(...found.map((text) => `seed ${seed + run}, state ${number}: ${text}`));
    }
    if (isFirstEnough && broken.length > 0) break;
  }
  return { ...totals, broken };
}

type Totals = { -readonly [Name in keyof Omit<CrashReport, 'broken'>]: number };

/** Lets processes write, and keeps states of crashes just before their calls. */
async function live(random: Random, wrap: (files: Files) => Files, totals: Totals): Promise<State[]> {
  const machine = new Machine({ disk: await emptyDisk(), acknowledged: new Map(), ticks: 0 }, wrap);
  const states: State[] = [];
  const keep = () => {
    if (random() < KEPT) {
      states.push(machine.crash(random));
    }
  };
  const segmentBytes = pick([1500, 3000, 100_000], random);
  let pid = 0;
  for (let session = 0; session < 4; session++) {
    const processes = random() < 0.25 ? 2 : 1;
    await Promise.all(
      Array.from({ length: processes }, () => {
        pid += 1;
        return write(machine, pid, segmentBytes, random, keep, totals);
      }),
    );
  }
  return states;
}

async function emptyDisk(): Promise<Disk> {
  const disk = new Disk();
  const files = disk.view();
  for (const folder of ['/log', '/keys']) await files.makeFolder(folder);
  await files.syncFolder('/');
  return disk;
}

/** The fates of one call. */
const FATES: readonly Fate[] = [{ code: 'EIO' }, { code: 'ENOSPC' }, 'killed'];

/**
 * Fails or kills each call of a process in turn, lets another process continue, then crashes the machine with only
 * durable bytes on its disk -> how many calls that were, and the broken promises.
 */
export async function tryEachCall(wrap: (files: Files) => Files = (files) => files): Promise<CrashReport> {
  const totals = { crashes: 0, states: 0, records: 0, killed: 0, failedCalls: 0, torn: 0 };
  const broken: string[] = [];
  for (const fate of FATES) {
    for (let number = 1; ; number++) {
      const machine = new Machine({ disk: await emptyDisk(), acknowledged: new Map(), ticks: 0 }, wrap);
      let calls = 0;
      const watch = (): Fate => {
        calls += 1;
        return calls === number ? fate : 'done';
      };
      await writeWaves(machine, 1, 3, watch);
      if (calls < number) break;
      totals[fate === 'killed' ? 'killed' : 'failedCalls'] += 1;
      // No record may be acknowledged before it is durable, even if a later call makes it so.
      for (const waves of [1, 2]) {
        await writeWaves(machine, 1 + waves, waves, () => 'done');
        const state = machine.crash();
        const found = await recover(state, () => 1, wrap, totals);
        broken.push(...found.map((text) => `${JSON.stringify(fate)} at call ${number}: ${text}`));
      }
    }
  }
  return { ...totals, states: totals.crashes, broken };
}

/** Appends waves of records, in small segments. */
async function writeWaves(machine: Machine, pid: number, waves: number, watch: Watcher): Promise<void> {
  const writer = await machine.open(pid, 1500, watch).catch(passFailure);
  for (let wave = 0; writer && wave < waves; wave++) {
    await Promise.allSettled([machine.append(writer), machine.append(writer)]);
  }
  await writer?.close();
  machine.end(pid);
}

/** The life of one process: waves of records; one call may fail, and another may kill it. */
async function write(
  machine: Machine,
  pid: number,
  segmentBytes: number,
  random: Random,
  onCall: () => void,
  totals: Totals,
): Promise<void> {
  const atRandom = () => (random() < 0.4 ? Math.floor(random() * 60) : -1);
  const killedAt = atRandom();
  const failsAt = atRandom();
  let calls = 0;
  const watch = (): Fate => {
    onCall();
    calls += 1;
    if (calls === killedAt) {
      totals.killed += 1;
      return 'killed';
    }
    if (calls !== failsAt) return 'done';
    totals.failedCalls += 1;
    return { code: pick(['EIO', 'ENOSPC'] as const, random) };
  };
  // After a failure the process opens the log again.
  for (let attempt = 0; attempt < 2; attempt++) {
    const writer = await machine.open(pid, segmentBytes, watch).catch(passFailure);
    for (let wave = 0; writer && wave < 4; wave++) {
      const appended = Array.from({ length: 1 + Math.floor(random() * 5) }, () => machine.append(writer));
      await Promise.all(appended).catch(passFailure);
      await Promise.allSettled(appended);
    }
    await writer?.close();
    if (calls < failsAt || failsAt < 0) break;
  }
  machine.end(pid);
}

/** Ignores the one error that writing may throw. */
function passFailure(error: unknown): undefined {
  if (!(error instanceof VerdictError && error.code === 'AUDIT_FAILED')) throw error;
}

/** Opens the log after a crash, maybe with further crashes meanwhile -> the broken promises. */
async function recover(state: State, random: Random, wrap: (files: Files) => Files, totals: Totals): Promise<string[]> {
  totals.crashes += 1;
  let left = state;
  const tails = new Map<string, Buffer>();
  const note = async (disk: Disk) => {
    for (const [name, tail] of await tailsOf(disk)) tails.set(`${name} ${tail.toString('hex')}`, tail);
  };
  try {
    await note(left.disk);
    while (random() < 0.35) {
      left = await crashAgain(left, random, wrap);
      totals.crashes += 1;
      await note(left.disk);
    }
    const machine = new Machine(left, wrap);
    await openAll(machine);
    totals.records += machine.acknowledged.size;
    totals.torn += tails.size;
    return await checkLog({ ...logAmong(machine.disk.view()), acknowledged: machine.acknowledged, tails });
  } catch (error) {
    return [`${error}`];
  }
}

/** Crashes the machine at one of the calls that open and write the log again. */
async function crashAgain(left: State, random: Random, wrap: (files: Files) => Files): Promise<State> {
  const machine = new Machine(left, wrap);
  const crashAt = Math.floor(random() * 25);
  let after: State | undefined;
  let calls = 0;
  const keep = () => {
    after ??= machine.crash(random);
  };
  const watch = ({ path }: Call): Fate => {
    if (calls === crashAt && path) keep();
    calls += 1;
    return after ? 'killed' : 'done';
  };
  const writer = await machine.open(1, 3000, watch).catch((error: unknown) => {
    if (!after) throw error;
  });
  for (let i = 0; writer && i < 2; i++) await machine.append(writer).catch(passFailure);
  await writer?.close();
  keep();
  return after ?? left;
}

/** Opens all chains, each in a process of its own, and appends to each. */
async function openAll(machine: Machine): Promise<void> {
  const files = machine.disk.view();
  const chains = async () => (await files.list('/log/chains').catch(() => [])).filter(isChainName);
  const before = Math.max(1, (await chains()).length);
  const writers: ChainWriter[] = [];
  for (let pid = 1; pid <= before; pid++) writers.push(await machine.open(pid, 3000, () => 'done'));
  for (const writer of writers) {
    await machine.append(writer);
    await machine.append(writer);
    await writer.close();
  }
  const after = (await chains()).length;
  if (after !== before) throw new Error(`found ${after} chains, expected ${before}: a free chain counted as held`);
}

/** The path for the torn tail of each chain in the log, and its bytes: all from the first incomplete line on. */
async function tailsOf(disk: Disk): Promise<[string, Buffer][]> {
  const files = disk.view();
  const tails: [string, Buffer][] = [];
  for (const chain of (await files.list('/log/chains').catch(() => [])).filter(isChainName)) {
    const folder = { files, path: `/log/chains/${chain}` };
    const segment = Math.max(0, ...(await files.list(folder.path)).map((name) => SEGMENTS.numberOf(name) ?? 0));
    if (segment === 0) continue;
    const name = SEGMENTS.of(segment);
    for await (const item of readSegment(files.read(`${folder.path}/${name}`), {
      log: LOG,
      chain,
      segment,
      before: undefined,
    })) {
      if ('line' in item) continue;
      tails.push([
        `chains/${chain}/${tornName(segment, item.start)}`,
        (await readWhole(folder, name, { from: item.start, most: 2 ** 26 })) ?? Buffer.alloc(0),
      ]);
    }
  }
  return tails;
}
