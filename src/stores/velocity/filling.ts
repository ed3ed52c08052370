/** A store of velocity, a log, the policies in force -> the store kept complete: what it lacks is read from the log. */

import type { LogPlace } from '../../audit/place.ts';
import { kindOf, planKinds } from '../../decision/velocity.ts';
import type { Coverage, PolicyKinds, VelocityStore } from '../../decision/velocity-store.ts';
import { foreignCode, VerdictError } from '../../errors.ts';
import { dayOfInstant } from '../../facts/day.ts';
import { velocitiesIn } from '../../facts/velocity.ts';
import type { Policy } from '../../policy/language.ts';
import { type Rebuilding, rebuildStore } from './rebuild.ts';

/** What a store is kept complete with. */
export interface FillingOptions {
  readonly store: VelocityStore;
  /** The policies in force, by the names that reports and people know. */
  readonly policies: () => ReadonlyMap<string, Policy>;
  /** Undefined without a log. */
  readonly place: LogPlace | undefined;
  /** The id of the log. */
  readonly log: string | undefined;
  /** How long after a decision began its record may come, in milliseconds. */
  readonly recordedWithinMs: number;
  /** Called with what people have to know. */
  readonly report: (line: Readonly<Record<string, unknown>>) => void;
}

/** From when on the counts of a policy are complete. */
export interface Lacking {
  /** Its name among those in force. */
  readonly policy: string;
  /** The day from which on all are, yyyy-MM-dd. */
  readonly completeOn: string;
}

/** A process that counted may have ended before the store knew what it missed: a start looks back so far. */
const LOOK_BACK_MS = 3_600_000;

/** Fills one at a time. */
export class Filling {
  readonly #options: FillingOptions;
  #last: Promise<void> = Promise.resolve();
  #lacking: readonly Lacking[] = [];

  constructor(options: FillingOptions) {
    this.#options = options;
  }

  /**
   * Before policies decide: what the store lacks of them is read from the log. Without a log, a new store is complete,
   * since nothing came before. Never rejects: what could not be filled is incomplete.
   */
  start(): Promise<void> {
    return this.#next(async () => {
      const { store, place, report } = this.#options;
      const counting = this.#counting();
      const [first] = counting.values();
      if (!first) return;
      const { policies: known, filledTo } = await store.coverage(kindsOf(first, store));
      const isNew = known === 0;
      if (isNew) report({ event: 'velocity.new', counts: place ? 'from the log' : 'from now on' });
      for (const [name, policy] of counting) {
        const from = filledTo === undefined ? 0 : filledTo - LOOK_BACK_MS;
        if (place && (await this.#isLacking(policy))) await this.#fill(name, policy);
        else if (place && from > 0) void this.#next(() => this.#fill(name, policy, { from }));
        else if (!place)
          await store.cover({ ...kindsOf(policy, store), at: Date.now(), ...(isNew ? { since: 0 } : {}) });
      }
      await this.#closeGap();
    });
  }

  /**
   * What an edited policy lacks: before it comes into force, while the one in force still decides, all but the last;
   * and once all decisions by that one are on record, the rest.
   */
  fill(name: string, policy: Policy, isComplete: boolean): Promise<void> {
    return this.#next(async () => {
      if (this.#options.place && (await this.#isLacking(policy))) await this.#fill(name, policy, { isComplete });
    });
  }

  /** From time to time: what was decided while the store was away, once it is there again and all is on record. */
  heal(): Promise<void> {
    return this.#next(() => this.#closeGap());
  }

  /** The policies whose counts were not complete when the store was last asked. */
  get lacking(): readonly Lacking[] {
    return this.#lacking;
  }

  /** The policies in force that count something. */
  #counting(): ReadonlyMap<string, Policy> {
    return new Map([...this.#options.policies()].filter(([, { facts }]) => velocitiesIn(facts).size > 0));
  }

  async #findLacking(): Promise<void> {
    const { store } = this.#options;
    const lacking: Lacking[] = [];
    for (const [name, policy] of this.#counting()) {
      const completeAt = completeAtOf(policy, await store.coverage(kindsOf(policy, store)));
      if (completeAt > Date.now()) lacking.push({ policy: name, completeOn: dayOfInstant(completeAt) });
    }
    this.#lacking = lacking;
  }

  async #isLacking(policy: Policy): Promise<boolean> {
    const { store } = this.#options;
    const coverage = await store.coverage(kindsOf(policy, store));
    return completeAtOf(policy, { ...coverage, gap: undefined }) > Date.now();
  }

  async #closeGap(): Promise<void> {
    const { store, place, log, recordedWithinMs } = this.#options;
    const policies = [...this.#counting()];
    const first = policies[0]?.[1];
    if (!first || !place) return;
    const { gap } = await store.coverage(kindsOf(first, store));
    const now = Date.now();
    if (!gap) await store.cover({ ...kindsOf(first, store), at: now, ...(log === undefined ? {} : { log }) });
    else if (gap.to + recordedWithinMs < now) {
      for (const [i, [name, policy]] of policies.entries()) {
        await this.#fill(name, policy, { from: gap.from, closesGap: i === policies.length - 1 });
      }
    }
  }

  async #fill(name: string, policy: Policy, how: Omit<Rebuilding, 'store' | 'policy' | 'now'> = {}): Promise<void> {
    const { store, place, report } = this.#options;
    if (!place) return;
    const { decisions } = await rebuildStore(place, { store, policy, now: Date.now(), ...how });
    report({ event: 'velocity.filled', policy: name, decisions });
  }

  #next(run: () => Promise<void>): Promise<void> {
    const filled = async () => {
      try {
        await run();
        await this.#findLacking();
      } catch (error) {
        const code = VerdictError.is(error) ? error.code : foreignCode(error);
        this.#options.report({ event: 'velocity.notFilled', code });
      }
    };
    this.#last = this.#last.then(filled);
    return this.#last;
  }
}

function kindsOf(policy: Policy, store: VelocityStore): PolicyKinds {
  return planKinds(policy.name, velocitiesIn(policy.facts), store);
}

/** When all windows of a policy have passed what was not counted, in milliseconds since 1970. */
function completeAtOf({ facts }: Policy, { since, gap }: Coverage): number {
  const times = Array.from(velocitiesIn(facts).values(), (velocity) => {
    const from = Math.max(since.get(kindOf(velocity)) ?? Date.now(), gap ? gap.to + 1 : 0);
    const isByChoice = velocity.since !== undefined && Date.parse(velocity.since) >= from;
    return from === 0 || isByChoice ? 0 : from - 1 + velocity.withinMs;
  });
  return Math.max(0, ...times);
}
