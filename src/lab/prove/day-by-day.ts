/** What a policy asks for, and a day -> what happens to no applicant on it, nor on any later day that differs. */

import type { Reasoner } from '../question/reasoner.ts';
import type { Steps } from '../steps.ts';

/** What is known of things of one kind on one day; what is not named happens to some applicant. */
export interface DayFindings<Item, Proof> {
  readonly never: ReadonlyMap<Item, Proof>;
  readonly undecided: readonly Item[];
}

/** Things of one kind, and the question whether they happen to any applicant. */
export interface Kind<Item, Proof> {
  itemsOn(day: string): readonly Item[];
  ask(reasoner: Reasoner, items: readonly Item[], steps: Steps): Promise<DayFindings<Item, Proof>>;
}

/** Asks about things day by day, until they happen to some applicant. */
export class DayByDay<Item, Proof> {
  readonly #kind: Kind<Item, Proof>;
  readonly #happens = new Set<Item>();
  readonly #undecided = new Set<Item>();
  readonly #never = new Map<Item, Proof[]>();

  constructor(kind: Kind<Item, Proof>) {
    this.#kind = kind;
  }

  /** Those that happen to no applicant, as far as is known. */
  openOn(day: string): readonly Item[] {
    return this.#kind.itemsOn(day).filter((item) => !this.#happens.has(item));
  }

  async ask(reasoner: Reasoner, steps: Steps): Promise<void> {
    const open = this.openOn(reasoner.space.day);
    if (open.length === 0) return;
    const { never, undecided } = await this.#kind.ask(reasoner, open, steps);
    for (const [item, proof] of never) this.#never.set(item, [...(this.#never.get(item) ?? []), proof]);
    for (const item of undecided) this.#undecided.add(item);
    for (const item of open) if (!never.has(item) && !undecided.includes(item)) this.#happens.add(item);
  }

  /** Says that there were no steps for a day. */
  leaveOpen(day: string): void {
    for (const item of this.openOn(day)) this.#undecided.add(item);
  }

  /** Those that happen to no applicant on any of the days, each with what was found on each day. */
  get never(): readonly (readonly [item: Item, proofs: readonly Proof[]])[] {
    return [...this.#never].filter(([item]) => !this.#happens.has(item) && !this.#undecided.has(item));
  }

  get undecided(): readonly Item[] {
    return [...this.#undecided].filter((item) => !this.#happens.has(item));
  }
}
