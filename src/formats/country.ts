/** A country code of ISO 3166-1, in any case -> the code in lower case, as texts are folded. */

import { countryMeant } from './country-meant.ts';
import { fold } from './fold.ts';
import type { FormatReading } from './format-reading.ts';

/** Codes that CLDR names beside those of ISO 3166-1: reserved parts of countries, unions, and codes for tests. */
const NOT_ISO = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '));

/** Reads an alpha-2 code, or XK (Kosovo), which ISO leaves to its users and both libraries use. */
export function readCountry(text: string): FormatReading {
  const value = fold(text) ?? '';
  if (isCode(value)) return { value };
  const meant = value === '' ? undefined : countryMeant(value);
  const mended = meant !== undefined && isCode(meant.toLowerCase()) ? { mended: meant } : {};
  return { problem: 'is not an ISO 3166-1 alpha-2 code, such as GB', ...mended };
}

const known = new Map<string, boolean>();
let names: Intl.DisplayNames | undefined;

function isCode(folded: string): boolean {
  if (!/^[a-z]{2}$/.test(folded)) return false;
  const cached = known.get(folded);
  if (cached !== undefined) return cached;
  names ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const code = folded.toUpperCase();
  // CLDR replaces codes that are withdrawn, and UK.
  const isCurrent = new Intl.Locale(`und-${code}`).region === code;
  const isOne = isCurrent && !NOT_ISO.has(code) && names.of(code) !== undefined;
  known.set(folded, isOne);
  return isOne;
}

/**
 * Codes that ISO 3166-1 reserves for parts of a country -> the code of the country. Libraries use them differently;
 * this makes them agree. Ascension, Tristan da Cunha; Ceuta and Melilla.
 */
const RESERVED_CODES: ReadonlyMap<string, string> = new Map([
  ['AC', 'SH'],
  ['TA', 'SH'],
  ['EA', 'ES'],
]);

/** The code of the country that a reserved code belongs to; any other code as it is. */
export function officialCode(code: string | undefined): string | undefined {
  return code === undefined ? undefined : (RESERVED_CODES.get(code) ?? code);
}
