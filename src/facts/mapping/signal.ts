/** How a mapping reads one signal: the types, and what `take` may be for which facts. */

import type { FactType } from '../catalog.ts';
import type { FactValue } from '../fact.ts';
import type { Path } from './path.ts';
import type { DayFormat, PartialDay } from './value/day-format.ts';
import type { Form, Scale } from './value/number-form.ts';
import type { SplitMapping } from './value/split.ts';

/** Which value to take where a path finds several, and the types of facts that each choice is for. */
export const TAKE_TYPES = {
  first: ['number', 'integer', 'level', 'boolean', 'enum', 'string', 'date'],
  latest: ['date'],
  previous: ['date'],
  earliest: ['date'],
  count: ['integer'],
  max: ['number', 'integer', 'level'],
  min: ['number', 'integer', 'level'],
} as const satisfies Record<string, readonly FactType[]>;

export type Take = keyof typeof TAKE_TYPES;

/** Where an answer says that something never happened. */
export interface NeverMapping {
  readonly paths: readonly Path[];
  /** The JSON values that say so; any of them is enough. */
  readonly is: readonly unknown[];
}

/** How one signal is read. Every key is always present, so that no lookup reaches a prototype. */
export interface SignalMapping {
  /** The first path that finds something counts. */
  readonly paths: readonly Path[];
  readonly take: Take | undefined;
  /** How to split one text that lists several values. */
  readonly split: SplitMapping | undefined;
  /** Values by `spellingKey`: the type's own names and those that the mapping adds. */
  readonly values: ReadonlyMap<string, FactValue>;
  /** How a number is written, if its text holds more than digits. */
  readonly form: Form | undefined;
  /** The least and the greatest value in the answer; they are rescaled to the range of the fact. */
  readonly range: Scale | undefined;
  /** Whether the greatest value in the answer becomes the least value of the fact. */
  readonly invert: boolean;
  readonly never: NeverMapping | undefined;
  /** Names, by `spellingKey`, that mean "no value". */
  readonly placeholders: ReadonlySet<string>;
  readonly formats: readonly DayFormat[];
  /** Which day a month or year without a day means. */
  readonly partial: PartialDay | undefined;
}
