/** The type of a word that the editor completes and explains. It imports nothing, since the browser uses it too. */

/** A word that can be written in a policy. */
export interface EditorWord {
  readonly kind: 'fact' | 'operator' | 'key' | 'list' | 'condition' | 'parameter';
  /** As it is written. */
  readonly name: string;
  /** For people. */
  readonly about: string;
  /** The type of a fact, or the types of facts that an operator is for. */
  readonly types?: readonly string[];
  /** The values that a fact can have, if there are few. */
  readonly values?: readonly string[];
}
