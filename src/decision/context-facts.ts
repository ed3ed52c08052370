/** A caller's own `context.…` values and functions -> facts, each fetched when it is first needed. */

import { VerdictError } from '../errors.ts';
import type { FactDefinition, FactTable } from '../facts/catalog.ts';
import type { Fact, FactValue } from '../facts/fact.ts';
import { readFact } from '../facts/read.ts';
import { didYouMean, printable } from '../text.ts';

/** A value, or nothing where it is not known. */
export type ContextValue<Value extends FactValue = FactValue> = Value | null | undefined;

/**
 * A value or a function that gives one, called at most once a decision, when a rule first needs it. One that throws or
 * rejects leaves the fact missing with the cause `sourceFailed`. The signal is the caller's own.
 */
export type ContextFact<Value extends FactValue = FactValue> =
  | ContextValue<Value>
  | ((signal?: AbortSignal) => ContextValue<Value> | Promise<ContextValue<Value>>);

/** Facts beside the applicant, by what follows `context.` in the path: `{ channel: 'web' }` is `context.channel`. */
export type Context = Readonly<Record<string, ContextFact>>;

const PREFIX = 'context.';

/** The own facts of one decision, each fetched at most once. */
export class ContextFacts {
  readonly #given = new Map<string, ContextFact>();
  readonly #table: FactTable;
  readonly #day: string;
  readonly #signal: AbortSignal | undefined;
  readonly #fetched = new Map<string, Promise<Fact>>();

  /** Throws `REQUEST_INVALID` for a fact that the policy does not declare. */
  constructor(context: Context, table: FactTable, day: string, signal: AbortSignal | undefined) {
    this.#table = table;
    this.#day = day;
    this.#signal = signal;
    for (const [name, value] of Object.entries(context)) {
      const path = PREFIX + name;
      if (table.get(path)?.origin !== 'caller') throw undeclared(path, table);
      this.#given.set(path, value);
    }
  }

  /** One of them; undefined for a fact that is not the caller's. Never rejects. */
  fetch(path: string): Promise<Fact> | undefined {
    const definition = this.#table.get(path);
    if (definition?.origin !== 'caller') return undefined;
    let fact = this.#fetched.get(path);
    if (!fact) {
      fact = this.#fetch(definition, this.#given.get(path));
      this.#fetched.set(path, fact);
    }
    return fact;
  }

  /** Those of these facts that are the caller's, by path. */
  async fetchAll(paths: Iterable<string>): Promise<readonly (readonly [string, Fact])[]> {
    const fetched = [...paths].map(async (path) => [path, await this.fetch(path)] as const);
    return (await Promise.all(fetched)).flatMap(([path, fact]) => (fact ? [[path, fact] as const] : []));
  }

  /** All of these facts; undefined where a function would give it that was not called. Calls none. */
  async known(): Promise<readonly (readonly [string, Fact | undefined])[]> {
    const known = [...this.#table].flatMap(([path, { origin }]) => {
      if (origin !== 'caller') return [];
      const isThere = this.#fetched.has(path) || typeof this.#given.get(path) !== 'function';
      return [[path, isThere ? this.fetch(path) : undefined] as const];
    });
    return Promise.all(known.map(async ([path, fact]) => [path, await fact] as const));
  }

  async #fetch(definition: FactDefinition, given: ContextFact): Promise<Fact> {
    try {
      const value = typeof given === 'function' ? await given(this.#signal) : given;
      return readFact(definition, { value: value ?? null }, this.#day);
    } catch {
      return { missing: 'sourceFailed' };
    }
  }
}

function undeclared(path: string, table: FactTable): VerdictError {
  const declared = [...table].filter(([, { origin }]) => origin === 'caller').map(([declaredPath]) => declaredPath);
  const { hint } = didYouMean(path, declared);
  const said = `the policy declares no fact "${printable(path.slice(0, 80))}"`;
  return new VerdictError('REQUEST_INVALID', hint === undefined ? said : `${said}; ${hint}`, { carriedOut: 'no' });
}
