/** Things that a policy asks for -> those that happen to nobody, on the day of the check or on any later one. */

import type { Reasoner, Time } from '../../question/reasoner.ts';

/** What is known of things of one kind on one day; what is not named happens to somebody. */
export interface DayFindings<Item, Proof> {
  readonly never: ReadonlyMap<Item, Proof>;
  readonly undecided: readonly Item[];
}

/** Things of one kind, and the question whether they happen to anybody. */
export interface Kind<Item, Proof> {
  itemsOn(day: string): readonly Item[];
  ask(reasoner: Reasoner, items: readonly Item[], time: Time): Promise<DayFindings<Item, Proof>>;
}

/** Asks about things on one day after the other, until they happen to somebody. */
export class Nobody<Item, Proof> {
  readonly #kind: Kind<Item, Proof>;
  readonly #happens = new Set<Item>();
  readonly #undecided = new Set<Item>();
  readonly #never = new Map<Item, Proof[]>();

  constructor(kind: Kind<Item, Proof>) {
    this.#kind = kind;
  }

  /** Those that happen to nobody, as far as is known. */
  openOn(day: string): readonly Item[] {
    return this.#kind.itemsOn(day).filter((item) => !this.#happens.has(item));
  }

  async ask(reasoner: Reasoner, time: Time): Promise<void> {
    const open = this.openOn(reasoner.space.day);
    if (open.length === 0) return;
    const { never, undecided } = await this.#kind.ask(reasoner, open, time);
    for (const [item, proof] of never) this.#never.set(item, [...(this.#never.get(item) ?? []), proof]);
    for (const item of undecided) this.#undecided.add(item);
    for (const item of open) if (!never.has(item) && !undecided.includes(item)) this.#happens.add(item);
  }

  /** Says that there was no time for a day. */
  leaveOpen(day: string): void {
    for (const item of this.openOn(day)) this.#undecided.add(item);
  }

  /** Those that happen to nobody on any of the days, each with what was found on each day. */
  get never(): readonly (readonly [item: Item, proofs: readonly Proof[]])[] {
    return [...this.#never].filter(([item]) => !this.#happens.has(item) && !this.#undecided.has(item));
  }

  get undecided(): readonly Item[] {
    return [...this.#undecided].filter((item) => !this.#happens.has(item));
  }
}
