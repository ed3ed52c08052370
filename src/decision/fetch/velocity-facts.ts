/** One application and a store of velocity -> the facts of what was counted, and later its outcome in the store. */

import { foreignCode } from '../../errors.ts';
import { dayOfInstant } from '../../facts/day.ts';
import type { Fact, MissingFact } from '../../facts/fact.ts';
import { NOT_GIVEN } from '../../facts/fact-reader.ts';
import type { Tell } from '../../platform/events.ts';
import type { Outcome } from '../../policy/language.ts';
import { type Deadline, untilStopped } from '../../signals/deadline.ts';
import type { DecisionEvent } from '../events.ts';
import { planAsking, planCounting, type Seen, type Velocities } from '../velocity.ts';
import type { Counted, CountedNumber, VelocityStore } from '../velocity-store.ts';

const NO_STORE: MissingFact = { missing: 'notRequested' };
const FAILED: MissingFact = { missing: 'sourceFailed' };
const NONE_SEEN: MissingFact = { missing: 'noneSeen' };

/** In place of an answer of the store that had not come at the deadline. */
const LATE = Symbol('late');

/** What one application is counted with. */
export interface VelocityFactsOptions {
  /** The name of the policy. */
  readonly policy: string;
  readonly velocities: Velocities;
  readonly store: VelocityStore | undefined;
  readonly deadline: Deadline;
  readonly tell: Tell<DecisionEvent>;
  /** What is counted of the application. Never rejects. */
  seen(): Promise<Seen>;
  /** Whether there may be applications that a new store has not seen. Never rejects. */
  hasPast(): Promise<boolean>;
}

/** The counts of one decision: a single call to the store, made as soon as there is a decision to make. */
export class VelocityFacts {
  readonly #options: VelocityFactsOptions;
  #seen: Seen | undefined;
  #application: string | undefined;
  /** Every fact by its path; undefined before the application is counted. */
  #counted: Promise<ReadonlyMap<string, Fact>> | undefined;

  constructor(options: VelocityFactsOptions) {
    this.#options = options;
  }

  /** A fact that is counted; undefined for any other fact. Never rejects. */
  fetch(path: string): Promise<Fact> | undefined {
    if (!this.#options.velocities.has(path)) return undefined;
    return this.known().then((facts) => facts.get(path) ?? NOT_GIVEN);
  }

  /** The counts among these paths. */
  async fetchAll(paths: ReadonlySet<string>): Promise<readonly (readonly [string, Fact])[]> {
    const wanted = [...this.#options.velocities.keys()].filter((path) => paths.has(path));
    if (wanted.length === 0) return [];
    const facts = await this.known();
    return wanted.map((path) => [path, facts.get(path) ?? NOT_GIVEN] as const);
  }

  /** All of these facts: counts the application, once. Without velocities it does nothing. Never rejects. */
  known(): Promise<ReadonlyMap<string, Fact>> {
    this.#counted ??= this.#count();
    return this.#counted;
  }

  /** The id of the application, if it was counted. Never rejects. */
  async application(): Promise<string | undefined> {
    await this.known();
    return this.#application;
  }

  /**
   * Sets the outcome of an application that was counted, where it is asked for. The decision waits for it, at most
   * until its deadline. Never rejects: a store that failed has told so.
   */
  async setOutcome(outcome: Outcome): Promise<void> {
    const { velocities, store, deadline } = this.#options;
    const application = await this.application();
    const seen = this.#seen;
    const isAsked = [...velocities.values()].some(({ where }) => where?.key === 'outcome');
    if (!store || !seen || application === undefined || !isAsked) return;
    const known = { outcome: { value: outcome, at: Date.now() } };
    const set = async () => store.know({ ...planAsking({ ...seen, application }, store), known });
    const setting = set().catch((error: unknown) => this.#tellFailed('outcome', error));
    await untilStopped<unknown>(setting, deadline, () => LATE);
  }

  async #count(): Promise<ReadonlyMap<string, Fact>> {
    const { policy, velocities, store, deadline, hasPast } = this.#options;
    const all = (fact: Fact) => new Map([...velocities.keys()].map((path) => [path, fact]));
    if (!store || velocities.size === 0) return all(NO_STORE);
    try {
      this.#seen = await this.#options.seen();
      const { counting, paths } = planCounting(policy, velocities, this.#seen, store);
      const facts = all(NOT_GIVEN);
      const asking = hasPast().then((past) => store.count({ ...counting, hasPast: past }));
      const counted = await untilStopped<unknown>(asking, deadline, () => LATE);
      if (counted === LATE) throw new Error('the store had not counted when the decision ended');
      if (!isCounted(counted, paths.length)) throw new TypeError('the store gave no counts');
      this.#application = counted.application;
      for (const [i, path] of paths.entries()) facts.set(path, factOf(counted.counts[i] ?? null));
      return facts;
    } catch (error) {
      this.#tellFailed('count', error);
      return all(FAILED);
    }
  }

  #tellFailed(step: 'count' | 'outcome', error: unknown): void {
    const cause = foreignCode(error);
    this.#options.tell({ type: 'velocityFailed', step, ...(cause === undefined ? {} : { cause }) }, { thrown: error });
  }
}

function factOf(count: CountedNumber): Fact {
  if (typeof count === 'number') return { value: count };
  return count === null ? NONE_SEEN : { missing: 'incomplete', completeOn: dayOfInstant(count.completeAt) };
}

/** A store of the caller's own may give anything. */
function isCounted(data: unknown, length: number): data is Counted {
  const { application, counts } = (data ?? {}) as Partial<Counted>;
  const isOne = (each: unknown) => each === null || Number.isFinite(each) || Number.isFinite(Object(each).completeAt);
  return typeof application === 'string' && counts?.length === length && Array.from(counts).every(isOne);
}
