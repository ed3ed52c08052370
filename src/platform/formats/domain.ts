/** A domain in any spelling -> its ASCII form by UTS 46, in lower case, without a final dot. */

import { trimWhiteSpace } from '../../text.ts';
import type { FormatReading } from './fold.ts';

/** RFC 1035, section 2.3.4, without the final dot. */
const MAX_LENGTH = 253;

/** Letters, digits and hyphens (RFC 1123, section 2.1), at most 63 in a label. */
const LDH = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** A last label that URLs read as part of an IP address: `10.1`, `a.0x1`. */
const NUMERIC_END = /(?:^|\.)(?:\d+|0x[\da-f]*)$/;

/** Reads a domain; a single label, such as `ru`, is a domain too. */
export function readDomain(text: string): FormatReading {
  const value = asciiForm(trimWhiteSpace(text));
  if (value !== undefined) return { value };
  // An address identifies one person; its domain would match everyone with an address there.
  if (isAddress(text)) return { problem: 'is an email address, and not a domain, such as mail.example' };
  const corrected = domainWithin(text);
  return { problem: 'is not a domain, such as mail.example', ...(corrected === undefined ? {} : { corrected }) };
}

/** Whether a text is an email address rather than a URL, which may have a name before an `@` too. */
function isAddress(text: string): boolean {
  return /[^\s@/]@/.test(text) && !text.includes('//');
}

/** The domain within a URL, an email address or a pattern such as `*.spam.example`; undefined if there is none. */
export function domainWithin(text: string): string | undefined {
  return asciiForm(stripDecoration(trimWhiteSpace(text)));
}

/** Undefined for a text that is not a domain. */
export function asciiForm(text: string): string | undefined {
  // The text may be longer than its ASCII form, but not more than twice as long.
  if (text.length > 2 * MAX_LENGTH) return undefined;
  // A URL decodes percent signs, and ends its host at a slash.
  if (/[^a-z0-9.\-\u0080-\u{10ffff}]/iu.test(text)) return undefined;
  const mapped = isPlain(text) ? text.toLowerCase() : hostOf(text);
  const ascii = mapped.endsWith('.') ? mapped.slice(0, -1) : mapped;
  if (ascii.length > MAX_LENGTH || !LDH.test(ascii) || NUMERIC_END.test(ascii)) return undefined;
  return isPlain(ascii) || isEncoded(ascii) ? ascii : undefined;
}

/** Whether UTS 46 does nothing but change the case: there is nothing to encode, and nothing encoded to check. */
function isPlain(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text) && !/xn--/i.test(text);
}

/** The host of a URL, which is a domain in its ASCII form; an empty text if there is none. */
function hostOf(domain: string): string {
  return URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : '';
}

/** Whether each `xn--` label is the one that UTS 46 gives to some non-ASCII label. */
function isEncoded(ascii: string): boolean {
  const labels = ascii.split('.').map((label) => (label.startsWith(PREFIX) ? decodePunycode(label.slice(4)) : label));
  const isDecoded = labels.every((label) => label !== undefined && !label.startsWith(PREFIX));
  return isDecoded && hostOf(labels.join('.')) === ascii;
}

const PREFIX = 'xn--';

/** The domain within a URL, an email address, `@spam.example`, `*.spam.example` or `.spam.example`. */
function stripDecoration(text: string): string {
  if (text.length > 2 * MAX_LENGTH) return '';
  return text
    .replace(/^[a-z][a-z0-9+.-]*:(?:\/\/)?/i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:\d*$/, '')
    .replace(/^(?:\*?\.)+/, '');
}

const [BASE, T_MIN, T_MAX, SKEW, DAMP, INITIAL_BIAS, INITIAL_CODE] = [36, 1, 26, 38, 700, 72, 0x80];

/** Undefined for a text that is not the Punycode of any label. */
function decodePunycode(text: string): string | undefined {
  const end = text.lastIndexOf('-');
  const codePoints = [...text.slice(0, Math.max(end, 0))].map((letter) => letter.codePointAt(0) ?? 0);
  let [code, at, bias] = [INITIAL_CODE, 0, INITIAL_BIAS];
  for (let index = end + 1; index < text.length; ) {
    const before = at;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(text[index++]);
      if (digit === undefined) return undefined;
      at += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const count = codePoints.length + 1;
    bias = adapt(at - before, count, before === 0);
    code += Math.floor(at / count);
    at %= count;
    if (code > 0x10ffff) return undefined;
    codePoints.splice(at++, 0, code);
  }
  return String.fromCodePoint(...codePoints);
}

function digitOf(letter: string | undefined): number | undefined {
  const digit = letter === undefined ? -1 : 'abcdefghijklmnopqrstuvwxyz0123456789'.indexOf(letter);
  return digit < 0 ? undefined : digit;
}

/** RFC 3492, section 6.1. */
function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
