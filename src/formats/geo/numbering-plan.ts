/** E.164 digits -> the country whose numbering plan has them. */

import type * as PhoneNumbers from 'libphonenumber-js/max';
import { lazy, require } from '../../platform/lazy.ts';
import type { NumberingPlan } from './geodata.ts';

const plans = lazy(() => require<typeof PhoneNumbers>('libphonenumber-js/max'));

/** The latest number: two facts are derived from each. */
let last: { readonly digits: string; readonly plan: NumberingPlan | undefined } | undefined;

/** Undefined if no numbering plan has the number. */
export function numberingPlan(digits: string): NumberingPlan | undefined {
  if (last?.digits === digits) return last.plan;
  // Without `extract: false` the library searches the text for a number.
  const number = plans().parsePhoneNumberFromString(`+${digits}`, { extract: false });
  last = { digits, plan: number?.isValid() ? { country: number.country } : undefined };
  return last.plan;
}
