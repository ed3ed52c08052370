/** What of a policy's declarations could not be read -> whether an unknown name may be one of them. */

/** What can be declared. */
export type Declared = 'fact' | 'condition' | 'list';

/** A fact of a caller's own, declared or not; others are in the catalog. */
const OWN_FACT = /^(context|identity)\./;

/** Declarations that have been reported already. That their names are unknown is no second mistake. */
export class UnresolvedNames {
  readonly #names = new Set<string>();
  readonly #kinds = new Set<Declared>();

  /** Notes that one declaration could not be read. */
  addName(kind: Declared, name: string): void {
    this.#names.add(`${kind} ${name}`);
  }

  /** Notes that declarations of these kinds, nobody knows which, could not be read. */
  addKinds(...kinds: readonly Declared[]): void {
    for (const kind of kinds) this.#kinds.add(kind);
  }

  /** Whether a name that is not declared may be one of those. */
  mayInclude(kind: Declared, name: string): boolean {
    if (this.#names.has(`${kind} ${name}`)) return true;
    return this.#kinds.has(kind) && (kind !== 'fact' || OWN_FACT.test(name));
  }
}
