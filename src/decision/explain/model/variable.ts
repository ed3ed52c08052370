/** A fact that could count, with what it could be. */

import type { FactDefinition } from '../../../facts/catalog.ts';
import type { Fact } from '../../../facts/fact.ts';
import type { Axis } from '../../../policy/cells/cells.ts';
import type { TruthBounds } from './truth-bounds.ts';

/** Something that a fact can be. */
export interface Choice {
  /** Undefined for a text of which it is known only that the rules could tell it from those that were found. */
  readonly fact: Fact | undefined;
  readonly leeway: TruthBounds;
}

/** A way of looking at one fact alone, with the leeway of its cells. */
export interface AxisView {
  readonly axis: Axis;
  readonly leeways: readonly TruthBounds[];
}

/** A fact that could count. */
export interface Variable {
  readonly path: string;
  readonly definition: FactDefinition;
  readonly axes: readonly AxisView[];
  /** First what it is now; then other values, those near it first; then missing; then what was not found. */
  readonly choices: readonly Choice[];
  /** Of all choices. */
  readonly any: TruthBounds;
  /** Whether nobody could change it: another phone number, email or IP would be another applicant. */
  readonly isHeld: boolean;
  /** Whether nothing counts but the cells in which it lies: no test against a fact, no fact that is derived. */
  readonly isPlain: boolean;
}
