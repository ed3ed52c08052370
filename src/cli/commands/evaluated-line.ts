/** The lines that `verdict evaluate` reads and writes. */

import type { FactsLine } from '../../facts/facts-line.ts';

/** A line of facts, or its problem, with its number. */
export type ReadLine = { readonly number: number } & (FactsLine | { readonly problem: string });

/** The verdict on a line, or its problem, with the number of the line. */
export type Answer = { readonly number: number; readonly clientReference?: string | undefined } & (
  | { readonly verdict: object }
  | { readonly problem: string }
);

/** Decides lines in their order, and passes on the problems of others. */
export type Evaluate = (lines: AsyncIterable<ReadLine>) => AsyncIterable<Answer>;
