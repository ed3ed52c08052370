/** E.164 digits -> the country whose numbering plan has them. */

import { createRequire } from 'node:module';
import type * as PhoneNumbers from 'libphonenumber-js/max';
import type { NumberingPlan } from './geodata.ts';

// Loading the plans takes about 60 ms, so they are loaded with the first phone number.
let plans: typeof PhoneNumbers | undefined;

/** The latest number: two facts are derived from each. */
let last: { readonly digits: string; readonly plan: NumberingPlan | undefined } | undefined;

/** Undefined if no numbering plan has the number. */
export function numberingPlan(digits: string): NumberingPlan | undefined {
  if (last?.digits === digits) return last.plan;
  plans ??= createRequire(import.meta.url)('libphonenumber-js/max') as typeof PhoneNumbers;
  // Without `extract: false` the library searches the text for a number.
  const number = plans.parsePhoneNumberFromString(`+${digits}`, { extract: false });
  last = { digits, plan: number?.isValid() ? { country: number.country } : undefined };
  return last.plan;
}
