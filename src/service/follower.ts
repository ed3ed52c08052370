/** The news of the log -> cases of the review queue, and those who wait for news. */

import type { LogIndex, NewEntry, NewsPosition } from '../audit/index/log-index.ts';
import { VerdictError } from '../errors.ts';
import { isObject, parseJson } from '../platform/json.ts';
import { pause } from '../signals/deadline.ts';
import type { Cases } from '../stores/state/cases.ts';
import { toJson } from '../text.ts';
import { caseOf, type Note, resolve } from './cases/cases-of-log.ts';
import type { Queue } from './config.ts';
import type { Seal } from './note-id.ts';

/** How often the log is looked at. */
const EVERY_MS = 250;

/** Every how many looks cases are read, where those that a service records are made as it records them. */
const OF_OTHERS = 20;

/** Entries that are read at a time. */
const AT_A_TIME = 500;

/** Under which the state keeps how far this has read. */
const NAME = 'cases';
const START = '{}';

/** What a follower works with. */
export interface Followed {
  readonly index: LogIndex;
  readonly cases: Cases;
  readonly queues: readonly Queue[];
  readonly seal: Seal;
  /** Whether this makes all cases; else services make theirs as they record, and this those of other programs. */
  readonly makesAllCases: boolean;
  /** Records in the log that from now on only sealed notes resolve cases. */
  begin(): Promise<unknown>;
  report(line: { readonly event: string; readonly code: string }): void;
}

/** Follows a log, until it is closed. */
export class Follower {
  readonly #of: Followed;
  readonly #closing = new AbortController();
  readonly #ending = new AbortController();
  readonly #waiting = new Set<() => void>();
  /** How far the log was read when the cases were, and the position that the state had then. */
  #state = '';
  #position = '';
  #isReady: boolean;
  #failure: string | undefined;
  readonly #running: Promise<void>;

  constructor(of: Followed) {
    this.#of = of;
    this.#isReady = !of.makesAllCases;
    this.#running = this.#run();
  }

  /** Whether the index and the cases have what was in the log when this began. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Whether nobody is to wait any more, since the service ends. */
  get isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  /** From now on `waitForNews` resolves at once. */
  endWaits(): void {
    this.#ending.abort();
  }

  /** Resolves once the log has more entries, or after that time. */
  async waitForNews(ms: number): Promise<void> {
    const news = new AbortController();
    const wake = () => news.abort();
    this.#waiting.add(wake);
    await pause(ms, AbortSignal.any([news.signal, this.#ending.signal]));
    this.#waiting.delete(wake);
  }

  /** Looks at the log now, so that what was just written is there. */
  async catchUp(): Promise<void> {
    const state = await this.#of.index.catchUp();
    const { makesAllCases, cases } = this.#of;
    // Another position: the cases were cleared, or their store is an earlier one, as after a failover.
    if (state === this.#state && !(makesAllCases && (await cases.position(NAME)) !== this.#position)) return;
    if (makesAllCases) this.#position = await this.#readCases();
    this.#state = state;
    for (const wake of this.#waiting) wake();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { makesAllCases } = this.#of;
    for (let look = 0; !this.#closing.signal.aborted; look++) {
      try {
        if (makesAllCases || this.#waiting.size > 0) await this.catchUp();
        if (!makesAllCases && look % OF_OTHERS === 0) await this.#readCases();
        this.#isReady = true;
        this.#failure = undefined;
      } catch (error) {
        this.#tell(error);
      }
      await pause(EVERY_MS, this.#closing.signal);
    }
  }

  /** Says once what goes wrong; it is tried again. */
  #tell(error: unknown): void {
    const code = VerdictError.is(error) ? error.code : error instanceof Error ? error.name : 'UNKNOWN';
    if (code !== this.#failure) this.#of.report({ event: 'follower.failed', code });
    this.#failure = code;
  }

  /**
   * Opens a case for each review, and closes those that were noted, or decided again; returns the position. INVARIANT:
   * it is kept only once a pass is complete, and if nobody changed it meanwhile. A pass may be repeated: a crash within
   * it loses and doubles nothing.
   */
  async #readCases(): Promise<string> {
    // There is one from the beginning, so that it shows when the cases are cleared during the first pass.
    await this.#of.cases.setPosition(NAME, START, undefined);
    const before = await this.#of.cases.position(NAME);
    let { sealedFrom, read: after } = readPosition(before);
    /** Notes may come before their decisions: those of other chains come later. */
    const notes: Note[] = [];
    const opened = new Map<string, string[]>();
    const again: Extract<NewEntry['entry'], { kind: 'decision' }>[] = [];
    for (let isMore = true; isMore; ) {
      const { entries, next } = await this.#of.index.readNews(after, AT_A_TIME, 'review');
      const cases = entries.flatMap(({ entry }) => caseOf(entry, this.#of.queues) ?? []);
      if (cases.length > 0) await this.#of.cases.open(cases);
      for (const { kind, decision, id } of cases) {
        if (kind !== 'review') opened.set(decision, [...(opened.get(decision) ?? []), id]);
      }
      for (const { entry } of entries) {
        if (entry.kind === 'note') notes.push(entry);
        if (entry.kind === 'erasure') await this.#of.cases.forgetFacts(entry.records);
        if (entry.kind === 'decision' && entry.replaces) again.push(entry);
        // Of several that began at once, the first.
        if (entry.kind === 'event' && entry.type === 'cases.sealed' && !(sealedFrom && sealedFrom <= entry.at)) {
          sealedFrom = entry.at;
        }
      }
      after = next;
      // Not until there are none: while decisions are made, there are always more.
      isMore = entries.length >= AT_A_TIME;
      if (isMore || sealedFrom !== undefined) continue;
      await this.#of.begin();
      isMore = true;
    }
    for (const note of notes) {
      await resolve(note, this.#of.cases, this.#of.seal, { opened: opened.get(note.decision) ?? [], sealedFrom });
    }
    for (const { replaces = '', at } of again) await this.#of.cases.close({ id: replaces, at: Date.parse(at) });
    const position = toJson({ sealedFrom, read: after });
    if (position !== before) await this.#of.cases.setPosition(NAME, position, before);
    return position;
  }
}

interface Position {
  /** Since when the log has only sealed notes: the time of its event. */
  readonly sealedFrom?: string;
  readonly read: NewsPosition;
}

/** The beginning for a text that has another form, such as that of an earlier version. */
function readPosition(text: string | undefined): Position {
  const parsed = text === undefined ? undefined : parseJson(text);
  const position = parsed?.problem === undefined && isObject(parsed?.value) ? parsed.value : {};
  return { read: {}, ...(isObject(position['read']) ? position : {}) };
}
