/** Formulas -> whether z3 finds states in which they hold: one solver of one instance of z3. */

import type { Solver as Z3Solver } from 'z3-solver';
import { MOST_CHARACTERS_READ } from '../limits.ts';
import type { Formula } from './formula.ts';
import { SmtWriter } from './smt.ts';
import type { Z3Instance } from './z3.ts';

/** All methods throw `Breakdown` if z3 breaks down. */
export class Session {
  readonly #z3: Z3Instance;
  readonly #solver: Z3Solver<'main'>;
  readonly #writer = new SmtWriter();
  #declared = 0;
  #asserted = 0;
  #isClosed = false;

  private constructor(z3: Z3Instance, solver: Z3Solver<'main'>) {
    this.#z3 = z3;
    this.#solver = solver;
  }

  static async open(z3: Z3Instance): Promise<Session> {
    return new Session(z3, await z3.use(() => z3.createSolver()));
  }

  get isOpen(): boolean {
    return !this.#isClosed && !this.#z3.isBroken;
  }

  /** Gives its memory to a later session. It takes no question any more. */
  close(): void {
    if (this.isOpen) this.#z3.closeSolver(this.#solver);
    this.#isClosed = true;
  }

  /** Tells z3 the sizes of all variables and what holds in all answers, as far as it has not been told before. */
  tell(sizes: readonly number[], asserted: readonly Formula[]): Promise<void> {
    return this.#z3.use(() => {
      for (const size of sizes.slice(this.#declared)) this.#writer.declare(size);
      this.#declared = sizes.length;
      this.#read(this.#define(asserted.slice(this.#asserted)));
      this.#asserted = asserted.length;
    });
  }

  /** Adds formulas until `pop`. */
  push(formulas: readonly Formula[]): Promise<void> {
    return this.#z3.use(() => {
      // Before the push: a name is defined once, for all questions.
      const assertions = this.#define(formulas);
      this.#solver.push();
      this.#read(assertions);
    });
  }

  pop(): Promise<void> {
    return this.#z3.use(() => this.#solver.pop());
  }

  /** The state of each variable; `none` if there is proof that there are none; undefined if the time was too short. */
  async check(timeoutMs: number): Promise<readonly number[] | 'none' | undefined> {
    const result = await this.#z3.use(() => this.#z3.checkWithin(this.#solver, timeoutMs));
    if (result === 'unknown') return undefined;
    return result === 'unsat' ? 'none' : this.#z3.use(() => this.#statesOfModel());
  }

  #statesOfModel(): readonly number[] {
    const model = this.#solver.model();
    const names = new Map(model.decls().map((decl) => [String(decl.name()), model.get(decl).toString()]));
    return this.#writer.statesIn((constant) => names.get(constant) === 'true');
  }

  /** Defines what formulas need; gives their assertions. */
  #define(formulas: readonly Formula[]): readonly string[] {
    const assertions = formulas.map((formula) => `(assert ${this.#writer.write(formula)})`);
    this.#read(this.#writer.takeDefinitions());
    return assertions;
  }

  #read(lines: readonly string[]): void {
    for (let from = 0; from < lines.length; ) {
      let [to, length] = [from, 0];
      while (to < lines.length && (to === from || length + (lines[to] as string).length < MOST_CHARACTERS_READ)) {
        length += (lines[to] as string).length;
        to += 1;
      }
      this.#solver.fromString(lines.slice(from, to).join('\n'));
      from = to;
    }
  }
}
