/** A phone number in any spelling -> its E.164 digits. */

import { trimWhiteSpace } from '../text.ts';
import type { FormatReading } from './format-reading.ts';
import { withoutNationalPrefix } from './national-prefix.ts';

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
  const value = withoutNationalPrefix(digits);
  if (value.length >= LEAST_DIGITS && value.length <= MOST_DIGITS) return { value };
  return { problem: `has to have ${LEAST_DIGITS} to ${MOST_DIGITS} digits` };
}
