/** One signal of a proposed mapping. */

import type { Sureness } from '../sureness.ts';
import type { SignalKeys } from '../values/reading.ts';

export interface ProposedSignal {
  /** The path of the fact. */
  readonly path: string;
  /** The JSONPath of its value. */
  readonly at: string;
  readonly keys: SignalKeys;
  readonly sureness: Sureness;
  readonly why: readonly string[];
  readonly ask: readonly string[];
}

/** Whether a signal replaces another: without another, or if only the other is a guess. */
export function isBetter(signal: ProposedSignal, other: ProposedSignal | undefined): boolean {
  return other === undefined || (other.sureness === 'guess' && signal.sureness !== 'guess');
}
