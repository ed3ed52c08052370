/** Formulas -> whether z3 finds states in which they hold: one solver of one instance of z3, told in SMT-LIB. */

import { MOST_CHARACTERS_READ } from '../limits.ts';
import type { StateSet } from '../space/variable.ts';
import type { Formula } from './formula.ts';
import type { Z3Instance, Z3Solver } from './z3.ts';

/**
 * One question to z3, in a solver of its own: its answer does not depend on what was asked before. All methods throw
 * `Breakdown` if z3 breaks down.
 */
export class Session {
  readonly #z3: Z3Instance;
  readonly #solver: Z3Solver;
  readonly #writer = new SmtWriter();

  private constructor(z3: Z3Instance, solver: Z3Solver) {
    this.#z3 = z3;
    this.#solver = solver;
  }

  static async open(z3: Z3Instance): Promise<Session> {
    return new Session(z3, await z3.use(() => z3.createSolver()));
  }

  /** Asks for states of variables of these sizes in which all formulas hold. */
  tell(sizes: readonly number[], formulas: readonly Formula[]): Promise<void> {
    for (const size of sizes) this.#writer.declare(size);
    const assertions = formulas.map((formula) => `(assert ${this.#writer.write(formula)})`);
    return this.#z3.use(() => {
      for (const text of textsOf([...this.#writer.definitions, ...assertions])) this.#solver.read(text);
    });
  }

  /** The state of each variable; `none` if there is proof that there are none; undefined if the steps were too few. */
  async check(
    mostSteps: number,
  ): Promise<{ readonly states: readonly number[] | 'none' | undefined; readonly steps: number }> {
    const { model, steps } = await this.#z3.use(() => this.#solver.check(mostSteps));
    if (model === 'none' || model === undefined) return { states: model, steps };
    return { states: this.#writer.statesIn((constant) => model.has(constant)), steps };
  }

  async close(): Promise<void> {
    if (!this.#z3.isBroken) await this.#z3.use(() => this.#solver.close());
  }
}

/** Lines in texts of a size that z3 can read. */
function* textsOf(lines: readonly string[]): Generator<string> {
  for (let from = 0; from < lines.length; ) {
    let [to, length] = [from, 0];
    while (to < lines.length && (to === from || length + (lines[to] as string).length < MOST_CHARACTERS_READ)) {
      length += (lines[to] as string).length;
      to += 1;
    }
    yield lines.slice(from, to).join('\n');
    from = to;
  }
}

/** Writes variables, and formulas of their states, each once. */
export class SmtWriter {
  readonly #names = new Map<Formula, string>();
  /** The declarations and definitions of what was written. */
  readonly definitions: string[] = [];
  readonly #sizes: number[] = [];

  /** Declares a variable with a number of states; gives its index. */
  declare(size: number): number {
    const variable = this.#sizes.push(size) - 1;
    for (let at = 1; at < size; at++) this.definitions.push(`(declare-const ${bound(variable, at)} Bool)`);
    for (let at = 2; at < size; at++)
      this.definitions.push(`(assert (=> ${bound(variable, at)} ${bound(variable, at - 1)}))`);
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

  /** The name of a formula; it is defined if that is needed. */
  write(formula: Formula): string {
    const cached = this.#names.get(formula);
    if (cached !== undefined) return cached;
    const text = this.#textOf(formula);
    if (formula.kind === 'constant' || formula.kind === 'not') return text;
    const name = `d${this.#names.size}`;
    this.#names.set(formula, name);
    this.definitions.push(`(define-fun ${name} () Bool ${text})`);
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
