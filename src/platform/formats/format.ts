/** A text in any spelling -> the one form of its phone number, email, domain, IP address or country, or a problem. */

import { trimWhiteSpace } from '../../text.ts';
import { readCountry } from './country.ts';
import { asciiForm, readDomain } from './domain.ts';
import { type FormatReading, fold } from './fold.ts';
import { readIp } from './ip.ts';

export type { FormatReading } from './fold.ts';

/** What a text can identify. Two spellings of the same thing have the same form. */
export const FORMATS = ['phone', 'email', 'domain', 'ip', 'country'] as const;

/** The format of a text fact. */
export type Format = (typeof FORMATS)[number];

const READERS: Readonly<Record<Format, (text: string, isOnRecord: boolean) => FormatReading>> = {
  phone: readPhone,
  email: readEmail,
  domain: readDomain,
  ip: readIp,
  country: readCountry,
};

/** Reads a text in any spelling of its format. `isOnRecord`: as versions that refused less did. */
export function readFormat(format: Format, text: string, isOnRecord = false): FormatReading {
  return trimWhiteSpace(text) === '' ? { problem: 'is empty' } : READERS[format](text, isOnRecord);
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
 * mailbox has a `*`, which other systems' policies read as any text.
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
function readPhone(text: string, isOnRecord: boolean): FormatReading {
  const trimmed = trimWhiteSpace(text);
  if (trimmed.length > LONGEST_NUMBER) return { problem: `is longer than ${LONGEST_NUMBER} characters` };
  const numeral = numeralProblem(trimmed);
  if (numeral && !isOnRecord) return numeral;
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

/** What a spreadsheet or a float makes of a number: read as separators, its signs would make another number. */
const NUMERALS: readonly (readonly [form: RegExp, problem: string])[] = [
  [/^\d(?:[.,]\d*)?e[+-]?\d+$/i, 'has an exponent, as a spreadsheet writes a number: all of its digits were expected'],
  [
    /^[^.,\p{L}]*(?:\.(?:\d{0,2}|0+)|,0+)$/u,
    'ends like a decimal number of a spreadsheet: the digits alone were expected',
  ],
  [/^[^/]*\/\d{1,2}$/, 'ends in a slash and one or two digits: one number was expected'],
  [/^[.\-/]+\d|[.\-/]{2}|\d[.\-/]$/, 'has a sign or a separator that is not between digits'],
];

function numeralProblem(text: string): Exclude<FormatReading, { value: string }> | undefined {
  const bare = text.replace(/\s/g, '');
  const [, problem] = NUMERALS.find(([form]) => form.test(bare)) ?? [];
  const [, whole] = /^(\+?\d+)[.,]0*$/.exec(text) ?? [];
  if (problem === undefined) return undefined;
  return whole === undefined ? { problem } : { problem, corrected: whole };
}

/** Calling codes of countries that dial a 0 before their numbers, none of which begins with 0. */
const ZERO =
  '20 27 31 32 33 40 41 43 44 46 49 51 53 54 55 57 58 60 61 63 64 84 86 90 92 93 94 95 98 211 212 213 218 231 232 ' +
  '233 234 243 249 251 252 254 255 256 260 261 262 263 264 265 291 353 355 358 370 373 374 375 377 380 381 382 383 ' +
  '385 386 387 389 421 423 508 590 591 593 594 595 596 686 850 855 856 880 886 961 962 963 964 966 967 970 971 972 ' +
  '976 977 994 995 996';

/** The same, but some of their numbers begin with 00. */
const ONE_ZERO = '62 66 81 82 91 359 598';

/** The area codes of Argentina, after which mobile numbers within the country have a 15. */
const ARGENTINA =
  '11|2(?:2(?:02?|[13]|2[13-79]|4[1-6]|5[2457]|6[124-8]|7[1-4]|8[13-6]|9[1267])|3(?:02?|1[467]|2[03-6]|3[13-8]|' +
  '[49][2-6]|5[2-8]|[67])|4(?:7[3-578]|9)|6(?:[0136]|2[24-6]|4[6-8]?|5[15-8])|80|9(?:0[1-3]|[19]|2\\d|3[1-6]|' +
  '4[02568]?|5[2-4]|6[2-46]|72?|8[23]?))|3(?:3(?:2[79]|6|8[2578])|4(?:0[0-24-9]|[12]|3[5-8]?|4[24-7]|5[4-68]?|' +
  '6[02-9]|7[126]|8[2379]?|9[1-36-8])|5(?:1|2[1245]|3[237]?|4[1-46-9]|6[2-4]|7[1-6]|8[2-5]?)|6[24]|7(?:[069]|' +
  '1[1568]|2[15]|3[145]|4[13]|5[14-8]|7[2-57]|8[126])|8(?:[01]|2[15-7]|3[2578]?|4[13-6]|5[4-8]?|6[1-357-9]|' +
  '7[36-8]?|8[5-8]?|9[124]))';

/** What is replaced, and by what. The plans are libphonenumber's, which has the same forms: a test compares them. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^540?(${ARGENTINA})15(?=\\d{6,8}$)`), '549$1'],
  // The two digits of a carrier, which precede the area code.
  [/^550(?:1[245]|2[1-35]|31|4[13]|[56]5|99)(?=\d{10,11}$)/, '55'],
  [new RegExp(`^(${ZERO.replaceAll(' ', '|')})0`), '$1'],
  [new RegExp(`^(${ONE_ZERO.replaceAll(' ', '|')})0(?!0)`), '$1'],
  [/^(1|692)1/, '$1'],
  [/^3606/, '36'],
  [/^78(?=\d{10}$)/, '7'],
  [/^9938/, '993'],
  [/^3708(?=\d{8}$)/, '370'],
  [/^3758(?:0?(?=[1-4]\d{8}$)|(?=902\d{7}$))/, '375'],
  [/^2410(?=(?:11|60|61|6[256]|7[467])\d{6}$)/, '241'],
  [/^2500(?=0*(?:\d{9}|0\d{7})$)/, '250'],
  [/^378(?=[89]\d{5}$)/, '3780549'],
];

/** Removes a national prefix; digits without one stay as they are. */
export function withoutNationalPrefix(digits: string): string {
  for (const [pattern, replacement] of REPLACEMENTS) {
    // A prefix may be written twice. This ends, because each replacement but San Marino's shortens the number.
    if (pattern.test(digits)) return withoutNationalPrefix(digits.replace(pattern, replacement));
  }
  return digits;
}

const DOMAIN = '[a-z0-9]([a-z0-9.-]*[a-z0-9])?';
const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';

/**
 * Patterns of the whole text that JavaScript, RE2 and PostgreSQL read alike. They miss what only the reader knows, such
 * as `uk`, but most spellings that a text may have come in do not match.
 */
export const FORM_PATTERNS: Readonly<Record<Format, string>> = {
  phone: '[1-9][0-9]{6,14}',
  email: `[^@A-Z <>"(),:;]+@${DOMAIN}`,
  domain: DOMAIN,
  ip: `${OCTET}([.]${OCTET}){3}`,
  country: '[a-z]{2}',
};
