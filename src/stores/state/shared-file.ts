/** A file of SQLite that the processes of one machine share -> orders to it, which a worker thread carries out. */

import { createHmac, randomBytes } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { ensureFolder, folderAt, publish, readWhole, realFiles, unlessCode } from '../../audit/store/files.ts';
import { CodedCause, foreignCode, VerdictError } from '../../errors.ts';
import { openHome, type ToMend } from '../../platform/homes/open-home.ts';
import { startWorker } from '../../platform/thread.ts';

/** What the thread opens. */
export interface FileSetting {
  readonly file: string;
  /** Device and inode of the file. */
  readonly fileId: string;
  /** Shows whether the file was written with the present key, and nothing else about it. */
  readonly keyCheck: string;
  /** How long to wait for another process that writes. */
  readonly lockMs: number;
  /** Whether to make a file of an earlier format anew: what it has is lost. */
  readonly discards?: boolean;
}

/** Besides its own orders, each file is opened and closed. */
export interface AnyOrder {
  readonly do: string;
}

/** An order, and the number that its answer has. */
export interface Message<Order> {
  readonly id: number;
  readonly order: Order;
}

/** The answers to the orders of one transaction; a code instead, if it failed as a whole and changed nothing. */
export interface Reply<Answer> {
  readonly answers: readonly { readonly id: number; readonly answer?: Answer }[];
  readonly code?: string;
}

interface Call<Order, Answer> extends PromiseWithResolvers<Answer> {
  readonly order: Order;
  readonly timer: NodeJS.Timeout;
  isOverdue: boolean;
}

const KEY_BYTES = 32;

/** What messages call the file and its key. `again`: how to go on without it; `ifOld`: the same for an old format. */
interface FileNames {
  readonly file: string;
  readonly key: string;
  readonly again: string;
  readonly ifOld?: string;
}

function toMendOf({ file, key, again, ifOld = again }: FileNames): ToMend {
  return {
    SQLITE_NOTADB: `${file} is not a database; ${again}`,
    SQLITE_CORRUPT: `${file} is damaged; ${again}`,
    OTHER_FORMAT: `${file} has another format than this version writes; ${ifOld}`,
    OTHER_KEY: `${key} is not the one that ${file} was written with; put it back, or ${again}`,
    SQLITE_READONLY: `${file} cannot be written by this user`,
    SQLITE_CANTOPEN: `${file} cannot be opened by this user`,
  };
}

/** Makes the file unless it is there, for its owner alone. */
export async function settingOf(file: string, key: Buffer, label: string, lockMs: number): Promise<FileSetting> {
  const made = await unlessCode(realFiles.open(file, 'create'), 'EEXIST');
  await made?.close();
  await realFiles.syncFolder(dirname(file));
  const { id: fileId } = await realFiles.stat(file);
  return { file, fileId, keyCheck: createHmac('sha256', key).update(label).digest('base64'), lockMs };
}

/**
 * The secret of keyed hashes in a file of 32 bytes, for its owner alone. With `make`, whichever process comes first
 * makes it and its folder.
 */
export async function readSecretKey(path: string, name: string, make: boolean): Promise<Buffer> {
  const folder = folderAt(dirname(path));
  const file = basename(path);
  if (make) await ensureFolder(folder);
  const found = await readWhole(folder, file);
  if (!found && make) await unlessCode(publish(folder, file, randomBytes(KEY_BYTES), 'new'), 'EEXIST');
  const key = found ?? (await readWhole(folder, file));
  if (make) await realFiles.syncFolder(folder.path);
  if (key?.length === KEY_BYTES) return key;
  const problem = key ? 'is malformed' : 'does not exist';
  throw new VerdictError('CONFIGURATION_INVALID', `${name} ${problem}: expected ${KEY_BYTES} bytes`);
}

/** CONFIGURATION_INVALID in place of an error of the system, whose message may name a folder. */
export async function wrapFileErrors<Result>(
  what: string,
  work: () => Promise<Result>,
  expected = 'a folder that this user may write',
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = foreignCode(error);
    if (code === undefined) throw error;
    const problem = `${what} cannot be used (${code}): expected ${expected}`;
    throw new VerdictError('CONFIGURATION_INVALID', problem, { cause: new CodedCause(code) });
  }
}

/** The main thread's side of `shared-file-thread.ts`. */
export abstract class SharedFile<Order extends AnyOrder, Answer> {
  readonly #thread: string;
  readonly #setting: FileSetting;
  readonly #limitMs: number;
  readonly #calls = new Map<number, Call<Order, Answer>>();
  #worker: Worker | undefined;
  #last = 0;
  /** Calls that the thread has not answered in time: until it does, nothing is tried. */
  #overdue = 0;
  #closing: Promise<void> | undefined;

  /** `thread`: the path of its file in `src`, without its ending. `limitMs`: how long an order may take. */
  constructor(thread: string, setting: FileSetting, limitMs: number) {
    this.#thread = thread;
    this.#setting = setting;
    this.#limitMs = limitMs;
  }

  /** The error of an order that failed. */
  protected abstract unavailable(code: string): Error;

  /** Is called before each order. */
  protected prepare(): void {}

  /** Is called for an order that was not carried out, as far as is known. */
  protected refused(_order: Order): void {}

  /** Is called for an order that failed for its caller, and was carried out, with its answer; or that may be. */
  protected carriedOutLate(_order: Order, _answer?: Answer): void {}

  /** Rejects with CONFIGURATION_INVALID if the operator has to mend the file, else as an order that fails. */
  async openFile(order: Order, limitMs: number, names: FileNames): Promise<void> {
    const close = async () => this.#worker?.terminate();
    await openHome(() => this.post(order, limitMs), { toMend: toMendOf(names), close });
  }

  closeFile(order: Order): Promise<void> {
    this.#closing ??= (async () => {
      if (this.#overdue === 0) await this.post(order).catch(() => {});
      await this.#worker?.terminate();
    })();
    return this.#closing;
  }

  /** An order that may be refused before anything is written. */
  protected async ask(order: Order): Promise<Answer> {
    if (this.#closing) throw this.unavailable('CLOSED');
    if (this.#overdue > 0) throw this.unavailable('TIMED_OUT');
    return this.post(order);
  }

  protected async post(order: Order, limitMs = this.#limitMs): Promise<Answer> {
    const promise = Promise.withResolvers<Answer>();
    // It keeps the process running while somebody waits; the thread does not.
    const timer = setTimeout(() => this.#giveUp(call), limitMs);
    const call: Call<Order, Answer> = { ...promise, order, timer, isOverdue: false };
    const id = ++this.#last;
    this.#calls.set(id, call);
    try {
      this.#worker ??= this.#start();
      this.prepare();
      this.#worker.postMessage({ id, order } satisfies Message<Order>);
    } catch (error) {
      this.#finishCall(id);
      this.#refuse(call, foreignCode(error) ?? 'NO_THREAD');
    }
    return promise.promise;
  }

  #giveUp(call: Call<Order, Answer>): void {
    call.isOverdue = true;
    this.#overdue++;
    call.reject(this.unavailable('TIMED_OUT'));
  }

  #start(): Worker {
    const worker = startWorker(this.#thread, this.#setting);
    let cause: unknown;
    worker.on('message', (reply: Reply<Answer>) => this.#take(reply));
    worker.once('error', (error) => {
      cause = error;
    });
    worker.once('exit', () => this.#end(foreignCode(cause) ?? 'THREAD_ENDED'));
    // After the listeners: one for messages keeps the process running.
    worker.unref();
    return worker;
  }

  #take({ answers, code }: Reply<Answer>): void {
    for (const { id, answer } of answers) {
      const call = this.#finishCall(id);
      if (!call) continue;
      if (code !== undefined) {
        this.#refuse(call, code);
        continue;
      }
      call.resolve(answer as Answer);
      if (call.isOverdue) this.carriedOutLate(call.order, answer);
    }
  }

  /** The thread has ended. The next order starts another. */
  #end(code: string): void {
    this.#worker = undefined;
    for (const id of [...this.#calls.keys()]) {
      const call = this.#finishCall(id);
      if (!call) continue;
      this.#refuse(call, code);
      // It may be written, unanswered.
      this.carriedOutLate(call.order);
    }
  }

  #finishCall(id: number): Call<Order, Answer> | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    clearTimeout(call?.timer);
    if (call?.isOverdue) this.#overdue--;
    return call;
  }

  #refuse({ order, reject }: Call<Order, Answer>, code: string): void {
    this.refused(order);
    reject(this.unavailable(code));
  }
}
