/** A country code of ISO 3166-1, in any case -> the code in lower case, as texts are folded. */

import { fold } from './fold.ts';
import type { FormatReading } from './format-reading.ts';
import { codeOf } from './territories.ts';

/** Codes that CLDR names beside those of ISO 3166-1: reserved parts of countries, unions, and codes for tests. */
const NOT_ISO = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '));

/** Reads an alpha-2 code, or XK (Kosovo), which ISO leaves to its users and both libraries use. */
export function readCountry(text: string): FormatReading {
  const value = fold(text) ?? '';
  if (isCode(value)) return { value };
  const meant = value === '' ? undefined : codeOf(value);
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
