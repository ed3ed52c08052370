/** Phone number texts -> what the numbering plans of the world say of them. */

import { createRequire } from 'node:module';
import type * as PhoneNumbers from 'libphonenumber-js/max';

// The plans take some 60 ms to load, which commands that see no phone number need not pay.
let plans: typeof PhoneNumbers | undefined;

/** A number as its country's numbering plan has it, or undefined where no plan does. `international` begins with +. */
export function parsePhoneNumber(international: string): PhoneNumbers.PhoneNumber | undefined {
  plans ??= createRequire(import.meta.url)('libphonenumber-js/max') as typeof PhoneNumbers;
  // Without `extract: false` the library looks for a number somewhere in the text.
  return plans.parsePhoneNumberFromString(international, { extract: false });
}
