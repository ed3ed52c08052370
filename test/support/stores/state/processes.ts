/** A folder of state -> processes that share it, and what its file contains. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Claim, ClaimRequest } from '../../../../src/stores/state/references.ts';

/** What a process is asked for. */
export interface Asked {
  /** Made at once. */
  readonly requests?: readonly ClaimRequest[];
  /** Stored for each claim that is granted. */
  readonly answer?: string;
}

/** The path of a folder that is not there yet. */
export function newState(): string {
  return join(mkdtempSync(join(tmpdir(), 'state-')), 'state');
}

/** A claim that nobody else makes, unless the key is the same. */
export function request(key: string, decision: string, other: Partial<ClaimRequest> = {}): ClaimRequest {
  return { key, question: 'a question', decision, resend: false, ...other };
}

/** Another process that shares the references of a folder. */
export class SharingProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  /** Its secret for the hashes of references, once it is ready. */
  readonly secret: Promise<string>;

  constructor(dir: string) {
    this.#child = fork(join(import.meta.dirname, 'child.ts'), [dir], { execArgv: ['--no-warnings'] });
    this.#ended = once(this.#child, 'exit');
    this.secret = this.#next<string>();
  }

  async ask(asked: Asked): Promise<readonly Claim[]> {
    const claims = this.#next<readonly Claim[]>();
    this.#child.send(asked);
    return claims;
  }

  /** SIGKILL, while it does what it was asked for last. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Rejects if the process ends before. */
  async #next<Message>(): Promise<Message> {
    const ended = this.#ended.then(() => Promise.reject(new Error('the process has ended')));
    const [message] = await Promise.race([once(this.#child, 'message'), ended]);
    return message as Message;
  }
}

/** What a statement on the file of a folder returns. */
export function sql(dir: string, statement: string): readonly unknown[] {
  const database = new DatabaseSync(join(dir, 'state.sqlite'));
  try {
    database.exec('pragma busy_timeout = 60000');
    return database.prepare(statement).all();
  } finally {
    database.close();
  }
}
