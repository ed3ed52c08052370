/** Formulas -> SMT-LIB text, each formula once. */

import type { StateSet } from '../space/variable.ts';
import type { Formula } from './formula.ts';

/** Writes variables, and formulas of their states. Definitions are collected until `takeDefinitions`. */
export class SmtWriter {
  readonly #names = new Map<Formula, string>();
  readonly #definitions: string[] = [];
  readonly #sizes: number[] = [];

  /** Declares a variable with a number of states; gives its index. */
  declare(size: number): number {
    const variable = this.#sizes.push(size) - 1;
    for (let at = 1; at < size; at++) this.#definitions.push(`(declare-const ${bound(variable, at)} Bool)`);
    for (let at = 2; at < size; at++)
      this.#definitions.push(`(assert (=> ${bound(variable, at)} ${bound(variable, at - 1)}))`);
    return variable;
  }

  /** The state of each variable, given the constants that are true. */
  statesIn(isTrue: (constant: string) => boolean): number[] {
    return this.#sizes.map((size, variable) => {
      let at = 0;
      while (at + 1 < size && isTrue(bound(variable, at + 1))) at += 1;
      return at;
    });
  }

  /** The declarations and definitions since this was last called. */
  takeDefinitions(): readonly string[] {
    return this.#definitions.splice(0);
  }

  /** The name of a formula; it is defined if that is needed. */
  write(formula: Formula): string {
    const known = this.#names.get(formula);
    if (known !== undefined) return known;
    const text = this.#textOf(formula);
    if (formula.kind === 'constant' || formula.kind === 'not') return text;
    const name = `d${this.#names.size}`;
    this.#names.set(formula, name);
    this.#definitions.push(`(define-fun ${name} () Bool ${text})`);
    return name;
  }

  #textOf(formula: Formula): string {
    switch (formula.kind) {
      case 'constant':
        return String(formula.value);
      case 'isIn':
        return runsOf(formula.variable, formula.states);
      case 'not':
        return `(not ${this.write(formula.of[0])})`;
      case 'and':
      case 'or':
        return `(${formula.kind} ${formula.of.map((part) => this.write(part)).join(' ')})`;
      case 'sumAtLeast': {
        const weights = formula.terms.map(([weight]) => weight).join(' ');
        return `((_ pbge ${formula.least} ${weights}) ${formula.terms.map(([, part]) => this.write(part)).join(' ')})`;
      }
    }
  }
}

/** The constant that says that the state of a variable is at least this one. */
function bound(variable: number, state: number): string {
  return `v${variable}_${state}`;
}

/** A set of states by the runs of adjacent ones. */
function runsOf(variable: number, states: StateSet): string {
  const runs: string[] = [];
  for (let from = 0; from < states.length; from++) {
    if (!states[from]) continue;
    let to = from;
    while (states[to + 1]) to += 1;
    const starts = from === 0 ? [] : [bound(variable, from)];
    const ends = to === states.length - 1 ? [] : [`(not ${bound(variable, to + 1)})`];
    runs.push(joined('and', [...starts, ...ends]));
    from = to;
  }
  return joined('or', runs);
}

function joined(join: 'and' | 'or', [first = 'true', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `(${join} ${[first, ...others].join(' ')})`;
}
