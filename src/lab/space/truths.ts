/** A condition and a box -> the truths that it can have in the box. */

import { TRUTH_BITS } from '../../decision/meaning/truth-sets.ts';
import type { Condition } from '../../policy/language.ts';
import type { Space } from './space.ts';
import type { StateSet } from './variable.ts';

/** The truth of each test in the states of its variable. */
type Truths = Pick<Space, 'statesOf'>;

/** The states that are left of each variable. */
export type Box = readonly StateSet[];

const { false: IS_FALSE, unknown: IS_UNKNOWN, true: IS_TRUE } = TRUTH_BITS;

/**
 * The truths that a condition can have in a box, as `TRUTH_BITS`. Never too few; too many where parts of the condition
 * depend on each other. In a box of single states it is the truth.
 */
export function truthsIn(condition: Condition, box: Box, space: Truths): number {
  switch (condition.kind) {
    case 'test': {
      const { variable, isTrue, isUnknown } = space.statesOf(condition);
      const states = box[variable] as StateSet;
      let truths = 0;
      for (let i = 0; i < states.length; i++) {
        if (states[i]) truths |= isTrue[i] ? IS_TRUE : isUnknown[i] ? IS_UNKNOWN : IS_FALSE;
      }
      return truths;
    }
    case 'named':
      return truthsIn(condition.of[0], box, space);
    case 'not':
      return negated(truthsIn(condition.of[0], box, space));
    case 'all':
      return atLeast(condition.of.length, condition.of, box, space);
    case 'any':
      return atLeast(1, condition.of, box, space);
    case 'atLeastOf':
      return atLeast(condition.count, condition.of, box, space);
  }
}

function negated(truths: number): number {
  return (truths & IS_UNKNOWN) | (truths & IS_FALSE ? IS_TRUE : 0) | (truths & IS_TRUE ? IS_FALSE : 0);
}

/** True if at least `count` parts are true, false if fewer than that can be: by the least and the most of each. */
function atLeast(count: number, parts: readonly Condition[], box: Box, space: Truths): number {
  const certain = { least: 0, most: 0 };
  const possible = { least: 0, most: 0 };
  let canBeOpen = false;
  for (const part of parts) {
    const truths = truthsIn(part, box, space);
    if (truths === IS_TRUE) certain.least += 1;
    if (truths & IS_TRUE) certain.most += 1;
    if (!(truths & IS_FALSE)) possible.least += 1;
    if (truths !== IS_FALSE) possible.most += 1;
    if (truths & IS_UNKNOWN) canBeOpen = true;
  }
  let truths = 0;
  if (certain.most >= count) truths |= IS_TRUE;
  if (possible.least < count) truths |= IS_FALSE;
  if (canBeOpen && certain.least < count && possible.most >= count) truths |= IS_UNKNOWN;
  return truths;
}
