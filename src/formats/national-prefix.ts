/** E.164 digits, as people write them -> the digits without a national prefix: the 0 of "+44 (0)7400 123456". */

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

/** Gives digits without a prefix as they are. */
export function withoutNationalPrefix(digits: string): string {
  for (const [pattern, replacement] of REPLACEMENTS) {
    // A prefix may be written twice. No number matches for ever: each replacement but San Marino's is shorter.
    if (pattern.test(digits)) return withoutNationalPrefix(digits.replace(pattern, replacement));
  }
  return digits;
}
