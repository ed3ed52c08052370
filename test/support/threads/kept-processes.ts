/**
 * The processes that load the solver, which takes most of a second -> one of each for all tests of a worker: the next
 * who starts one is given that which the last has ended.
 */

import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';

/** By their names in `src`. */
export const SOLVERS = ['release/evidence/evidence-process', 'lab/prove/proving-process'];

const idle = new Map<string, ChildProcess[]>();

type Fork<More extends unknown[]> = (file: string | URL, ...more: More) => ChildProcess;

/** `fork`, which starts a solver only where none is idle. */
export function keeping<More extends unknown[]>(fork: Fork<More>): Fork<More> {
  return (file, ...more) => {
    const solver = SOLVERS.find((name) => String(file).includes(name));
    if (solver === undefined) return fork(file, ...more);
    const free = idle.get(solver) ?? [];
    idle.set(solver, free);
    return new Lent(free.pop() ?? fork(file, ...more), free) as unknown as ChildProcess;
  };
}

/** One that is lent until it is killed. One that still works then, or has ended by itself, is not lent again. */
class Lent extends EventEmitter {
  readonly #child: ChildProcess;
  readonly #free: ChildProcess[];
  #asked = 0;

  constructor(child: ChildProcess, free: ChildProcess[]) {
    super();
    this.#child = child;
    this.#free = free;
    child.on('message', (message) => {
      this.#asked -= 1;
      this.emit('message', message);
    });
    for (const event of ['error', 'exit']) child.on(event, (...said) => this.emit(event, ...said));
  }

  send(message: object, sent: () => void): boolean {
    this.#asked += 1;
    return this.#child.send(message, sent);
  }

  ref(): void {
    this.#child.ref();
  }

  unref(): void {
    this.#child.unref();
  }

  kill(): boolean {
    if (this.#asked > 0 || !this.#child.connected) return this.#child.kill('SIGKILL');
    for (const event of ['message', 'error', 'exit']) this.#child.removeAllListeners(event);
    this.#child.unref();
    this.#free.push(this.#child);
    return true;
  }
}
