/** References and cases -> rows of `state.sqlite`, which the processes of one machine share; the main thread's side. */

import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ensureFolder, publish, readWhole, realFiles, unlessCode } from '../audit/store/files.ts';
import { CodedCause, foreignCode, VerdictError } from '../errors.ts';
import { findThread } from '../platform/thread.ts';
import type { Home, Parameter, Row } from './cases.ts';
import { type Claim, type ClaimRequest, StateUnavailable } from './references.ts';
import type { Statements } from './sql.ts';

/** What the thread works with. */
export interface StateSetting {
  readonly file: string;
  /** Device and inode of the file. */
  readonly fileId: string;
  /** Shows whether the file was written with the present key, and nothing else about it. */
  readonly keyCheck: string;
  /** This process, whatever number the system gave it. */
  readonly owner: string;
  readonly rememberMs: number;
  readonly beatMs: number;
  readonly lockMs: number;
}

export type Order =
  | { readonly do: 'open' | 'check' | 'close' }
  | { readonly do: 'claim'; readonly request: ClaimRequest }
  | { readonly do: 'run'; readonly name: keyof Statements; readonly parameters: readonly Parameter[] }
  | Settlement;

type Settlement =
  | { readonly do: 'finish'; readonly key: string; readonly decision: string; readonly answer: string }
  | { readonly do: 'release' | 'doubt'; readonly key: string; readonly decision: string };

/** An order, and the number that its answer has. */
export interface Message {
  readonly id: number;
  readonly order: Order;
}

/** What a claim gets, or the rows of a statement. */
export type Answer = Claim | readonly Row[] | undefined;

/** The answers to the orders of one transaction; a code instead, if it failed as a whole and changed nothing. */
export interface Reply {
  readonly answers: readonly { readonly id: number; readonly answer?: Answer }[];
  readonly code?: string;
}

interface Call extends PromiseWithResolvers<Answer> {
  readonly order: Order;
  readonly timer: NodeJS.Timeout;
  isOverdue: boolean;
}

const LOCK_MS = 2000;
/** Twice what the thread waits for a lock, and some: a call may come while the thread waits for another one. */
const LIMIT_MS = 5000;
/** The opening checks the whole file: 0.6 s a gigabyte. */
const OPEN_LIMIT_MS = 600_000;
const BEAT_MS = 5000;
/** An answer that can wait does so for this long: others who ask for it look again after 50 ms. */
const SETTLE_MS = 20;
const KEY_BYTES = 32;

const FORGOTTEN = 'its references are then forgotten, so one that is sent again may be billed twice';
const MOVE = `stop all processes that use it, move state.sqlite* away, and start again: ${FORGOTTEN}`;
/** What the operator has to mend, by the code of the error at the opening. */
const TO_MEND: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: `state.sqlite is not a database; ${MOVE}`,
  SQLITE_CORRUPT: `state.sqlite is damaged; ${MOVE}`,
  OTHER_FORMAT: `state.sqlite has another format than this version writes; ${MOVE}`,
  OTHER_KEY: `references.key is not the one that state.sqlite was written with; put it back, or ${MOVE}`,
  SQLITE_READONLY: 'state.sqlite cannot be written by this user',
  SQLITE_CANTOPEN: 'state.sqlite cannot be opened by this user',
};

/**
 * The state in `state.sqlite` of a folder, shared by all processes of this machine; a claim survives a power failure.
 * Rejects with CONFIGURATION_INVALID if the operator has to mend something, else with `StateUnavailable`.
 */
export async function openSqlite(options: {
  readonly dir: string;
  /** After this time since its claim, a reference is forgotten. */
  readonly rememberMs: number;
  /** How often this process shows that it lives. Default: 5 seconds. */
  readonly beatMs?: number;
  /** How long to wait for another process that writes. Default: 2 seconds. */
  readonly lockMs?: number;
}): Promise<Home> {
  const { dir, rememberMs, beatMs = BEAT_MS, lockMs = LOCK_MS } = options;
  const file = join(dir, 'state.sqlite');
  const keyCheck = createHmac('sha256', await readReferencesKey(dir))
    .update('state.sqlite')
    .digest('base64');
  const fileId = await wrapFolderErrors(async () => {
    const made = await unlessCode(realFiles.open(file, 'create'), 'EEXIST');
    await made?.close();
    await realFiles.syncFolder(dir);
    return (await realFiles.stat(file)).id;
  });
  const home = new SqliteHome({ file, fileId, keyCheck, owner: randomUUID(), rememberMs, beatMs, lockMs });
  try {
    await home.open();
  } catch (error) {
    const code = error instanceof StateUnavailable ? foreignCode(error) : undefined;
    const problem = TO_MEND[code ?? ''];
    throw problem === undefined ? error : new VerdictError('CONFIGURATION_INVALID', problem, { cause: error });
  }
  return home;
}

/**
 * The secret of the keyed hashes, made by whichever process comes first. It is in `references.key`, not in the
 * database: a copy of that shows neither references nor who was asked about.
 */
export async function readReferencesKey(dir: string): Promise<Buffer> {
  const path = join(dir, 'references.key');
  return wrapFolderErrors(async () => {
    await ensureFolder(realFiles, dir);
    const found = await readWhole(realFiles, path);
    if (!found) await unlessCode(publish(realFiles, path, randomBytes(KEY_BYTES), 'new'), 'EEXIST');
    const key = found ?? (await readWhole(realFiles, path));
    await realFiles.syncFolder(dir);
    if (key?.length === KEY_BYTES) return key;
    throw new VerdictError('CONFIGURATION_INVALID', `references.key is malformed: expected ${KEY_BYTES} bytes`);
  });
}

async function wrapFolderErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = foreignCode(error);
    if (code === undefined) throw error;
    const problem = `the state folder cannot be used (${code}): expected a folder that this user may write`;
    throw new VerdictError('CONFIGURATION_INVALID', problem, { cause: new CodedCause(code) });
  }
}

/** The main thread's side of `state-thread.ts`. */
class SqliteHome implements Home {
  readonly #setting: StateSetting;
  readonly #calls = new Map<number, Call>();
  #thread: Worker | undefined;
  #last = 0;
  /** Calls that the thread has not answered in time: until it does, no claim is tried. */
  #overdue = 0;
  /** What could not be written goes along with the next order. Without it a reference would be claimed for ever. */
  #unsettled: Settlement[] = [];
  #settling: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(setting: StateSetting) {
    this.#setting = setting;
  }

  async open(): Promise<void> {
    try {
      await this.#post({ do: 'open' }, OPEN_LIMIT_MS);
    } catch (error) {
      await this.#thread?.terminate();
      throw error;
    }
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    // INVARIANT: the thread answers each claim with one, and each statement with its rows.
    return (await this.#ask({ do: 'claim', request })) as Claim;
  }

  async run(name: keyof Statements, parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return (await this.#ask({ do: 'run', name, parameters })) as readonly Row[];
  }

  async finish(key: string, decision: string, answer: string, isRecorded = false): Promise<void> {
    const order = { do: 'finish', key, decision, answer } as const;
    if (!isRecorded) return void (await this.#post(order));
    this.#unsettled.push(order);
    this.#settling ??= setTimeout(() => this.#settle(), SETTLE_MS);
  }

  async release(key: string, decision: string): Promise<void> {
    await this.#post({ do: 'release', key, decision });
  }

  async doubt(key: string, decision: string): Promise<void> {
    await this.#post({ do: 'doubt', key, decision });
  }

  async check(): Promise<void> {
    await this.#ask({ do: 'check' });
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#ask({ do: 'close' }).catch(() => {});
      await this.#thread?.terminate();
    })();
    return this.#closing;
  }

  /** An order that may be refused before anything is written. */
  async #ask(order: Order): Promise<Answer> {
    if (this.#closing && order.do !== 'close') throw new StateUnavailable('CLOSED');
    if (this.#overdue > 0) throw new StateUnavailable('TIMED_OUT');
    return this.#post(order);
  }

  async #post(order: Order, limitMs = LIMIT_MS): Promise<Answer> {
    const promise = Promise.withResolvers<Answer>();
    // It keeps the process running while somebody waits; the thread does not.
    const timer = setTimeout(() => this.#giveUp(call), limitMs);
    const call: Call = { ...promise, order, timer, isOverdue: false };
    const id = ++this.#last;
    this.#calls.set(id, call);
    try {
      this.#thread ??= this.#start();
      this.#settle();
      this.#thread.postMessage({ id, order } satisfies Message);
    } catch (error) {
      this.#finishCall(id);
      this.#refuse(call, foreignCode(error) ?? 'NO_THREAD');
    }
    return promise.promise;
  }

  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = undefined;
    for (const settlement of this.#unsettled.splice(0)) this.#post(settlement).catch(() => {});
  }

  #giveUp(call: Call): void {
    call.isOverdue = true;
    this.#overdue++;
    call.reject(new StateUnavailable('TIMED_OUT'));
  }

  #start(): Worker {
    const url = findThread('state/state-thread');
    if (!url) throw new CodedCause('ERR_MODULE_NOT_FOUND');
    const execArgv = ['--disable-warning=ExperimentalWarning'];
    const thread = new Worker(url, { name: 'verdict state', execArgv, workerData: this.#setting });
    let cause: unknown;
    thread.on('message', (reply: Reply) => this.#take(reply));
    thread.once('error', (error) => {
      cause = error;
    });
    thread.once('exit', () => this.#end(foreignCode(cause) ?? 'THREAD_ENDED'));
    // After the listeners: one for messages keeps the process running.
    thread.unref();
    return thread;
  }

  #take({ answers, code }: Reply): void {
    for (const { id, answer } of answers) {
      const call = this.#finishCall(id);
      if (!call) continue;
      const { order } = call;
      if (code === undefined) call.resolve(answer);
      else this.#refuse(call, code);
      // Its caller was told that nothing is claimed.
      if (call.isOverdue && order.do === 'claim' && isGranted(answer)) this.#letGo(order.request);
    }
  }

  /** The thread has ended. The next order starts another. */
  #end(code: string): void {
    this.#thread = undefined;
    for (const id of [...this.#calls.keys()]) {
      const call = this.#finishCall(id);
      if (!call) continue;
      this.#refuse(call, code);
      // It may be written, unanswered.
      if (call.order.do === 'claim') this.#letGo(call.order.request);
    }
  }

  #finishCall(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    clearTimeout(call?.timer);
    if (call?.isOverdue) this.#overdue--;
    return call;
  }

  #refuse({ order, reject }: Call, code: string): void {
    if (order.do === 'finish' || order.do === 'release' || order.do === 'doubt') this.#unsettled.push(order);
    reject(new StateUnavailable(code));
  }

  #letGo({ key, decision }: ClaimRequest): void {
    this.#unsettled.push({ do: 'release', key, decision });
  }
}

/** Whether a claim was granted. */
export function isGranted(answer: Answer): boolean {
  return answer !== undefined && 'state' in answer && answer.state === 'granted';
}
