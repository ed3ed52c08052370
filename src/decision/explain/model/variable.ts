/** A fact that can affect the outcome, with the choices it has. */

import type { FactDefinition } from '../../../facts/catalog.ts';
import type { Fact } from '../../../facts/fact.ts';
import type { Axis } from '../../../policy/cells/cells.ts';
import type { TruthBounds } from './truth-bounds.ts';

/** One state that a fact can have. */
export interface Choice {
  /** Undefined for texts without a sample, although rules may distinguish them from texts with one. */
  readonly fact: Fact | undefined;
  readonly bounds: TruthBounds;
}

/** An axis of one fact alone, with the bounds of each of its cells. */
export interface AxisView {
  readonly axis: Axis;
  readonly cellBounds: readonly TruthBounds[];
}

/** A fact that can affect the outcome. */
export interface Variable {
  readonly path: string;
  readonly definition: FactDefinition;
  readonly axes: readonly AxisView[];
  /** The present state first, then other values (the nearest first), then missing, then texts without a sample. */
  readonly choices: readonly Choice[];
  /** The bounds over all choices. */
  readonly anyBounds: TruthBounds;
  /** Whether the fact cannot change: another phone number, email or IP is another applicant. */
  readonly isFixed: boolean;
}
