/** The reference of a caller -> a claim of it, which one process gets; and the answer, once there is one. */

import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ensureFolder, publish, readWhole, realFiles, unlessCode } from '../audit/store/files.ts';
import { CodedCause, foreignCode, VerdictError } from '../errors.ts';
import { findThread } from '../platform/thread.ts';

/** A claim of a reference, before anything is sent. */
export interface ClaimRequest {
  /** Keyed hash of the caller's name and its reference, base64. */
  readonly key: string;
  /** Keyed hash of the question: policy name, applicant, context. */
  readonly question: string;
  /** The id that the decision will have, if this claim is granted. No other claim has it. */
  readonly decision: string;
  /** The caller accepts a second bill: an attempt in doubt is taken over. */
  readonly resend: boolean;
}

export type Claim =
  /** Decide, then `finish`, `release` or `doubt`. */
  | { readonly state: 'granted' }
  /** The answer that `finish` stored. */
  | { readonly state: 'done'; readonly answer: string }
  | { readonly state: 'running'; readonly decision: string }
  /** An earlier attempt may have been billed. */
  | { readonly state: 'inDoubt'; readonly decision: string }
  /** Another question was asked under this reference. */
  | { readonly state: 'reused' };

/** All calls but `close` reject with `StateUnavailable`, within 5 seconds, if the disk or the file fails. */
export interface References {
  /** Resolves once the claim is durable. */
  claim(request: ClaimRequest): Promise<Claim>;
  /**
   * Stores the answer of the decision that holds the claim. Does nothing if a resend has taken the claim over. With
   * `isRecorded` it resolves at once: a record leads back to the decision, so that the answer can wait for a later
   * order, and share its time of the disk.
   */
  finish(key: string, decision: string, answer: string, isRecorded?: boolean): Promise<void>;
  /** Nothing was sent: the reference is free again. */
  release(key: string, decision: string): Promise<void>;
  /** The attempt ended and may have been billed: in doubt from now on, for every process. */
  doubt(key: string, decision: string): Promise<void>;
  /** Rejects if a claim would fail now. */
  check(): Promise<void>;
  /** After the last claim is settled: one that is still running is in doubt from now on. */
  close(): Promise<void>;
}

/** The state could not be read or written, or not in time: nothing may be sent. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable';

  constructor(code: string) {
    super(`the state is not available (${code})`, { cause: new CodedCause(code) });
  }
}

/** A claim that was granted, as it is stored. */
export interface Attempt {
  readonly question: string;
  readonly decision: string;
  readonly state: 'running' | 'doubt' | 'done';
  readonly answer: string | null;
}

/** What a claim gets that meets an attempt. */
export function judgeClaim({ question, resend }: ClaimRequest, earlier: Attempt, hasEnded: () => boolean): Claim {
  const { decision, state, answer } = earlier;
  if (question !== earlier.question) return { state: 'reused' };
  if (state === 'done') return { state: 'done', answer: answer ?? '' };
  if (state === 'running' && !hasEnded()) return { state: 'running', decision };
  return resend ? { state: 'granted' } : { state: 'inDoubt', decision };
}

/** More references are not kept in memory. An answer has a kilobyte or two. */
const MOST_IN_MEMORY = 200_000;

/** A Map takes ever longer to find its first entry after deletions: many are forgotten at a time. */
const SWEEP = { everyMs: 1000, share: 0.1 };

/** References of this process alone, which forgets them when it ends, and the oldest when there are too many. */
export function memoryReferences(options: { readonly rememberMs: number; readonly most?: number }): References {
  const { rememberMs, most = MOST_IN_MEMORY } = options;
  // In the order of the claims.
  const attempts = new Map<string, Attempt & { readonly at: number }>();
  let sweptAt = performance.now();
  const sweep = (now: number) => {
    if (now - sweptAt < SWEEP.everyMs && attempts.size < most) return;
    const kept = attempts.size < most ? most : most * (1 - SWEEP.share);
    sweptAt = now;
    for (const [key, { at }] of attempts) {
      if (now - at <= rememberMs && attempts.size <= kept) break;
      attempts.delete(key);
    }
  };
  const held = (key: string, decision: string) => {
    const attempt = attempts.get(key);
    return attempt?.decision === decision && attempt.state !== 'done' ? attempt : undefined;
  };
  return {
    async claim(request) {
      const { key, question, decision } = request;
      const at = performance.now();
      sweep(at);
      const found = attempts.get(key);
      const earlier = found && at - found.at <= rememberMs ? found : undefined;
      const claim: Claim = earlier ? judgeClaim(request, earlier, () => false) : { state: 'granted' };
      if (claim.state !== 'granted') return claim;
      attempts.delete(key);
      attempts.set(key, { question, decision, state: 'running', answer: null, at });
      return claim;
    },
    async finish(key, decision, answer) {
      const attempt = held(key, decision);
      if (attempt) attempts.set(key, { ...attempt, state: 'done', answer });
    },
    async doubt(key, decision) {
      const attempt = held(key, decision);
      if (attempt) attempts.set(key, { ...attempt, state: 'doubt' });
    },
    async release(key, decision) {
      if (held(key, decision)) attempts.delete(key);
    },
    async check() {},
    async close() {},
  };
}

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
  | Settlement;

type Settlement =
  | { readonly do: 'finish'; readonly key: string; readonly decision: string; readonly answer: string }
  | { readonly do: 'release' | 'doubt'; readonly key: string; readonly decision: string };

/** An order, and the number that its answer has. */
export interface Message {
  readonly id: number;
  readonly order: Order;
}

/** The answers to the orders of one transaction; a code instead, if it failed as a whole and changed nothing. */
export interface Reply {
  readonly answers: readonly { readonly id: number; readonly claim?: Claim | undefined }[];
  readonly code?: string;
}

interface Call extends PromiseWithResolvers<Claim | undefined> {
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
 * References in `state.sqlite` of a folder, shared by all processes of this machine; a claim survives a power failure.
 * Rejects with CONFIGURATION_INVALID if the operator has to mend something, else with `StateUnavailable`.
 */
export async function openReferences(options: {
  readonly dir: string;
  /** After this time since its claim, a reference is forgotten. */
  readonly rememberMs: number;
  /** How often this process shows that it lives. Default: 5 seconds. */
  readonly beatMs?: number;
  /** How long to wait for another process that writes. Default: 2 seconds. */
  readonly lockMs?: number;
}): Promise<References> {
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
  const references = new SharedReferences({ file, fileId, keyCheck, owner: randomUUID(), rememberMs, beatMs, lockMs });
  try {
    await references.open();
  } catch (error) {
    const code = error instanceof StateUnavailable ? foreignCode(error) : undefined;
    const problem = TO_MEND[code ?? ''];
    throw problem === undefined ? error : new VerdictError('CONFIGURATION_INVALID', problem, { cause: error });
  }
  return references;
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
class SharedReferences implements References {
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
    const claim = await this.#ask({ do: 'claim', request });
    // INVARIANT: the thread answers each claim with one.
    if (!claim) throw new TypeError('a claim without an answer');
    return claim;
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
  async #ask(order: Order): Promise<Claim | undefined> {
    if (this.#closing && order.do !== 'close') throw new StateUnavailable('CLOSED');
    if (this.#overdue > 0) throw new StateUnavailable('TIMED_OUT');
    return this.#post(order);
  }

  async #post(order: Order, limitMs = LIMIT_MS): Promise<Claim | undefined> {
    const promise = Promise.withResolvers<Claim | undefined>();
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
    thread.unref();
    let cause: unknown;
    thread.on('message', (reply: Reply) => this.#take(reply));
    thread.once('error', (error) => {
      cause = error;
    });
    thread.once('exit', () => this.#end(foreignCode(cause) ?? 'THREAD_ENDED'));
    return thread;
  }

  #take({ answers, code }: Reply): void {
    for (const { id, claim } of answers) {
      const call = this.#finishCall(id);
      if (!call) continue;
      const { order } = call;
      if (code === undefined) call.resolve(claim);
      else this.#refuse(call, code);
      // Its caller was told that nothing is claimed.
      if (call.isOverdue && order.do === 'claim' && claim?.state === 'granted') this.#letGo(order.request);
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
