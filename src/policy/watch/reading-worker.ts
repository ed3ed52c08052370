/** The files of a policy and a mapping -> what is read of them by a worker thread, while other things run. */

import { Worker } from 'node:worker_threads';
import { findThread } from '../../platform/thread.ts';
import { type FilesAsData, type FilesRead, type FilesToRead, fromData } from './read-files.ts';

/** What the thread is asked for. */
export interface Order {
  readonly id: number;
  readonly files: FilesToRead;
}

/** Its answer. */
export interface Answer {
  readonly id: number;
  readonly read: FilesAsData;
}

/** Edits come in bursts, and a thread takes a third of a second to start; but it keeps some 30 MB of memory. */
const IDLE_MS = 10_000;

/**
 * Reads files in a thread of its own. Undefined if there can be none: its file is not there, as in a bundle, or the
 * process must not start threads. Rejects if the thread ends, such as for want of memory. It does not keep the process
 * running.
 */
export async function readInWorker(files: FilesToRead): Promise<FilesRead | undefined> {
  worker ??= ReadingWorker.start();
  const read = await worker?.read(files);
  return read && fromData(read, files);
}

/** One for all watchers of the process. */
let worker: ReadingWorker | undefined;

class ReadingWorker {
  readonly #thread: Worker;
  readonly #orders = new Map<number, PromiseWithResolvers<FilesAsData>>();
  #last = 0;
  #idle: NodeJS.Timeout | undefined;

  /** Undefined if no thread can be started. */
  static start(): ReadingWorker | undefined {
    try {
      const url = findThread('policy/watch/reading-thread');
      // Options of the process, such as modules to load first, are not for this thread.
      return url && new ReadingWorker(new Worker(url, { name: 'verdict', execArgv: [] }));
    } catch {
      return undefined;
    }
  }

  constructor(thread: Worker) {
    this.#thread = thread;
    thread.on('message', ({ id, read }: Answer) => this.#orders.get(id)?.resolve(read));
    thread.once('error', (error) => this.#end(error));
    thread.once('messageerror', (error) => this.#end(error));
    thread.once('exit', () => this.#end());
    // After the listeners: one for messages keeps the process running.
    thread.unref();
  }

  async read(files: FilesToRead): Promise<FilesAsData> {
    clearTimeout(this.#idle);
    const id = ++this.#last;
    const order = Promise.withResolvers<FilesAsData>();
    this.#orders.set(id, order);
    this.#thread.postMessage({ id, files } satisfies Order);
    try {
      return await order.promise;
    } finally {
      this.#orders.delete(id);
      if (this.#orders.size === 0) this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    }
  }

  /** The next order starts another thread. */
  #end(cause: unknown = new Error('the thread has ended')): void {
    if (worker === this) worker = undefined;
    clearTimeout(this.#idle);
    for (const { reject } of this.#orders.values()) reject(cause);
    void this.#thread.terminate();
  }
}
