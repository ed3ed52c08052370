/** The values that a place gives for one signal -> the one that the mapping asks for. */

import { LEVELS } from '../catalog.ts';
import { type FactValue, NEVER, type PresentFact } from '../fact.ts';
import type { Take } from './signal.ts';

/** `contradiction` where one value should stand there and two that differ do; undefined where there is none to take. */
export type Picked = PresentFact | 'contradiction' | undefined;

const STEPS: readonly FactValue[] = LEVELS;

/** Takes one of the values, of which there is at least one. */
export function pickOne(values: readonly PresentFact[], take: Exclude<Take, 'count'> | undefined): Picked {
  const [first] = values;
  if (take === undefined || take === 'first')
    return values.every(({ value }) => value === first?.value) ? first : 'contradiction';
  return TAKERS[take](values.toSorted(byRank));
}

const TAKERS: Readonly<
  Record<Exclude<Take, 'count' | 'first'>, (sorted: readonly PresentFact[]) => PresentFact | undefined>
> = {
  earliest: (sorted) => sorted[0],
  min: (sorted) => sorted[0],
  latest: (sorted) => sorted.at(-1),
  max: (sorted) => sorted.at(-1),
  previous: (sorted) => sorted.at(-2),
};

function byRank(a: PresentFact, b: PresentFact): number {
  const left = rankOf(a.value);
  const right = rankOf(b.value);
  return left < right ? -1 : Number(left > right);
}

/** Numbers as they are, levels by their steps, days as texts (yyyy-MM-dd sorts by time), `never` before every day. */
function rankOf(value: FactValue): FactValue {
  const step = STEPS.indexOf(value);
  if (step >= 0) return step;
  return value === NEVER ? '' : value;
}
