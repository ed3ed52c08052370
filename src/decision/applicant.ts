/** An applicant as the caller has it -> the identity variables that can be sent, and a warning for each other one. */

import { VerdictError } from '../errors.ts';
import { readGiven } from '../platform/given/read-given.ts';
import { normaliseVariable } from '../signals/request.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../signals/variables.ts';
import type { Warning } from './warning.ts';

/** An applicant's identity variables as the caller has them; an unknown one is left out. */
export type Applicant = { readonly [Variable in IdentityVariable]?: string | null | undefined };

/** The identity variables that can be sent, and a warning for each that cannot. */
export interface ReadApplicant {
  readonly variables: ReadonlyMap<IdentityVariable, string>;
  readonly warnings: readonly Warning[];
}

/** Normalises an applicant. A variable that is absent or cannot be sent gives a warning without its value. */
export function readApplicant(applicant: Applicant): ReadApplicant {
  if (typeof applicant !== 'object' || applicant === null) {
    throw new VerdictError('REQUEST_INVALID', 'the applicant has to be an object with phoneNo, email and ip');
  }
  const variables = new Map<IdentityVariable, string>();
  const warnings: Warning[] = [];
  for (const variable of IDENTITY_VARIABLES) {
    const value = Object.hasOwn(applicant, variable) ? applicant[variable] : undefined;
    if (value === undefined || value === null) {
      warnings.push({ code: 'VARIABLE_NOT_GIVEN', variable, text: `${variable} was not given; its facts are missing` });
      continue;
    }
    const read = normaliseVariable(variable, value);
    if ('problem' in read) {
      const text = `${variable} ${read.problem}; it was left out, and its facts are missing`;
      warnings.push({ code: 'VARIABLE_INVALID', variable, text });
    } else variables.set(variable, read.value);
  }
  if (!variables.has('phoneNo')) {
    warnings.push({ code: 'NO_PHONE_NUMBER', text: 'without a phone number no call can be made' });
  }
  return { variables, warnings };
}

/**
 * What cannot be sent of an applicant, as the warnings that a decision would have. Sends nothing; an empty list means
 * that every identity variable is there and has its format. Throws REQUEST_INVALID as `decide` does.
 */
export function checkApplicant(applicant: Applicant): readonly Warning[] {
  return readGiven('REQUEST_INVALID', 'the applicant', () => readApplicant(applicant)).warnings;
}
