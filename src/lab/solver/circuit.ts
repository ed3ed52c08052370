/** Formulas -> how far they are from holding in a state of each variable, kept up to date as single states change. */

import type { Formula } from './formula.ts';
import { AND, type Gates, gatesOf, LEAF, NOT, OR } from './gates.ts';

const circuits = new WeakMap<Formula, Circuit>();

/** Whether a formula holds in a state of each variable: soon if they are much like those that it was asked for last. */
export function holdsIn(formula: Formula, states: readonly number[]): boolean {
  // The constants are formulas of every space.
  if (formula.kind === 'constant') return formula.value;
  const circuit = circuits.get(formula) ?? new Circuit([formula], states);
  circuits.set(formula, circuit);
  return circuit.holdsIn(states);
}

export class Circuit {
  readonly #gates: Gates;
  readonly #root: number;
  /** How far each gate is from true, and from false: one of both is 0. */
  readonly #fromTrue: Float64Array;
  readonly #fromFalse: Float64Array;
  /** By gate that is a sum: the weights of its parts that are true. */
  readonly #sums: Float64Array;
  /** By level, the gates that have to be updated, and how many they are. */
  readonly #dirty: readonly Int32Array[];
  readonly #dirtyCounts: Int32Array;
  readonly #isDirty: Uint8Array;
  readonly states: number[];
  /** How many gates were updated so far. */
  updates = 0;

  /** Takes the formulas that have to hold, and the state of each variable. */
  constructor(formulas: readonly Formula[], states: readonly number[]) {
    this.states = [...states];
    const root: Formula = { kind: 'and', of: formulas };
    this.#gates = gatesOf(root, states.length);
    const { kinds, levels } = this.#gates;
    const size = kinds.length;
    // What depends on a gate comes after it.
    this.#root = size - 1;
    // Each gate is false at first, and then updated.
    this.#fromTrue = new Float64Array(size).fill(1);
    this.#fromFalse = new Float64Array(size);
    this.#sums = new Float64Array(size);
    this.#isDirty = new Uint8Array(size);
    const counts = new Int32Array(levels.reduce((most, level) => Math.max(most, level), 0) + 1);
    for (const level of levels) (counts[level] as number) += 1;
    this.#dirty = Array.from(counts, (count) => new Int32Array(count));
    this.#dirtyCounts = counts.fill(0);
    for (const [gate, kind] of kinds.entries()) {
      if (kind === LEAF) this.#readLeaf(gate);
      else this.#mark(gate);
    }
    this.#settle();
  }

  /** 0 if all formulas hold. */
  get distance(): number {
    return this.#fromTrue[this.#root] as number;
  }

  /** Whether all formulas hold in a state of each variable, which the variables are put into. */
  holdsIn(states: readonly number[]): boolean {
    for (const [variable, state] of states.entries()) this.move(variable, state);
    return this.distance === 0;
  }

  /** Puts a variable into another state. */
  move(variable: number, state: number): void {
    const before = this.states[variable] as number;
    if (before === state) return;
    this.states[variable] = state;
    const readers = this.#gates.readers[variable] as Int32Array;
    const truths = this.#gates.truths[variable] as Uint8Array;
    const { length } = readers;
    for (let i = 0; i < length; i++) {
      const isTrue = truths[state * length + i] as number;
      if (isTrue !== truths[before * length + i]) this.#set(readers[i] as number, 1 - isTrue, isTrue);
    }
    this.#settle();
  }

  /** A variable whose state keeps the formulas from holding, chosen at random, and the states that would help. */
  blame(random: () => number): { readonly variable: number; readonly states: readonly number[] } | undefined {
    const { formulas, kinds } = this.#gates;
    let at = this.#root;
    let wanted = true;
    while (kinds[at] !== LEAF) {
      if (kinds[at] === NOT) wanted = !wanted;
      const next = this.#wrongPart(at, wanted, random);
      if (next === undefined) return undefined;
      at = next;
    }
    const leaf = formulas[at] as Formula;
    if (leaf.kind !== 'isIn') return undefined;
    return { variable: leaf.variable, states: leaf.states.flatMap((isIn, state) => (isIn === wanted ? state : [])) };
  }

  /** One of the parts of a gate that are not as wanted. */
  #wrongPart(gate: number, wanted: boolean, random: () => number): number | undefined {
    const { starts, items } = this.#gates.parts;
    const from = wanted ? this.#fromTrue : this.#fromFalse;
    const [start, end] = [starts[gate] as number, starts[gate + 1] as number];
    let wrong = 0;
    for (let i = start; i < end; i++) if ((from[items[i] as number] as number) > 0) wrong += 1;
    let chosen = Math.floor(random() * wrong);
    for (let i = start; i < end; i++) {
      if ((from[items[i] as number] as number) === 0) continue;
      if (chosen === 0) return items[i];
      chosen -= 1;
    }
    return undefined;
  }

  #mark(gate: number): void {
    if (this.#isDirty[gate]) return;
    this.#isDirty[gate] = 1;
    const level = this.#gates.levels[gate] as number;
    const count = this.#dirtyCounts[level] as number;
    (this.#dirty[level] as Int32Array)[count] = gate;
    this.#dirtyCounts[level] = count + 1;
  }

  /** Updates the gates that are marked, and those that depend on them. */
  #settle(): void {
    const counts = this.#dirtyCounts;
    // INVARIANT: what depends on a gate has a higher level.
    for (let level = 1; level < counts.length; level++) {
      const gates = this.#dirty[level] as Int32Array;
      const count = counts[level] as number;
      for (let i = 0; i < count; i++) {
        const gate = gates[i] as number;
        this.#isDirty[gate] = 0;
        this.#update(gate);
      }
      counts[level] = 0;
      this.updates += count;
    }
  }

  #readLeaf(gate: number): void {
    const leaf = this.#gates.formulas[gate] as Formula;
    const never = Number.POSITIVE_INFINITY;
    if (leaf.kind === 'constant') this.#set(gate, leaf.value ? 0 : never, leaf.value ? never : 0);
    if (leaf.kind === 'isIn' && leaf.states[this.states[leaf.variable] as number]) this.#set(gate, 0, 1);
  }

  /** Computes a gate from its parts. */
  #update(gate: number): void {
    const { kinds, parts, leasts, units } = this.#gates;
    const { starts, items } = parts;
    const fromTrue = this.#fromTrue;
    const fromFalse = this.#fromFalse;
    const start = starts[gate] as number;
    const end = starts[gate + 1] as number;
    const kind = kinds[gate];
    if (kind === NOT) {
      const part = items[start] as number;
      this.#set(gate, fromFalse[part] as number, fromTrue[part] as number);
    } else if (kind === AND || kind === OR) {
      // All parts have to be true for one, and false for the other.
      const [fromAll, fromAny] = kind === AND ? [fromTrue, fromFalse] : [fromFalse, fromTrue];
      let toAll = 0;
      let toAny = Number.POSITIVE_INFINITY;
      for (let i = start; i < end; i++) {
        const part = items[i] as number;
        const any = fromAny[part] as number;
        toAll += fromAll[part] as number;
        if (any < toAny) toAny = any;
      }
      if (kind === AND) this.#set(gate, toAll, toAny);
      else this.#set(gate, toAny, toAll);
    } else {
      const missing = (leasts[gate] as number) - (this.#sums[gate] as number);
      const unit = units[gate] as number;
      if (missing > 0) this.#set(gate, missing / unit, 0);
      else this.#set(gate, 0, (1 - missing) / unit);
    }
  }

  /** Sets how far a gate is from true and from false, and marks what depends on it. */
  #set(gate: number, toTrue: number, toFalse: number): void {
    const before = this.#fromTrue[gate] as number;
    if (before === toTrue && this.#fromFalse[gate] === toFalse) return;
    this.#fromTrue[gate] = toTrue;
    this.#fromFalse[gate] = toFalse;
    const gained = Number(toTrue === 0) - Number(before === 0);
    const { users, weights } = this.#gates;
    const end = users.starts[gate + 1] as number;
    for (let i = users.starts[gate] as number; i < end; i++) {
      const user = users.items[i] as number;
      const weight = weights[i] as number;
      // A sum depends on what is true alone.
      if (weight > 0 && gained === 0) continue;
      (this.#sums[user] as number) += weight * gained;
      this.#mark(user);
    }
  }
}
