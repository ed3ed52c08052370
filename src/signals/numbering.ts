/** Phone number texts -> what the numbering plans of the world say of them. */

import { createRequire } from 'node:module';
import type * as PhoneNumbers from 'libphonenumber-js/max';

// The plans take some 60 ms to load, which commands that see no phone number need not pay.
let plans: typeof PhoneNumbers | undefined;

/** The number that was asked about last: one decision asks several times, and a parse takes as long as ten rules. */
let last: { readonly international: string; readonly number: PhoneNumbers.PhoneNumber | undefined } | undefined;

/** A number as its country's numbering plan has it, or undefined where no plan does. `international` begins with +. */
export function parsePhoneNumber(international: string): PhoneNumbers.PhoneNumber | undefined {
  if (last?.international === international) return last.number;
  plans ??= createRequire(import.meta.url)('libphonenumber-js/max') as typeof PhoneNumbers;
  // Without `extract: false` the library looks for a number somewhere in the text.
  const number = plans.parsePhoneNumberFromString(international, { extract: false });
  last = { international, number };
  return number;
}
