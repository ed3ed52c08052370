/** Applicants whose outcome changes, one after the other -> how many there are in which states of a space. */

import type { Facts } from '../../facts/fact.ts';
import { MOST_STATES_SEEN } from '../limits.ts';
import { statesOn } from '../space/space.ts';
import type { Change } from './parts.ts';
import { type Search, withComputed } from './search.ts';

/** Applicants of one change, with the same state of each variable; -1 for those in none of its states. */
export interface SeenChange extends Change {
  readonly states: readonly number[];
  readonly applicants: number;
}

/** Counts them; the memory grows with the states that are seen, up to a limit. */
export class SeenChanges {
  readonly #search: Search;
  readonly #inForceOn: string | undefined;
  readonly #most: number;
  readonly #counts = new Map<string, { readonly seen: Omit<SeenChange, 'applicants'>; n: number }>();
  /** Those who are not counted, because too many states were seen before. */
  beyond = 0;

  /**
   * @param inForceOn the day whose rules and entries count. Default: that of the applicant
   * @param most how many combinations of states are counted
   */
  constructor(search: Search, inForceOn?: string, most = MOST_STATES_SEEN) {
    [this.#search, this.#inForceOn, this.#most] = [search, inForceOn, most];
  }

  /** Adds an applicant, with the facts as both policies read them. */
  add({ facts, day }: { readonly facts: Facts; readonly day: string }, { from, to }: Change): void {
    const states = statesOn(this.#search.space, withComputed(this.#search, facts), day, this.#inForceOn);
    const key = `${from} ${to} ${String.fromCharCode(...states.map((state) => state + 1))}`;
    const known = this.#counts.get(key);
    if (known) known.n += 1;
    else if (this.#counts.size < this.#most) this.#counts.set(key, { seen: { from, to, states }, n: 1 });
    else this.beyond += 1;
  }

  /** The commonest first. */
  get all(): readonly SeenChange[] {
    const all = [...this.#counts.values()].map(({ seen, n }) => ({ ...seen, applicants: n }));
    return all.sort((one, other) => other.applicants - one.applicants);
  }
}
