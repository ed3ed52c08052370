/** A comparison of policies -> its result; undefined if they declare a fact in ways that cannot be compared. */

import { VerdictError } from '../../errors.ts';

export async function comparable<Result>(compare: () => Result | Promise<Result>): Promise<Result | undefined> {
  try {
    return await compare();
  } catch (error) {
    if (VerdictError.is(error) && error.code === 'REQUEST_INVALID') return undefined;
    throw error;
  }
}
