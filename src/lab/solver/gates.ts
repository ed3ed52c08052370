/** Formulas -> gates: the same formulas in arrays of numbers, since a walk reads them many millions of times. */

import { MOST_PARTS_OF_GATE } from '../limits.ts';
import { type Formula, type IsIn, partsOf } from './formula.ts';

/** Formulas of states and constants, without parts; and those that follow from their parts. */
export const [LEAF, NOT, AND, OR] = [0, 1, 2, 3] as const;
const KINDS = { constant: LEAF, isIn: LEAF, not: NOT, and: AND, or: OR, sumAtLeast: 4 } as const;

/** A list for each index, one after the other: that of `i` ends where that of `i + 1` starts. */
export interface Lists {
  readonly starts: Int32Array;
  readonly items: Int32Array;
}

/** By the index of a gate, unless something else is said. */
export interface Gates {
  readonly formulas: readonly Formula[];
  readonly kinds: Uint8Array;
  /** 0 for a leaf; else more than the level of each part. */
  readonly levels: Int32Array;
  readonly parts: Lists;
  /** The gates that have it as a part, and its weight in each that is a sum. */
  readonly users: Lists;
  readonly weights: Float64Array;
  /** Of sums: the weight that has to be reached, and the one that counts as a step. */
  readonly leasts: Float64Array;
  readonly units: Float64Array;
  /** By variable: the leaves that read it; then, by its state, whether each of them holds. */
  readonly readers: readonly Int32Array[];
  readonly truths: readonly Uint8Array[];
}

/** The gates of a formula, which is the last one, and of all that it consists of. */
export function gatesOf(root: Formula, variables: number): Gates {
  const formulas: Formula[] = [];
  const indexes = new Map<Formula, number>();
  const levels: number[] = [];
  const starts = [0];
  const items: number[] = [];
  const add = (formula: Formula): number => {
    const cached = indexes.get(formula);
    if (cached !== undefined) return cached;
    const inputs = partsIn(formula).map(add);
    const gate = formulas.push(formula) - 1;
    indexes.set(formula, gate);
    const least = KINDS[formula.kind] === LEAF ? 0 : 1;
    levels.push(inputs.reduce((most, part) => Math.max(most, (levels[part] as number) + 1), least));
    for (const part of inputs) items.push(part);
    starts.push(items.length);
    return gate;
  };
  add(root);
  const parts = { starts: Int32Array.from(starts), items: Int32Array.from(items) };
  return {
    ...{ formulas, parts, kinds: Uint8Array.from(formulas, ({ kind }) => KINDS[kind]) },
    ...{ levels: Int32Array.from(levels), ...usersOf(parts, formulas), ...sumsOf(formulas) },
    ...readersOf(formulas, variables),
  };
}

function usersOf({ starts, items }: Lists, formulas: readonly Formula[]): Pick<Gates, 'users' | 'weights'> {
  const users = { starts: new Int32Array(starts.length), items: new Int32Array(items.length) };
  const weights = new Float64Array(items.length);
  for (const part of items) (users.starts[part + 1] as number) += 1;
  for (let gate = 1; gate < starts.length; gate++) (users.starts[gate] as number) += users.starts[gate - 1] as number;
  const ends = users.starts.slice();
  for (const [gate, formula] of formulas.entries()) {
    const start = starts[gate] as number;
    for (let i = start; i < (starts[gate + 1] as number); i++) {
      const part = items[i] as number;
      const at = ends[part] as number;
      ends[part] = at + 1;
      users.items[at] = gate;
      if (formula.kind === 'sumAtLeast') weights[at] = formula.terms[i - start]?.[0] ?? 0;
    }
  }
  return { users, weights };
}

function sumsOf(formulas: readonly Formula[]): Pick<Gates, 'leasts' | 'units'> {
  const leasts = new Float64Array(formulas.length);
  const units = new Float64Array(formulas.length);
  for (const [gate, formula] of formulas.entries()) {
    if (formula.kind !== 'sumAtLeast') continue;
    leasts[gate] = formula.least;
    units[gate] = formula.terms.reduce((sum, [weight]) => sum + weight, 0) / formula.terms.length;
  }
  return { leasts, units };
}

function readersOf(formulas: readonly Formula[], variables: number): Pick<Gates, 'readers' | 'truths'> {
  const ownGates: number[][] = Array.from({ length: variables }, () => []);
  for (const [gate, formula] of formulas.entries()) if (formula.kind === 'isIn') ownGates[formula.variable]?.push(gate);
  const truths = ownGates.map((gates) => {
    const sets = gates.map((gate) => (formulas[gate] as IsIn).states);
    return Uint8Array.from((sets[0] ?? []).flatMap((_, state) => sets.map((states) => Number(states[state]))));
  });
  return { readers: ownGates.map((gates) => Int32Array.from(gates)), truths };
}

/** The parts of a formula, in groups if they are many. */
function partsIn(formula: Formula): readonly Formula[] {
  const parts = partsOf(formula);
  const { kind } = formula;
  if ((kind !== 'and' && kind !== 'or') || parts.length <= MOST_PARTS_OF_GATE) return parts;
  const size = Math.ceil(parts.length / MOST_PARTS_OF_GATE);
  return Array.from({ length: Math.ceil(parts.length / size) }, (_, i): Formula => {
    const group = parts.slice(i * size, (i + 1) * size);
    return group.length === 1 ? (group[0] as Formula) : { kind, of: group };
  });
}
