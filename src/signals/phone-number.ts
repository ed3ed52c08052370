/** A phone number as text -> the number as its country's numbering plan has it. */

import { createRequire } from 'node:module';
import type * as PhoneNumbers from 'libphonenumber-js/max';

// Loading the plans takes about 60 ms, so they are loaded with the first phone number.
let plans: typeof PhoneNumbers | undefined;

/** The latest number: one decision parses the same number several times, and one parse takes as long as ten rules. */
let last: { readonly international: string; readonly number: PhoneNumbers.PhoneNumber | undefined } | undefined;

/** Undefined if no numbering plan has the number. `international` begins with +. */
export function parsePhoneNumber(international: string): PhoneNumbers.PhoneNumber | undefined {
  if (last?.international === international) return last.number;
  plans ??= createRequire(import.meta.url)('libphonenumber-js/max') as typeof PhoneNumbers;
  // Without `extract: false` the library searches the text for a number.
  const number = plans.parsePhoneNumberFromString(international, { extract: false });
  last = { international, number };
  return number;
}
