/**
 * A seed -> a log that is written by processes that come, fail and are killed. The machine ends at each of their calls, and
 * what is left is opened and held to what was acknowledged.
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

/** What is to be tried. */
export interface CrashSetting {
  readonly seed: number;
  readonly states: number;
  /** What the engine is given for the file system, such as one with a mistake in it. */
  readonly wrap?: (files: Files) => Files;
  /** Stops at the first state that does not hold. */
  readonly isFirstEnough?: boolean;
}

/** What came of it. */
export interface CrashReport {
  /** Crashes of the machine, those during a recovery from another among them. */
  readonly crashes: number;
  readonly states: number;
  /** Acknowledged records, each counted in each state that it was looked for. */
  readonly records: number;
  readonly killed: number;
  readonly failedCalls: number;
  /** Tails that were set aside. */
  readonly torn: number;
  /** What did not hold, a sentence each. */
  readonly broken: readonly string[];
}

const LOG = { dir: '/log/chains', keysDir: '/keys', log: '01900000-0000-7000-8000-000000000000' };

/** Of the states before calls, so many are tried: another log tells more than the next call. */
const KEPT = 0.3;

/** What is left when the machine ends, and what had been acknowledged by then. */
interface State {
  readonly disk: Disk;
  readonly acknowledged: Acknowledged;
  /** How often the clock was asked. */
  readonly ticks: number;
}

/** So often the clock is asked on a day: with a record of a later day a segment ends. */
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

  /** What would be left if it ended now. */
  crash(random?: Random): State {
    return { disk: this.disk.crash(random), acknowledged: new Map(this.acknowledged), ticks: this.#ticks };
  }

  /** Opens the log in a process of its own. */
  open(pid: number, segmentBytes: number, watch: Watcher): Promise<ChainWriter> {
    this.#running.add(pid);
    const self = (): ProcessId => ({ pid, host: 'here', start: null, space: null, boot: this.#boot, machine: null });
    return openChain({
      ...{ ...LOG, engine: '0.1.0', segmentBytes, encrypt: markBody },
      now: () => Date.UTC(2026, 10, 20 + Math.floor(this.#ticks++ / TICKS_PER_DAY)),
      files: this.#wrap(this.disk.view(watch)),
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

/** Tries so many states, each of a crash at a random call; of a third of them the recovery is ended by a crash as well. */
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

/** Lets processes write, and keeps what is left should the machine end just before one of their calls. */
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
  for (const folder of ['/log', LOG.keysDir]) await files.makeFolder(folder);
  await files.syncFolder('/');
  return disk;
}

/** What becomes of one call. */
const FATES: readonly Fate[] = [{ code: 'EIO' }, { code: 'ENOSPC' }, 'killed'];

/**
 * Lets each call of a process fail or be its last, then lets another process go on, and the machine end with no more on its disk than
 * has to be there -> how many calls that were, and what does not hold.
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
      // What a later call makes durable must not have been acknowledged before.
      for (const waves of [1, 2]) {
        await writeWaves(machine, 1 + waves, waves, () => 'done');
        const left = machine.crash();
        const found = await recover(left, () => 1, wrap, totals);
        broken.push(...found.map((text) => `${JSON.stringify(fate)} at call ${number}: ${text}`));
      }
    }
  }
  return { ...totals, states: totals.crashes, broken };
}

/** Some waves of records, in segments of a few. */
async function writeWaves(machine: Machine, pid: number, waves: number, watch: Watcher): Promise<void> {
  const writer = await machine.open(pid, 1500, watch).catch(passFailure);
  for (let wave = 0; writer && wave < waves; wave++) {
    await Promise.allSettled([machine.append(writer), machine.append(writer)]);
  }
  await writer?.close();
  machine.end(pid);
}

/** The life of one process: some waves of records; one call of it may fail, and it may be killed at another. */
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
  // After a failure a process opens the log anew.
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

/** The one error that writing may give. */
function passFailure(error: unknown): undefined {
  if (!(error instanceof VerdictError && error.code === 'AUDIT_FAILED')) throw error;
}

/** Opens what is left, maybe with a crash or two meanwhile -> what does not hold. */
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
    return await checkLog({ ...LOG, files: machine.disk.view(), acknowledged: machine.acknowledged, tails });
  } catch (error) {
    return [`${error}`];
  }
}

/** The machine ends at one of the calls by which the log is opened and written again. */
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

/** Opens all chains that there are, each in a process of its own, and goes on with each of them. */
async function openAll(machine: Machine): Promise<void> {
  const files = machine.disk.view();
  const chains = async () => (await files.list(LOG.dir).catch(() => [])).filter(isChainName);
  const before = Math.max(1, (await chains()).length);
  const writers: ChainWriter[] = [];
  for (let pid = 1; pid <= before; pid++) writers.push(await machine.open(pid, 3000, () => 'done'));
  for (const writer of writers) {
    await machine.append(writer);
    await machine.append(writer);
    await writer.close();
  }
  const after = (await chains()).length;
  if (after !== before) throw new Error(`${after} chains, expected ${before}: one was taken for held`);
}

/** Where a torn end of each chain is to be set aside, and its bytes: all from the first line on that is not whole. */
async function tailsOf(disk: Disk): Promise<[string, Buffer][]> {
  const files = disk.view();
  const tails: [string, Buffer][] = [];
  for (const chain of (await files.list(LOG.dir).catch(() => [])).filter(isChainName)) {
    const folder = `${LOG.dir}/${chain}`;
    const segment = Math.max(0, ...(await files.list(folder)).map((name) => SEGMENTS.numberOf(name) ?? 0));
    if (segment === 0) continue;
    const path = `${folder}/${SEGMENTS.of(segment)}`;
    for await (const item of readSegment(files.read(path), { log: LOG.log, chain, segment, before: undefined })) {
      if ('line' in item) continue;
      tails.push([
        `${folder}/${tornName(segment, item.start)}`,
        (await readWhole(files, path, { from: item.start, most: 2 ** 26 })) ?? Buffer.alloc(0),
      ]);
    }
  }
  return tails;
}
