/** The caller's `context.…` values and functions -> facts, each fetched when it is first needed. */

import { VerdictError } from '../../errors.ts';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import type { Fact, FactValue } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
import { canonicalJson } from '../../platform/digest.ts';
import type { Tell } from '../../platform/events.ts';
import { type Deadline, untilStopped } from '../../signals/deadline.ts';
import { didYouMean, printable } from '../../text.ts';
import type { DecisionEvent } from '../events.ts';

/** A value; null or undefined for an unknown one. */
export type ContextValue<Value extends FactValue = FactValue> = Value | null | undefined;

/**
 * A value, or a function that returns one. The function is called at most once a decision, when a rule first
 * needs the fact. If it throws, rejects, or has not settled at the deadline of the decision, the fact is missing with
 * the cause `sourceFailed`. Its signal aborts at that deadline, and with the caller's own signal.
 */
export type ContextFact<Value extends FactValue = FactValue> =
  | ContextValue<Value>
  | ((signal?: AbortSignal) => ContextValue<Value> | Promise<ContextValue<Value>>);

/** The caller's own facts, keyed by the path without `context.`: `{ channel: 'web' }` is `context.channel`. */
export type Context = Readonly<Record<string, ContextFact>>;

const PREFIX = 'context.';

/** The result in place of a value that had not arrived at the deadline. */
const LATE = Symbol('late');

/** The values and functions by path. Throws REQUEST_INVALID for a fact that the policy does not declare. */
export function readContext(context: Context, table: FactTable): ReadonlyMap<string, ContextFact> {
  const values = Object.entries(context).map(([name, value]) => {
    const path = PREFIX + name;
    if (table.get(path)?.origin !== 'caller') throw undeclaredError(path, table);
    return [path, value] as const;
  });
  return new Map(values);
}

/** The context facts of one decision, each fetched at most once. */
export class ContextFacts {
  readonly #values: ReadonlyMap<string, ContextFact>;
  readonly #table: FactTable;
  readonly #day: string;
  readonly #deadline: Deadline;
  readonly #tell: Tell<DecisionEvent>;
  readonly #fetched = new Map<string, Fact | Promise<Fact>>();

  constructor(
    values: ReadonlyMap<string, ContextFact>,
    table: FactTable,
    day: string,
    deadline: Deadline,
    tell: Tell<DecisionEvent> = () => {},
  ) {
    this.#tell = tell;
    this.#values = values;
    this.#table = table;
    this.#day = day;
    this.#deadline = deadline;
  }

  /** A context fact, as a promise if a function returns it; undefined for any other fact. Never rejects. */
  fetch(path: string): Fact | Promise<Fact> | undefined {
    const definition = this.#table.get(path);
    if (definition?.origin !== 'caller') return undefined;
    let fact = this.#fetched.get(path);
    if (!fact) {
      fact = this.#fetch(path, definition, this.#values.get(path));
      this.#fetched.set(path, fact);
    }
    return fact;
  }

  /** The context facts among these paths. */
  async fetchAll(paths: Iterable<string>): Promise<readonly (readonly [string, Fact])[]> {
    const fetched: [string, Fact][] = [];
    const waiting: Promise<unknown>[] = [];
    for (const path of paths) {
      const fact = this.fetch(path);
      if (fact instanceof Promise) waiting.push(fact.then((settled) => fetched.push([path, settled])));
      else if (fact !== undefined) fetched.push([path, fact]);
    }
    if (waiting.length > 0) await Promise.all(waiting);
    return fetched;
  }

  /** Every context fact that needs no call; undefined for one whose function was not called. */
  async known(): Promise<readonly (readonly [string, Fact | undefined])[]> {
    const knownFacts = [...this.#table].flatMap(([path, { origin }]) => {
      if (origin !== 'caller') return [];
      const isKnown = this.#fetched.has(path) || typeof this.#values.get(path) !== 'function';
      return [[path, isKnown ? this.fetch(path) : undefined] as const];
    });
    return Promise.all(knownFacts.map(async ([path, fact]) => [path, await fact] as const));
  }

  /** The facts whose functions were called, and what these gave, as a text; undefined if none was called. */
  async called(): Promise<{ readonly paths: readonly string[]; readonly given: string } | undefined> {
    const paths = [...this.#fetched.keys()].filter((path) => typeof this.#values.get(path) === 'function').sort();
    if (paths.length === 0) return undefined;
    const given = await Promise.all(paths.map((path) => this.#fetched.get(path)));
    return { paths, given: canonicalJson(given) };
  }

  #fetch(path: string, definition: FactDefinition, context: ContextFact): Fact | Promise<Fact> {
    const read = (value: ContextValue) => readFact(definition, { value: value ?? null }, this.#day);
    if (typeof context !== 'function') return read(context);
    return this.#call(context)
      .then(read)
      .catch((thrown: unknown): Fact => {
        this.#tell({ type: 'factFailed', fact: path }, { thrown });
        return { missing: 'sourceFailed' };
      });
  }

  async #call(context: (signal: AbortSignal) => unknown): Promise<ContextValue> {
    const late = () => (this.#deadline.stopReason() === undefined ? undefined : LATE);
    const value = late() ?? (await untilStopped(Promise.resolve(context(this.#deadline.signal)), this.#deadline, late));
    if (value === LATE) throw new Error('the decision has ended');
    return value as ContextValue;
  }
}

function undeclaredError(path: string, table: FactTable): VerdictError {
  if (table.get(path)?.compute) {
    const message = `the policy computes the fact "${path}"; remove it`;
    return new VerdictError('REQUEST_INVALID', message, { carriedOut: 'no' });
  }
  const declared = [...table].filter(([, { origin }]) => origin === 'caller').map(([declaredPath]) => declaredPath);
  const { hint } = didYouMean(path, declared);
  const message = `the policy declares no fact "${printable(path.slice(0, 80))}"`;
  return new VerdictError('REQUEST_INVALID', hint === undefined ? message : `${message}; ${hint}`, {
    carriedOut: 'no',
  });
}
