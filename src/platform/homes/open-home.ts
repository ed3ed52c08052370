/** The opening of a home of data -> it is open, or the error says what the operator has to mend. */

import { foreignCode, VerdictError } from '../../errors.ts';

/** What the operator has to mend, by the code of an error. */
export type ToMend = Readonly<Record<string, string>>;

interface Means {
  readonly toMend: ToMend;
  readonly close: () => unknown;
  readonly isPatient?: boolean;
}

/**
 * Resolves once `open` has. Otherwise closes the home and rejects: with CONFIGURATION_INVALID if the operator has to
 * mend something, else with the error of `open`. With `isPatient`, resolves if the home cannot be reached yet.
 */
export async function openHome(
  open: () => Promise<unknown>,
  { toMend, close, isPatient = false }: Means,
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
