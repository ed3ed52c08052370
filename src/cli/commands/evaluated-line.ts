/** What `verdict evaluate` reads and writes, line by line. */

import type { FactsLine } from '../../facts/facts-line.ts';

/** A line of facts, or what is wrong with it, by its number. */
export type ReadLine = { readonly number: number } & (FactsLine | { readonly problem: string });

/** A line of output without its reference, by the number of the line that it answers; or what is wrong with that. */
export type Answer = { readonly number: number; readonly clientReference?: string | undefined } & (
  | { readonly verdict: object }
  | { readonly problem: string }
);

/** Decides lines, and passes on what is wrong with others, in their order. */
export type Evaluate = (lines: AsyncIterable<ReadLine>) => AsyncIterable<Answer>;
