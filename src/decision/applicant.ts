/** An applicant as the caller has it -> the identity variables that can be sent, and a warning for each other one. */

import { ANYTHING, optionsReader } from '../given/options.ts';
import { readGiven } from '../given/read-given.ts';
import { normaliseVariable } from '../signals/request.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../signals/variables.ts';
import type { Warning } from './warning.ts';

/** An applicant's identity variables as the caller has them; null or undefined for an unknown one. */
export type Applicant = { readonly [Variable in IdentityVariable]?: string | null | undefined };

/** The identity variables that can be sent, and a warning for each that cannot. */
export interface ReadApplicant {
  readonly variables: ReadonlyMap<IdentityVariable, string>;
  readonly warnings: readonly Warning[];
}

/** A misspelt variable would otherwise be missing from every decision, without a word. */
const readVariables = optionsReader<Applicant>(
  'the applicant',
  { 'phoneNo?': ANYTHING, 'email?': ANYTHING, 'ip?': ANYTHING },
  'REQUEST_INVALID',
);

/** Normalises an applicant. A variable that is absent or cannot be sent gives a warning without its value. */
export function readApplicant(applicant: Applicant): ReadApplicant {
  const given = readVariables(applicant);
  const variables = new Map<IdentityVariable, string>();
  const warnings: Warning[] = [];
  for (const variable of IDENTITY_VARIABLES) {
    const value = given[variable];
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
