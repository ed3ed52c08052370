/** The name of a file -> a worker thread, or a process, whose functions are called from here. */

import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parentPort, Worker } from 'node:worker_threads';
import { CodedCause, foreignCode, VerdictError } from '../errors.ts';

/** Apart from `new URL`, where a bundler would look for files. */
const HERE = import.meta.url;

/**
 * The file of a thread by its path in `src`, without its ending. The build puts this code into an entry, a chunk, the
 * command line, or a chunk of the command line. Throws an error with the code ERR_MODULE_NOT_FOUND if it is not there,
 * as in a bundle.
 */
function findThread(name: string): URL {
  const places = [`../${name}.ts`, `./${name}.js`, `../${name}.js`, `../../${name}.js`];
  const url = places.map((place) => new URL(place, HERE)).find((each) => existsSync(each));
  if (!url) throw new CodedCause('ERR_MODULE_NOT_FOUND');
  return url;
}

/** Functions that a thread offers: their arguments and results are copied. */
export type Functions = Readonly<Record<string, (...args: never[]) => unknown>>;

/** What a thread and a process have in common here. */
type Port = Pick<Worker, 'on' | 'ref' | 'unref' | 'postMessage' | 'terminate'>;

const execArgv = ['--disable-warning=ExperimentalWarning'];

/** Throws what `findThread` throws. */
export function startWorker(name: string, workerData: unknown): Worker {
  return new Worker(findThread(name), { name: `verdict ${name}`, execArgv, workerData });
}

/** A process without the variables of this one, which may be secrets. It prints nothing. */
function startProcess(name: string): Port {
  const child = fork(findThread(name), {
    serialization: 'advanced',
    execArgv,
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return Object.assign(child, {
    // One that cannot be started any more says so by its end.
    postMessage: (message: object) => void child.send(message, () => {}),
    terminate: async () => Number(child.kill('SIGKILL')),
  }) as unknown as Port;
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message?: string };
}

/**
 * A thread whose functions are called, or a process: all memory of that one is free again once it has ended. It keeps
 * this process running only while somebody waits for it.
 */
export class Thread<Offered extends Functions> {
  readonly #worker: Port;
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;
  #ended: Error | undefined;

  /** Throws what `findThread` throws. */
  constructor(name: string, workerData: unknown, { isProcess = false }: { readonly isProcess?: boolean } = {}) {
    this.#worker = isProcess ? startProcess(name) : startWorker(name, workerData);
    this.#worker.on('message', ({ id, value, error }: Answer) => {
      const call = this.#take(id);
      if (!error) call?.resolve(value);
      else if (error.message === undefined) call?.reject(new CodedCause(error.code));
      else call?.reject(new VerdictError(error.code as VerdictError['code'], error.message));
    });
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('messageerror', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new CodedCause('THREAD_ENDED')));
    this.#worker.unref();
  }

  /** Whether it takes no further calls. */
  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Rejects with a `VerdictError` of the thread as it is; of any other error it has the code alone. */
  call<Name extends keyof Offered & string>(
    name: Name,
    ...args: Parameters<Offered[Name]>
  ): Promise<Awaited<ReturnType<Offered[Name]>>> {
    if (this.#ended) return Promise.reject(this.#ended);
    const call = Promise.withResolvers<unknown>();
    this.#last += 1;
    this.#calls.set(this.#last, call);
    this.#worker.ref();
    this.#worker.postMessage({ id: this.#last, name, args });
    return call.promise as Promise<Awaited<ReturnType<Offered[Name]>>>;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #take(id: number): PromiseWithResolvers<unknown> | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (this.#calls.size === 0) this.#worker.unref();
    return call;
  }

  #end(error: unknown): void {
    this.#ended ??= new CodedCause(foreignCode(error) ?? 'THREAD_ENDED');
    for (const id of [...this.#calls.keys()]) this.#take(id)?.reject(this.#ended);
  }
}

/** In a thread or a process: answers the calls of the one that started it, and ends with it. */
export function offer(functions: Functions): void {
  const post = (answer: Answer) => (parentPort ? parentPort.postMessage(answer) : process.send?.(answer));
  if (!parentPort) process.on('disconnect', () => process.exit());
  (parentPort ?? process).on('message', async ({ id, name, args }: { id: number; name: string; args: never[] }) => {
    const answer = await Promise.resolve()
      .then(() => functions[name]?.(...args))
      .then(
        (value): Answer => ({ id, value }),
        (error: unknown): Answer => {
          if (VerdictError.is(error)) return { id, error: { code: error.code, message: error.message } };
          const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
          return { id, error: { code } };
        },
      );
    post(answer);
  });
}
