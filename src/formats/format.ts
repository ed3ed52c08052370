/** A text in some spelling -> the one form of its phone number, email, domain, IP address or country, or a problem. */

import { trimWhiteSpace } from '../text.ts';
import { readCountry } from './country.ts';
import { readDomain } from './domain.ts';
import { readEmail } from './email.ts';
import type { FormatReading } from './format-reading.ts';
import { readIp } from './ip.ts';
import { readPhone } from './phone.ts';

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
