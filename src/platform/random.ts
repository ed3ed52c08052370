/** Numbers that look random and are the same in each run. */

/** Numbers from 0 to 1, always the same: a linear congruential generator with the constants of the C standard. */
export function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}
