/** One signal of a proposed mapping: its fact, its place, how it is read and how sure that is. */

import type { Sureness } from '../names/profiles.ts';
import type { SignalKeys } from '../values/reading.ts';

/** One signal of the mapping. */
export interface ProposedSignal {
  readonly path: string;
  readonly at: string;
  readonly keys: SignalKeys;
  readonly sureness: Sureness;
  readonly why: readonly string[];
  readonly ask: readonly string[];
}

/** Whether a line is to stand in the place of another: it is no guess, and the other is one or is not there. */
export function isBetter(line: ProposedSignal, other: ProposedSignal | undefined): boolean {
  return other === undefined || (other.sureness === 'guess' && line.sureness !== 'guess');
}
