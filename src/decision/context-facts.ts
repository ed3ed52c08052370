/** The caller's `context.…` values and functions -> facts, each fetched when it is first needed. */

import { VerdictError } from '../errors.ts';
import type { FactDefinition, FactTable } from '../facts/catalog.ts';
import type { Fact, FactValue } from '../facts/fact.ts';
import { readFact } from '../facts/read.ts';
import { didYouMean, printable } from '../text.ts';

/** A value; null or undefined for an unknown one. */
export type ContextValue<Value extends FactValue = FactValue> = Value | null | undefined;

/**
 * A value, or a function that returns one. The function is called at most once a decision, when a rule first
 * needs the fact, with the caller's own signal. If it throws or rejects, the fact is missing with the cause
 * `sourceFailed`.
 */
export type ContextFact<Value extends FactValue = FactValue> =
  | ContextValue<Value>
  | ((signal?: AbortSignal) => ContextValue<Value> | Promise<ContextValue<Value>>);

/** The caller's own facts, keyed by the path without `context.`: `{ channel: 'web' }` is `context.channel`. */
export type Context = Readonly<Record<string, ContextFact>>;

const PREFIX = 'context.';

/** The context facts of one decision, each fetched at most once. */
export class ContextFacts {
  readonly #values = new Map<string, ContextFact>();
  readonly #table: FactTable;
  readonly #day: string;
  readonly #signal: AbortSignal | undefined;
  readonly #fetched = new Map<string, Promise<Fact>>();

  /** Throws REQUEST_INVALID for a fact that the policy does not declare. */
  constructor(context: Context, table: FactTable, day: string, signal: AbortSignal | undefined) {
    this.#table = table;
    this.#day = day;
    this.#signal = signal;
    for (const [name, value] of Object.entries(context)) {
      const path = PREFIX + name;
      if (table.get(path)?.origin !== 'caller') throw undeclared(path, table);
      this.#values.set(path, value);
    }
  }

  /** A context fact; undefined for any other fact. Never rejects. */
  fetch(path: string): Promise<Fact> | undefined {
    const definition = this.#table.get(path);
    if (definition?.origin !== 'caller') return undefined;
    let fact = this.#fetched.get(path);
    if (!fact) {
      fact = this.#fetch(definition, this.#values.get(path));
      this.#fetched.set(path, fact);
    }
    return fact;
  }

  /** The context facts among these paths. */
  async fetchAll(paths: Iterable<string>): Promise<readonly (readonly [string, Fact])[]> {
    const fetched = [...paths].map(async (path) => [path, await this.fetch(path)] as const);
    return (await Promise.all(fetched)).flatMap(([path, fact]) => (fact ? [[path, fact] as const] : []));
  }

  /** Every context fact that needs no call; undefined for one whose function was not called. */
  async known(): Promise<readonly (readonly [string, Fact | undefined])[]> {
    const known = [...this.#table].flatMap(([path, { origin }]) => {
      if (origin !== 'caller') return [];
      const isKnown = this.#fetched.has(path) || typeof this.#values.get(path) !== 'function';
      return [[path, isKnown ? this.fetch(path) : undefined] as const];
    });
    return Promise.all(known.map(async ([path, fact]) => [path, await fact] as const));
  }

  async #fetch(definition: FactDefinition, context: ContextFact): Promise<Fact> {
    try {
      const value = typeof context === 'function' ? await context(this.#signal) : context;
      return readFact(definition, { value: value ?? null }, this.#day);
    } catch {
      return { missing: 'sourceFailed' };
    }
  }
}

function undeclared(path: string, table: FactTable): VerdictError {
  const declared = [...table].filter(([, { origin }]) => origin === 'caller').map(([declaredPath]) => declaredPath);
  const { hint } = didYouMean(path, declared);
  const message = `the policy declares no fact "${printable(path.slice(0, 80))}"`;
  return new VerdictError('REQUEST_INVALID', hint === undefined ? message : `${message}; ${hint}`, {
    carriedOut: 'no',
  });
}
