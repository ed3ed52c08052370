/** What a fuzzer tries: the cases of a target, each made from random numbers alone. */

import { type Random, randomOf } from '../facts/mutate.ts';

/** An input, and the promise that it may break. */
export interface FuzzCase {
  /** What was done to the input. */
  readonly how: string;
  /** What the program reads. */
  readonly bytes: Buffer;
  /** How a promise was broken; undefined if all held. A rejection counts as broken too. */
  run(): Promise<string | undefined>;
}

/** A way into the program. */
export interface FuzzTarget {
  /** The same numbers give the same case. */
  make(random: Random): FuzzCase;
  close(): void;
}

/** Opens a target; it may keep files and servers until it is closed. */
export type OpenTarget = () => Promise<FuzzTarget>;

/** The case of a number. */
export function caseOf(target: FuzzTarget, seed: number, number: number): FuzzCase {
  return target.make(randomOf(seed ^ Math.imul(number + 1, 0x9e3779b1)));
}

/** Runs a case; gives how a promise was broken, or undefined. */
export async function tryCase(fuzzCase: FuzzCase): Promise<string | undefined> {
  try {
    return await fuzzCase.run();
  } catch (error) {
    return `threw ${error instanceof Error ? error.stack?.split('\n').slice(0, 3).join(' ') : error}`;
  }
}
