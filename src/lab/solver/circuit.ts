/** Formulas -> how far they are from holding in a state of each variable, kept up to date as single states change. */

import type { Formula } from './formula.ts';

/** More parts than these are joined in groups, so that the change of one part does not read all of them. */
const MOST_PARTS = 12;

/** A formula by index; parts have lower indexes than what consists of them. */
interface Gate {
  readonly formula: Formula;
  readonly parts: readonly number[];
  /** The gates that have it as a part. */
  readonly users: number[];
  /** Those of them that are sums, with its weight. */
  readonly sums: { readonly gate: number; readonly weight: number }[];
  readonly level: number;
  /** The weight in a sum that counts as one step. */
  readonly unit: number;
}

export class Circuit {
  readonly #gates: Gate[] = [];
  readonly #indexes = new Map<Formula, number>();
  /** By variable, the gates that read it. */
  readonly #readers: number[][];
  readonly #root: number;
  /** A further gate that has to be true. */
  #goal: number | undefined;
  /** How far each gate is from true, and from false: one of both is 0. */
  readonly #fromTrue: Float64Array;
  readonly #fromFalse: Float64Array;
  /** By gate that is a sum: the weights of its parts that are true. */
  readonly #sums: Float64Array;
  readonly #dirty: number[][] = [];
  readonly #isDirty: Uint8Array;
  readonly states: number[];

  /** Takes the formulas that have to hold, the state of each variable, and formulas that may be aimed at. */
  constructor(formulas: readonly Formula[], states: readonly number[], goals: readonly Formula[] = []) {
    this.states = [...states];
    this.#readers = states.map(() => []);
    this.#root = this.#add({ kind: 'and', of: formulas });
    for (const goal of goals) this.#add(goal);
    // Each gate is false at first, and then updated.
    this.#fromTrue = new Float64Array(this.#gates.length).fill(1);
    this.#fromFalse = new Float64Array(this.#gates.length);
    this.#sums = new Float64Array(this.#gates.length);
    this.#isDirty = new Uint8Array(this.#gates.length);
    for (const { level } of this.#gates) while (this.#dirty.length <= level) this.#dirty.push([]);
    for (const gate of this.#gates.keys()) this.#update(gate);
  }

  /** 0 if all formulas hold, and the one aimed at. */
  get distance(): number {
    return (this.#fromTrue[this.#root] as number) + this.#fromGoal;
  }

  get #fromGoal(): number {
    return this.#goal === undefined ? 0 : (this.#fromTrue[this.#goal] as number);
  }

  /** Aims at one of the goals too; at none if it is undefined. */
  aim(goal: Formula | undefined): void {
    this.#goal = goal && this.#indexes.get(goal);
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
    for (const reader of this.#readers[variable] as number[]) {
      const { formula } = this.#gates[reader] as Gate;
      if (formula.kind === 'isIn' && formula.states[before] !== formula.states[state]) this.#mark(reader);
    }
    for (const level of this.#dirty) {
      for (const gate of level) {
        this.#isDirty[gate] = 0;
        if (this.#update(gate)) for (const user of (this.#gates[gate] as Gate).users) this.#mark(user);
      }
      level.length = 0;
    }
  }

  /** A variable whose state keeps the formulas from holding, chosen at random, and the states that would help. */
  blame(random: () => number): { readonly variable: number; readonly states: readonly number[] } | undefined {
    const isGoal = this.#fromGoal > 0 && (this.#fromTrue[this.#root] === 0 || random() < 0.5);
    let at = isGoal ? (this.#goal as number) : this.#root;
    let wanted = true;
    for (;;) {
      const { formula, parts } = this.#gates[at] as Gate;
      switch (formula.kind) {
        case 'constant':
          return undefined;
        case 'isIn': {
          const states = formula.states.flatMap((isIn, state) => (isIn === wanted ? [state] : []));
          return { variable: formula.variable, states };
        }
        case 'not':
          wanted = !wanted;
          at = parts[0] as number;
          break;
        default: {
          const from = wanted ? this.#fromTrue : this.#fromFalse;
          const wrong = parts.filter((part) => (from[part] as number) > 0);
          const next = wrong[Math.floor(random() * wrong.length)];
          if (next === undefined) return undefined;
          at = next;
        }
      }
    }
  }

  #add(formula: Formula): number {
    const known = this.#indexes.get(formula);
    if (known !== undefined) return known;
    const terms = formula.kind === 'sumAtLeast' ? formula.terms : [];
    const inner = 'of' in formula ? groupsOf(formula) : terms.map(([, part]) => part);
    const parts = inner.map((part) => this.#add(part));
    const unit = terms.reduce((sum, [weight]) => sum + weight, 0) / terms.length;
    const level = parts.reduce((most, part) => Math.max(most, (this.#gates[part] as Gate).level + 1), 0);
    const index = this.#gates.push({ formula, parts, users: [], sums: [], level, unit }) - 1;
    this.#indexes.set(formula, index);
    for (const [i, part] of parts.entries()) {
      this.#gates[part]?.users.push(index);
      if (terms[i]) this.#gates[part]?.sums.push({ gate: index, weight: terms[i][0] });
    }
    if (formula.kind === 'isIn') this.#readers[formula.variable]?.push(index);
    return index;
  }

  #mark(gate: number): void {
    if (this.#isDirty[gate]) return;
    this.#isDirty[gate] = 1;
    this.#dirty[(this.#gates[gate] as Gate).level]?.push(gate);
  }

  /** Computes a gate from its parts; whether it changed. */
  #update(gate: number): boolean {
    const { formula, parts, sums, unit } = this.#gates[gate] as Gate;
    const fromTrue = this.#fromTrue;
    const fromFalse = this.#fromFalse;
    let toTrue = 0;
    let toFalse = 0;
    switch (formula.kind) {
      case 'constant':
        toTrue = formula.value ? 0 : Number.POSITIVE_INFINITY;
        toFalse = formula.value ? Number.POSITIVE_INFINITY : 0;
        break;
      case 'isIn':
        toTrue = formula.states[this.states[formula.variable] as number] ? 0 : 1;
        toFalse = 1 - toTrue;
        break;
      case 'not':
        toTrue = fromFalse[parts[0] as number] as number;
        toFalse = fromTrue[parts[0] as number] as number;
        break;
      case 'and':
        toFalse = Number.POSITIVE_INFINITY;
        for (const part of parts) {
          toTrue += fromTrue[part] as number;
          toFalse = Math.min(toFalse, fromFalse[part] as number);
        }
        break;
      case 'or':
        toTrue = Number.POSITIVE_INFINITY;
        for (const part of parts) {
          toFalse += fromFalse[part] as number;
          toTrue = Math.min(toTrue, fromTrue[part] as number);
        }
        break;
      case 'sumAtLeast': {
        const missing = formula.least - (this.#sums[gate] as number);
        if (missing > 0) toTrue = missing / unit;
        else toFalse = (1 - missing) / unit;
      }
    }
    if (fromTrue[gate] === toTrue && fromFalse[gate] === toFalse) return false;
    const gained = Number(toTrue === 0) - Number(fromTrue[gate] === 0);
    if (gained !== 0) for (const sum of sums) (this.#sums[sum.gate] as number) += gained * sum.weight;
    fromTrue[gate] = toTrue;
    fromFalse[gate] = toFalse;
    return true;
  }
}

/** The parts of a formula, in groups if they are many. */
function groupsOf(formula: Extract<Formula, { of: readonly Formula[] }>): readonly Formula[] {
  const { kind, of } = formula;
  if (kind === 'not' || of.length <= MOST_PARTS) return of;
  const size = Math.ceil(of.length / MOST_PARTS);
  return Array.from({ length: Math.ceil(of.length / size) }, (_, i): Formula => {
    const group = of.slice(i * size, (i + 1) * size);
    return group.length === 1 ? (group[0] as Formula) : { kind, of: group };
  });
}
