/** The news of the log -> cases of the review queue, and those who wait for news. */

import type { LogIndex, NewEntry, NewsPosition } from '../audit/index/log-index.ts';
import { isDerivedId } from '../audit/query/note.ts';
import { VerdictError } from '../errors.ts';
import { isObject, parseJson } from '../platform/json.ts';
import { pause } from '../signals/deadline.ts';
import type { Case, Cases, NewCase } from '../stores/state/cases.ts';
import { toJson } from '../text.ts';
import type { Queue } from './config.ts';
import { derivedId, type Seal } from './note-id.ts';
import { queueOf } from './queues.ts';

/** How often the log is looked at. */
const EVERY_MS = 250;

/** Entries that are read at a time. */
const AT_A_TIME = 500;

/** Under which the state keeps how far this has read. */
const NAME = 'cases';
const START = '{}';

type Note = Extract<NewEntry['entry'], { kind: 'note' }>;

/** What a follower works with. */
export interface Followed {
  readonly index: LogIndex;
  readonly cases: Cases;
  readonly queues: readonly Queue[];
  readonly seal: Seal;
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
  #isReady = false;
  #failure: string | undefined;
  readonly #running: Promise<void>;

  constructor(of: Followed) {
    this.#of = of;
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
    // Another position: the cases were cleared, or their store is an earlier one, as after a failover.
    if (state === this.#state && (await this.#of.cases.position(NAME)) === this.#position) return;
    this.#position = await this.#readCases();
    this.#state = state;
    for (const wake of this.#waiting) wake();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.catchUp();
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
      const cases = entries.flatMap(({ entry }) => this.#caseOf(entry) ?? []);
      if (cases.length > 0) await this.#of.cases.open(cases);
      for (const { kind, decision, id } of cases) {
        if (kind !== 'review') opened.set(decision, [...(opened.get(decision) ?? []), id]);
      }
      for (const { entry } of entries) {
        if (entry.kind === 'note') notes.push(entry);
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
      const { id, decision, disposition, at } = note;
      const resolved = this.#resolvedBy(note, opened.get(decision) ?? [], sealedFrom);
      if (resolved) {
        await this.#of.cases.finishResolve({ decision, note: id, disposition, at: Date.parse(at), ...resolved });
      }
    }
    for (const { replaces = '', at } of again) await this.#of.cases.close({ id: replaces, at: Date.parse(at) });
    const position = toJson({ sealedFrom, read: after });
    if (position !== before) await this.#of.cases.setPosition(NAME, position, before);
    return position;
  }

  /**
   * The case that a note resolves; without an id, the one that waits for this note, else the review of its decision.
   * Undefined if it resolves none.
   */
  #resolvedBy(
    { id, disposition, at, resolves }: Note,
    opened: readonly string[],
    sealedFrom = '',
  ): { readonly id?: string } | undefined {
    if (disposition !== 'approve' && disposition !== 'decline') return undefined;
    if (resolves) return this.#of.seal.note(resolves) === id ? { id: resolves.case } : undefined;
    if (!isDerivedId(id)) return {};
    if (at >= sealedFrom) return undefined;
    const waiting = opened.find((each) => isEarlierNote(id, each));
    return waiting === undefined ? {} : { id: waiting };
  }

  #caseOf(entry: NewEntry['entry']): NewCase | undefined {
    if (entry.kind === 'decision' && entry.outcome === 'review') {
      const queue = queueOf(this.#of.queues, entry);
      return queue && newCase(entry.id, entry.id, 'review', queue, entry.at);
    }
    if (entry.kind === 'event' && entry.type === 'case.opened' && entry.object !== undefined) {
      const queue = this.#of.queues.at(-1);
      const kind = entry.detail === 'recheck' ? 'recheck' : 'challenge';
      return queue && { ...newCase(entry.id, entry.object, kind, queue, entry.at), opener: entry.actor };
    }
    return undefined;
  }
}

function newCase(id: string, decision: string, kind: Case['kind'], queue: Queue, at: string): NewCase {
  const openedAt = Date.parse(at);
  return { id, decision, kind, queue: queue.name, openedAt, due: openedAt + queue.withinMs };
}

/** More holders than a case had. */
const MOST_TOKENS = 1000;

/** Whether a note that is not sealed has the id that followed from the case and the token of its holder. */
function isEarlierNote(note: string, id: string): boolean {
  for (let token = 1; token <= MOST_TOKENS; token++) if (derivedId(`${id} ${token}`) === note) return true;
  return false;
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
  return isObject(position['read']) ? (position as unknown as Position) : { read: {} };
}
