/** A phone number in any spelling -> its E.164 digits; E.164 digits -> the country whose numbering plan has them. */

import { createRequire } from 'node:module';
import type * as PhoneNumbers from 'libphonenumber-js/max';
import { trimWhiteSpace } from '../text.ts';
import type { FormatReading } from './format-reading.ts';

// Loading the plans takes about 60 ms, so they are loaded with the first phone number.
let plans: typeof PhoneNumbers | undefined;

/** The latest number: one decision parses the same number several times, and one parse takes as long as ten rules. */
let last: { readonly digits: string; readonly number: PhoneNumbers.PhoneNumber | undefined } | undefined;

/** E.164: at most 15 digits with the country code; the shortest numbers in use have 7. */
const LEAST_DIGITS = 7;
const MOST_DIGITS = 15;

/** No spelling of a number is longer; a longer text is an attack or an accident. */
const MAX_LENGTH = 100;

/** Reads an international number: with +, with 00, or with the bare country code. */
export function readPhone(text: string): FormatReading {
  const trimmed = trimWhiteSpace(text);
  if (trimmed.length > MAX_LENGTH) return { problem: `is longer than ${MAX_LENGTH} characters` };
  if (/\p{L}|#/u.test(trimmed)) return { problem: 'has letters or an extension: only digits were expected' };
  // The separators of ITU-T E.123 and those in common use.
  const compact = trimmed.replace(/[\s().\-/]/g, '');
  const digits = compact.replace(/^(\+|00)/, '');
  if (!/^\d+$/.test(digits)) return { problem: 'has characters other than digits and separators' };
  if (digits.startsWith('0')) {
    return { problem: 'starts with 0: the international form, with the country code, was expected' };
  }
  const value = withoutPrefixes(digits);
  if (value.length >= LEAST_DIGITS && value.length <= MOST_DIGITS) return { value };
  return { problem: `has to have ${LEAST_DIGITS} to ${MOST_DIGITS} digits` };
}

/** The digits without a national prefix, such as the 0 of "+44 (0)". Numbers in no plan are kept as they are. */
function withoutPrefixes(digits: string): string {
  const value = parse(digits)?.number.slice(1) ?? digits;
  // The library removes one prefix of several. Each is a digit at least; a longer number is refused anyway.
  return value.length < digits.length ? withoutPrefixes(value) : value;
}

/** The numbering plan that a number of E.164 digits fits; `country` is missing for numbers such as +800. */
export interface NumberingPlan {
  readonly country: string | undefined;
}

/** Undefined if no numbering plan has the number. */
export function numberingPlan(digits: string): NumberingPlan | undefined {
  const number = parse(digits);
  return number?.isValid() ? { country: number.country } : undefined;
}

function parse(digits: string): PhoneNumbers.PhoneNumber | undefined {
  if (last?.digits === digits) return last.number;
  plans ??= createRequire(import.meta.url)('libphonenumber-js/max') as typeof PhoneNumbers;
  // Without `extract: false` the library searches the text for a number.
  const number = plans.parsePhoneNumberFromString(`+${digits}`, { extract: false });
  last = { digits, number };
  return number;
}
