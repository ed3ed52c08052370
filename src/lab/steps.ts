/**
 * A budget of work -> what is left of it, counted in steps and never in time: every machine gives the same answers,
 * whatever else it does. A step is about what z3 calls one: 2 µs of a processor.
 */

import { MORE_STEPS } from './limits.ts';

/** Steps of one piece of work. Its parts take their steps from it too. */
export class Steps {
  readonly all: number;
  readonly #whole: Steps | undefined;
  #spent = 0;
  #wasShort = false;

  constructor(all: number, whole?: Steps) {
    this.all = all;
    this.#whole = whole;
  }

  get spent(): number {
    return this.#spent;
  }

  get left(): number {
    return Math.max(0, Math.min(this.all - this.#spent, this.#whole?.left ?? Infinity));
  }

  get areOver(): boolean {
    return this.left === 0;
  }

  /** Whether these steps, or a part of them, were used up: more of them may decide more. */
  get wereShort(): boolean {
    return this.#wasShort;
  }

  spend(steps: number): void {
    this.#spent += steps;
    this.#whole?.spend(steps);
    if (this.areOver) this.#noteShort();
  }

  /** At most so many steps of those that are left. */
  atMost(steps: number): Steps {
    const part = new Steps(Math.min(Math.ceil(steps), this.left), this);
    if (part.areOver) part.#noteShort();
    return part;
  }

  /** At most a share of all steps. */
  part(share: number): Steps {
    return this.atMost(this.all * share);
  }

  #noteShort(): void {
    this.#wasShort = true;
    if (this.#whole) this.#whole.#noteShort();
  }
}

/** The advice where steps were too few. */
export function moreSteps(steps: number): string {
  return `give it more, such as --steps ${stepsText(steps * MORE_STEPS)}`;
}

/** `30M`, `1.5M`, `500k`, as the command line reads it. */
export function stepsText(steps: number): string {
  const [unit, name] = steps >= 1_000_000 ? [1_000_000, 'M'] : steps >= 1_000 ? [1_000, 'k'] : [1, ''];
  return `${Number((steps / unit).toFixed(3))}${name}`;
}
