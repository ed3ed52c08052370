/** The values found for one signal -> the one that `take` asks for. */

import { LEVELS } from '../catalog.ts';
import { type FactValue, NEVER, type PresentFact } from '../fact.ts';
import type { Take } from './signal.ts';

/** `contradiction` if one value is expected and different ones are found; undefined if there is no such value. */
export type Picked = PresentFact | 'contradiction' | undefined;

const STEPS: readonly FactValue[] = LEVELS;

/** Picks one of the values. INVARIANT: there is at least one. */
export function pickOne(values: readonly PresentFact[], take: Exclude<Take, 'count'> | undefined): Picked {
  const [first] = values;
  if (take === undefined || take === 'first')
    return values.every(({ value }) => value === first?.value) ? first : 'contradiction';
  return values.toSorted(byRank).at(POSITIONS[take]);
}

/** Positions in the values sorted from least to greatest. */
const POSITIONS: Readonly<Record<Exclude<Take, 'count' | 'first'>, number>> = {
  earliest: 0,
  min: 0,
  latest: -1,
  max: -1,
  previous: -2,
};

function byRank(a: PresentFact, b: PresentFact): number {
  const left = rankOf(a.value);
  const right = rankOf(b.value);
  return left < right ? -1 : Number(left > right);
}

/** Numbers as they are, levels by step, days as text (yyyy-MM-dd sorts by time), `never` before every day. */
function rankOf(value: FactValue): FactValue {
  const step = STEPS.indexOf(value);
  if (step >= 0) return step;
  return value === NEVER ? '' : value;
}
