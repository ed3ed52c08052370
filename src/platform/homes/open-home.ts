/** A home of data that is opened -> the home, or what the operator has to mend. */

import { foreignCode, VerdictError } from '../../errors.ts';

/** What the operator has to mend, by the code of an error. */
export type ToMend = Readonly<Record<string, string>>;

/**
 * Resolves once `open` has. Rejects with CONFIGURATION_INVALID if the operator has to mend something, else with the
 * error of `open`, and closes the home. With `isPatient`, a home that cannot be reached yet is given all the same.
 */
export async function openHome(
  open: () => Promise<unknown>,
  {
    toMend,
    close,
    isPatient = false,
  }: {
    readonly toMend: ToMend;
    readonly close: () => unknown;
    readonly isPatient?: boolean;
  },
): Promise<void> {
  try {
    await open();
  } catch (error) {
    const problem = toMend[foreignCode(error) ?? ''];
    if (isPatient && problem === undefined && !VerdictError.is(error)) return;
    await close();
    throw problem === undefined ? error : new VerdictError('CONFIGURATION_INVALID', problem, { cause: error });
  }
}
