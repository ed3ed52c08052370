/** A text in some spelling -> the one form of its phone number, email, domain, IP address or country, or a problem. */

import { trimWhiteSpace } from '../text.ts';
import { readCountry } from './country.ts';
import { asciiForm, readDomain } from './domain.ts';
import { fold } from './fold.ts';
import type { FormatReading } from './format-reading.ts';
import { readIp } from './ip.ts';
import { withoutNationalPrefix } from './national-prefix.ts';

export type { FormatReading } from './format-reading.ts';

/** What a text can identify. Two spellings of the same thing have the same form. */
export const FORMATS = ['phone', 'email', 'domain', 'ip', 'country'] as const;

/** The format of a text fact. */
export type Format = (typeof FORMATS)[number];

const READERS: Readonly<Record<Format, (text: string) => FormatReading>> = {
  phone: readPhone,
  email: readEmail,
  domain: readDomain,
  ip: readIp,
  country: readCountry,
};

/** Reads a text in any spelling of its format. */
export function readFormat(format: Format, text: string): FormatReading {
  return trimWhiteSpace(text) === '' ? { problem: 'is empty' } : READERS[format](text);
}

/** Whether a text names a format. */
export function isFormat(name: string): name is Format {
  return (FORMATS as readonly string[]).includes(name);
}

/** RFC 5321, sections 4.5.3.1.1 and 4.5.3.1.3, without the angle brackets. */
const MAX_LOCAL = 64;
const LONGEST_EMAIL = 254;

/**
 * A dot-string (RFC 5321, section 4.1.2); beyond ASCII (RFC 6531, section 3.3) letters, marks and digits alone. No
 * mailbox has a `*`, which policies of other systems take for any text.
 */
const DOT_STRING = /^[\p{L}\p{M}\p{N}!#$%&'+\-/=?^_`{|}~]+(?:\.[\p{L}\p{M}\p{N}!#$%&'+\-/=?^_`{|}~]+)*$/u;

/** Reads an address as SMTP writes it; no display name, comment or quoted local part. */
function readEmail(text: string): FormatReading {
  const trimmed = trimWhiteSpace(text);
  if (trimmed.length > LONGEST_EMAIL) return { problem: `is longer than ${LONGEST_EMAIL} characters` };
  if (/[\s\p{Cc}]/u.test(trimmed)) return { problem: 'contains white space or control characters' };
  const [local = '', domain, more] = trimmed.split('@');
  if (domain === undefined) return { problem: 'has no @' };
  if (more !== undefined) return { problem: 'has more than one @' };
  if (local === '' || domain === '') return { problem: 'has nothing before or after the @' };
  if (local.length > MAX_LOCAL) return { problem: `has more than ${MAX_LOCAL} characters before the @` };
  const folded = DOT_STRING.test(local) ? fold(local) : undefined;
  // Full-width letters and their like would be another spelling of the same address.
  if (folded === undefined || folded === '' || folded.normalize('NFKC') !== folded) {
    return { problem: 'has characters before the @ that no address has there' };
  }
  const ascii = asciiForm(domain);
  return ascii === undefined ? { problem: 'has no domain after the @' } : { value: `${folded}@${ascii}` };
}

/** E.164: at most 15 digits with the country code; the shortest numbers in use have 7. */
const LEAST_DIGITS = 7;
const MOST_DIGITS = 15;

/** No spelling of a number is longer; a longer text is an attack or an accident. */
const LONGEST_NUMBER = 100;

/** Reads an international number: with +, with 00, or with the bare country code. */
function readPhone(text: string): FormatReading {
  const trimmed = trimWhiteSpace(text);
  if (trimmed.length > LONGEST_NUMBER) return { problem: `is longer than ${LONGEST_NUMBER} characters` };
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
