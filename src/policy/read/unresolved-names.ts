/** The declarations of a policy that could not be read -> whether an unknown name may be one of them. */

/** The kinds of names that a policy declares. */
export type Declared = 'fact' | 'condition' | 'list' | 'parameter';

/** The path of a fact that a policy can declare; all others are in the catalog. */
const OWN_FACT = /^(context|identity)\./;

/** Declarations that were reported already: that their names are unknown is not reported again. */
export class UnresolvedNames {
  readonly #names = new Set<string>();
  readonly #kinds = new Set<Declared>();
  /** The names that were taken to be declared. */
  readonly assumed = new Set<string>();

  /** Notes that one declaration could not be read. */
  addName(kind: Declared, name: string): void {
    this.#names.add(`${kind} ${name}`);
  }

  /** Notes that some declarations of these kinds could not be read; their names are not known. */
  addKinds(...kinds: readonly Declared[]): void {
    for (const kind of kinds) this.#kinds.add(kind);
  }

  /** Whether a name that is not declared may be one of these. */
  mayInclude(kind: Declared, name: string): boolean {
    const isOneOfKind = this.#kinds.has(kind) && (kind !== 'fact' || OWN_FACT.test(name));
    if (!isOneOfKind && !this.#names.has(`${kind} ${name}`)) return false;
    this.assumed.add(name);
    return true;
  }
}
