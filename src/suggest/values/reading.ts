/** How the values of a place are read as those of a fact. */

import type { FactDefinition } from '../../facts/catalog.ts';
import type { Scalar } from '../../facts/mapping/value/spelling-key.ts';
import type { Sureness } from '../names/profiles.ts';
import type { Subject } from '../names/subject.ts';
import type { DayOrder } from './days.ts';

/** The keys of a signal beside its place, as the mapping's YAML has them. */
export type SignalKeys = Readonly<Record<string, unknown>>;

/** How values are read as those of a fact. */
export interface Reading {
  readonly keys: SignalKeys;
  /** However clear the name is, no more than this. */
  readonly sureness: Sureness;
  /** How many of the different values can be read; 0 of 0 where nothing but placeholders was seen. */
  readonly read: number;
  readonly asked: number;
  readonly why: readonly string[];
  /** What only the vendor can tell. */
  readonly ask: readonly string[];
  /** Of a score: the numbers on the wire, and whether something told what scale they are on. */
  readonly score?: { readonly numbers: readonly number[]; readonly isScaleTold: boolean };
}

/** What of the answers helps to read the values of one place. */
export interface Evidence {
  readonly order: DayOrder;
  /** A scale that stands beside the value, or in its name. */
  readonly scale: readonly [number, number] | undefined;
}

export type Reader = (
  values: readonly Scalar[],
  subject: Subject,
  evidence: Evidence,
  path: string,
  fact: FactDefinition,
) => Reading | undefined;
