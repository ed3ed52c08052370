/** A reference and the request under it -> the decision of an earlier or concurrent call, or a new one. */

import { hash, randomBytes } from 'node:crypto';
import { VerdictError } from '../errors.ts';
import { canonicalJson } from '../platform/digest.ts';
import type { Decision } from './decision.ts';
import type { ContextFact, ContextFacts } from './fetch/context-facts.ts';
import type { StagedFacts } from './fetch/staged-facts.ts';
import { questionOf, type ReadApplicant } from './request.ts';

/** Repeated requests come within minutes: a second click, a retry by the caller's own client. */
export const REMEMBER_MS = 10 * 60 * 1000;

/** More decisions are not kept. The oldest goes first; a decision has a few kilobytes. */
const MAX_REMEMBERED = 10_000;

/** The content of a request: two requests under one reference share a decision only if it is the same. */
interface RequestContent {
  readonly reference: string;
  readonly identity: ReadApplicant;
  readonly context: ReadonlyMap<string, ContextFact>;
  /** Whatever else is sent to the service. */
  readonly sent: unknown;
  /** The digests of the policy and the mapping. */
  readonly decidedBy: string;
  /** Calls the functions of these context facts; what they give is compared as a text. */
  callAgain(paths: readonly string[]): Promise<string>;
}

/** The context facts whose functions a decision called, and a hash of what they gave. */
interface Called {
  readonly paths: readonly string[];
  readonly hash: string;
}

/** A decision that is being made for one or more callers. */
export interface Flight {
  /** The calls made for it. */
  calls?: Pick<StagedFacts, 'mayBeCarriedOut'>;
  /** What it called functions for. */
  context?: Pick<ContextFacts, 'called'>;
  /** Whether it is being recorded: no signal can end it now. */
  isFinal: boolean;
}

interface SharedFlight extends Flight {
  readonly key: string;
  readonly contentHash: string;
  /** Ends the flight once no caller waits; undefined if the first caller has no signal, and so always waits. */
  readonly ending: AbortController | undefined;
  /** The callers that still wait. */
  waiting: number;
  readonly decision: Promise<Landed>;
}

interface Landed {
  readonly decision: Decision;
  readonly text: string;
  readonly called: Called | undefined;
}

interface Remembered {
  readonly key: string;
  readonly contentHash: string;
  /** Undefined if it called none. */
  readonly called: Called | undefined;
  /** As JSON, so that a caller who changes its decision does not change another caller's. */
  readonly text: string;
  readonly until: number;
}

/** The references of one decider. References and applicants are kept as keyed hashes only. */
export class References {
  readonly #rememberMs: number;
  /** Of a fixed length, before each text: no one outside this process can guess a text and compare its hash. */
  readonly #hashKey = randomBytes(32).toString('hex');
  readonly #flights = new Map<string, SharedFlight>();
  readonly #remembered = new Map<string, Remembered>();
  /** The oldest first. A Map has that order too, but takes ever longer to find its first entry after deletions. */
  readonly #queue: (Remembered | undefined)[] = [];
  /** The index of the oldest in the queue. */
  #first = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(rememberMs: number) {
    this.#rememberMs = rememberMs;
  }

  /**
   * The decision of a flight in progress or of an earlier one, if the content is the same; otherwise that of `make`,
   * whose signal is `ending`. Throws REFERENCE_IN_USE while a decision with other content is in progress. The functions
   * that the decision called are called again: what they give is content too.
   */
  async share(
    content: RequestContent,
    callers: { readonly signal: AbortSignal | undefined; readonly ending: AbortController | undefined },
    make: (flight: Flight) => Promise<Decision>,
  ): Promise<Decision> {
    const key = this.#hash(content.reference);
    const contentHash = this.#hash(describe(content) ?? randomBytes(32).toString('hex'));
    const earlier = this.#flights.has(key) ? undefined : this.#recall(key);
    if (earlier?.contentHash === contentHash && (await this.#givesSame(content, earlier.called)))
      return JSON.parse(earlier.text);
    // Another caller may have begun while functions were called.
    const flying = this.#flights.get(key);
    if (flying) {
      const landed = flying.contentHash === contentHash ? await this.#wait(flying, callers.signal) : undefined;
      if (landed && (await this.#givesSame(content, landed.called))) return JSON.parse(landed.text);
      throw new VerdictError('REFERENCE_IN_USE', IN_USE, { carriedOut: 'no' });
    }

    if (callers.signal?.aborted) callers.ending?.abort(callers.signal.reason);
    const { ending } = callers;
    const flight: Omit<SharedFlight, 'decision'> = { key, contentHash, ending, waiting: 0, isFinal: false };
    const making = make(flight).then(async (decision): Promise<Landed> => {
      const text = JSON.stringify(decision);
      const calledFor = await flight.context?.called();
      const called = calledFor && { paths: calledFor.paths, hash: this.#hash(calledFor.given) };
      if (flight.calls?.mayBeCarriedOut) this.#remember(key, { contentHash, called, text });
      return { decision, text, called };
    });
    const shared: SharedFlight = Object.assign(flight, { decision: making });
    this.#flights.set(key, shared);
    const land = () => this.#land(shared);
    void making.then(land, land);
    return (await this.#wait(shared, callers.signal)).decision;
  }

  /** Whether the caller's own functions give what those of a decision gave. */
  async #givesSame(content: RequestContent, called: Called | undefined): Promise<boolean> {
    return !called || this.#hash(await content.callAgain(called.paths)) === called.hash;
  }

  /** Waits for a flight. The signal of a caller ends only its own wait; that of the last caller ends the flight. */
  async #wait(flight: SharedFlight, signal: AbortSignal | undefined): Promise<Landed> {
    flight.waiting += 1;
    if (!signal) return flight.decision;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => {
      if (flight.isFinal) return;
      flight.waiting -= 1;
      if (flight.waiting > 0) return reject(endedBySignal(flight.calls));
      this.#land(flight);
      flight.ending?.abort(signal.reason);
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([left, flight.decision]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #land(flight: SharedFlight): void {
    if (this.#flights.get(flight.key) === flight) this.#flights.delete(flight.key);
  }

  #remember(key: string, what: Omit<Remembered, 'key' | 'until'>): void {
    if (this.#rememberMs === 0) return;
    const remembered = { ...what, key, until: performance.now() + this.#rememberMs };
    this.#remembered.set(key, remembered);
    this.#queue.push(remembered);
    this.#forgetOld();
  }

  #recall(key: string): Remembered | undefined {
    this.#forgetOld();
    return this.#remembered.get(key);
  }

  /** Removes decisions that are too old, and runs again when the next one is: a decision holds personal data. */
  #forgetOld(): void {
    const now = performance.now();
    let oldest = this.#queue[this.#first];
    while (oldest && (oldest.until <= now || this.#queue.length - this.#first > MAX_REMEMBERED)) {
      if (this.#remembered.get(oldest.key) === oldest) this.#remembered.delete(oldest.key);
      this.#queue[this.#first++] = undefined;
      oldest = this.#queue[this.#first];
    }
    if (this.#first > MAX_REMEMBERED) this.#first -= this.#queue.splice(0, this.#first).length;
    if (!oldest) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#forgetOld();
    }, oldest.until - now).unref();
  }

  #hash(text: string): string {
    return hash('sha256', this.#hashKey + text, 'base64');
  }
}

const IN_USE = 'another applicant, context or policy is being decided under this clientReference; it has to be unique';

/** The content as a text; undefined if it cannot be written, and so equals no other. */
function describe({ identity, context, sent, decidedBy }: RequestContent): string | undefined {
  // An object may be written like another value: `new Number(1)` as 1, which a fact does not take for a number.
  if ([...context.values()].some((value) => typeof value === 'object' && value !== null)) return undefined;
  try {
    // A function is compared by its name, since a service creates a new one for each request, and by what it gives.
    return canonicalJson([questionOf(identity, context), sent, decidedBy]);
  } catch {
    return undefined;
  }
}

/** Rejects as soon as the signal aborts, even while a caller's own function or the log never settles. */
export async function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
  stagedFacts: Pick<StagedFacts, 'mayBeCarriedOut'>,
): Promise<Result> {
  if (!signal) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(endedBySignal(stagedFacts));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The error of a caller whose signal ended its wait. */
function endedBySignal(calls: Pick<StagedFacts, 'mayBeCarriedOut'> | undefined): VerdictError {
  const carriedOut = calls?.mayBeCarriedOut ? 'unknown' : 'no';
  return new VerdictError('ABORTED', "the decision was ended by the caller's signal", { carriedOut });
}
