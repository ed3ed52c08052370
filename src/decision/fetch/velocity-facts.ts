/** One application and a store of velocity -> the facts of what was counted, and later its outcome in the store. */

import { foreignCode } from '../../errors.ts';
import { type Fact, isMissing, type MissingFact } from '../../facts/fact.ts';
import { NOT_GIVEN } from '../../facts/fact-reader.ts';
import type { Tell } from '../../platform/events.ts';
import type { Outcome } from '../../policy/language.ts';
import { type Deadline, untilStopped } from '../../signals/deadline.ts';
import type { DecisionEvent } from '../events.ts';
import { planCounting, planOutcome, type Seen, type Velocities } from '../velocity.ts';
import type { VelocityStore } from '../velocity-store.ts';

const NO_STORE: MissingFact = { missing: 'notRequested' };
const FAILED: MissingFact = { missing: 'sourceFailed' };

/** In place of an answer of the store that had not come at the deadline. */
const LATE = Symbol('late');

/** What one application is counted with. */
export interface VelocityFactsOptions {
  readonly velocities: Velocities;
  readonly store: VelocityStore | undefined;
  readonly deadline: Deadline;
  readonly tell: Tell<DecisionEvent>;
  /** What is counted of the application. Never rejects. */
  seen(): Promise<Seen>;
}

/** The counts of one decision: a single call to the store, made as soon as there is a decision to make. */
export class VelocityFacts {
  readonly #options: VelocityFactsOptions;
  #seen: Seen | undefined;
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

  /**
   * Adds the outcome of an application that was counted. The decision waits for it, at most until its deadline. Never
   * rejects: a store that failed has told so.
   */
  async addOutcome(outcome: Outcome): Promise<void> {
    const { velocities, store, deadline } = this.#options;
    const counted = await this.known();
    const isCounted = [...counted.values()].some((fact) => !isMissing(fact));
    const seen = this.#seen;
    if (!store || !seen || !isCounted) return;
    const add = async () => {
      const members = planOutcome(velocities, seen, outcome, store);
      if (members.length > 0) await store.add(members);
    };
    const adding = add().catch((error: unknown) => this.#tellFailed('outcome', error));
    await untilStopped<unknown>(adding, deadline, () => LATE);
  }

  async #count(): Promise<ReadonlyMap<string, Fact>> {
    const { velocities, store, deadline } = this.#options;
    const all = (fact: Fact) => new Map([...velocities.keys()].map((path) => [path, fact]));
    if (!store || velocities.size === 0) return all(NO_STORE);
    try {
      this.#seen = await this.#options.seen();
      const { counting, paths } = planCounting(velocities, this.#seen, store);
      const asked = counting.counts.length === 0 ? [] : store.count(counting);
      const numbers = await untilStopped<unknown>(Promise.resolve(asked), deadline, () => LATE);
      if (numbers === LATE) throw new Error('the store had not counted when the decision ended');
      if (!areCounts(numbers, paths.length)) throw new TypeError('the store gave no counts');
      const facts = all(NOT_GIVEN);
      for (const [i, path] of paths.entries()) facts.set(path, { value: numbers[i] as number });
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

/** A store of the caller's own may give anything. */
function areCounts(numbers: unknown, length: number): numbers is readonly number[] {
  const isCount = (each: unknown) => Number.isSafeInteger(each) && (each as number) >= 0;
  return Array.isArray(numbers) && numbers.length === length && Array.from(numbers).every(isCount);
}
