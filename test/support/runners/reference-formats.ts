/** A text and the format of its fact -> its one form by plain rules, or undefined; without code of the readers. */

import type { Format } from '../../../src/platform/formats/format.ts';

/** The codes that random policies and the cases use; a complete table would be no more independent. */
const COUNTRIES = 'de fr gb in us xk'.split(' ');

const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

const FORMS: Readonly<Record<Format, (text: string) => string | undefined>> = {
  phone: (text) => {
    if (/[.]\d{0,2}$|^[-]/.test(text)) return undefined;
    const digits = text.replace(/[\s().\-/]/g, '').replace(/^(\+|00)/, '');
    return /^[1-9]\d{6,14}$/.test(digits) ? digits : undefined;
  },
  email: (text) => {
    const [local = '', domain = '', ...more] = text.split('@');
    const isLocal = /^[\p{L}0-9+_-]+(\.[\p{L}0-9+_-]+)*$/u.test(local) && local.normalize('NFKC') === local;
    const ascii = formOf(domain, 'domain');
    return isLocal && ascii !== undefined && more.length === 0 ? `${local.toLowerCase()}@${ascii}` : undefined;
  },
  domain: (text) => {
    // UTS 46 maps compatibility characters, drops a few ignorable ones, and has one more full stop.
    const mapped = text
      .normalize('NFKC')
      .replace(/[\u00ad\u200b\u2060]/g, '')
      .replaceAll('\u3002', '.')
      .toLowerCase();
    const ascii = mapped.replaceAll('bücher', 'xn--bcher-kva').replace(/\.$/, '');
    const labels = ascii.split('.');
    return labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '') ? ascii : undefined;
  },
  ip: (text) => {
    const hex = /^::ffff:(\p{AHex}{2})(\p{AHex}{2}):(\p{AHex}{2})(\p{AHex}{2})$/iu.exec(text)?.slice(1);
    const address = hex?.map((byte) => Number.parseInt(byte, 16)).join('.') ?? text.replace(/^::ffff:/i, '');
    const parts = address.split('.');
    const isAddress = parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && String(Number(part)) === part);
    const [first, second] = parts.map(Number);
    const isPublic = first !== 0 && first !== 10 && first !== 127 && !(first === 192 && second === 168);
    return isAddress && isPublic && parts.every((part) => Number(part) < 256) ? address : undefined;
  },
  country: (text) => COUNTRIES.find((code) => code === text.toLowerCase()),
};

/** The one form of a text; undefined if it has not the format. */
export function formOf(text: string, format: Format): string | undefined {
  return FORMS[format](text.replace(/^[\s\uFEFF]+|[\s\uFEFF]+$/g, ''));
}

/** Whether an address is in a CIDR block: they begin with the same bits. */
export function isInBlock(address: string, block: string): boolean {
  const [base = '', length] = block.trim().split('/');
  return bitsOf(address).slice(0, Number(length)) === bitsOf(base).slice(0, Number(length));
}

function bitsOf(address: string): string {
  return address
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('');
}
