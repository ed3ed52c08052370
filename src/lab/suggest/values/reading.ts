/** How the values of a field are read as those of a fact. */

import type { FactDefinition } from '../../../facts/catalog.ts';
import type { Scalar } from '../../../facts/mapping/value/spelling-key.ts';
import type { Subject } from '../names/subject.ts';
import type { Sureness } from '../sureness.ts';
import type { DayOrder } from './days.ts';

/** The keys of a signal besides `at`, as in the mapping's YAML. */
export type SignalKeys = Readonly<Record<string, unknown>>;

/** How values are read as those of a fact. */
export interface Reading {
  readonly keys: SignalKeys;
  /** The upper limit of the signal's sureness, however clear the name is. */
  readonly sureness: Sureness;
  /** Whether some of the values can be read, none of them, or there are none (placeholders alone). */
  readonly outcome: 'readable' | 'unreadable' | 'noValues';
  readonly why: readonly string[];
  /** Questions that only the vendor can answer. */
  readonly ask: readonly string[];
  /** For a score: its numbers, and whether the answer states their scale. Stated scales are converted to 0 to 100. */
  readonly score?: { readonly numbers: readonly number[]; readonly hasScale: boolean };
}

/** Information about the values of one field from the rest of the answers. */
export interface Evidence {
  readonly order: DayOrder;
  /** A scale that the field's name or a field next to it states. */
  readonly scale: Scale | undefined;
}

/** The lowest and the highest number. */
export type Scale = readonly [number, number];

/** Undefined if the values cannot be those of the fact. */
export type Reader = (
  values: readonly Scalar[],
  subject: Subject,
  evidence: Evidence,
  path: string,
  fact: FactDefinition,
) => Reading | undefined;

/** A reading of values that can be read, unless `more` says otherwise. */
export function createReading(sureness: Sureness, why: string, more: Partial<Reading> = {}): Reading {
  return { keys: {}, sureness, outcome: 'readable', why: [why], ask: [], ...more };
}
