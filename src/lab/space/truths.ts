/** A box of states -> the truths that each test can have in it. */

import { TRUTH_BITS, type TruthSet } from '../../decision/meaning/truth.ts';
import type { Test } from '../../policy/language.ts';
import type { Space } from './space.ts';
import type { StateSet } from './variable.ts';

/** The states that are left of each variable. */
export type Box = readonly StateSet[];

const { false: IS_FALSE, unknown: IS_UNKNOWN, true: IS_TRUE } = TRUTH_BITS;

/** The truths that tests can have in a box, for `truthsOf`; in a box of single states, each test has one truth. */
export function truthsIn(box: Box, { statesOf }: Pick<Space, 'statesOf'>): (test: Test) => TruthSet {
  return (test) => {
    const { variable, isTrue, isUnknown } = statesOf(test);
    const states = box[variable] as StateSet;
    let truths = 0;
    for (let i = 0; i < states.length; i++) {
      if (states[i]) truths |= isTrue[i] ? IS_TRUE : isUnknown[i] ? IS_UNKNOWN : IS_FALSE;
    }
    return truths;
  };
}
