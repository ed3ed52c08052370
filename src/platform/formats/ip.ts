/** An IPv4 address in any spelling, or a CIDR block -> its dotted form, or its first and last address. */

import ipaddr from 'ipaddr.js';
import { trimWhiteSpace } from '../../text.ts';
import type { FormatReading } from './fold.ts';

/** Address ranges that no applicant on the internet has, by ipaddr.js's names. */
const REFUSED_RANGES: Readonly<Record<string, string>> = {
  private: 'a private',
  loopback: 'a loopback',
  linkLocal: 'a link-local',
  carrierGradeNat: 'a carrier-grade NAT',
  multicast: 'a multicast',
  broadcast: 'the broadcast',
  unspecified: 'an unspecified',
};

/** Teredo, with the bits of the IPv4 address inverted (RFC 4380, section 4). */
const TEREDO = '2001::/32';

/** Reads a public IPv4 address, which may be embedded in an IPv6 address. */
export function readIp(text: string): FormatReading {
  const read = readAddress(text);
  if ('problem' in read) return read;
  const refused = refusedRange(read.value);
  return refused === undefined ? read : { problem: `is ${refused} address: a public one was expected` };
}

/** Reads a public IPv6 address, which the service does not take: its shortest form (RFC 5952). */
export function readIpv6(text: string): string | undefined {
  const read = parseIpv6(trimWhiteSpace(text));
  if (!read || embeddedIpv4(read) !== undefined) return undefined;
  const range = read.range();
  return Object.hasOwn(REFUSED_RANGES, range) || range === 'uniqueLocal' ? undefined : read.toRFC5952String();
}

/** The addresses of IPv6 that are given out (RFC 4291, section 2.4). */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address, in whatever spelling, is one of the internet: neither private nor kept for a purpose. */
export function isOfInternet(text: string): boolean {
  const read = readAddress(text);
  if ('value' in read) return ipaddr.IPv4.parse(read.value).range() === 'unicast';
  const address = parseIpv6(text);
  return address?.range() === 'unicast' && address.match(GIVEN_OUT);
}

/** Undefined for an address with a zone, or with an IPv4 part that is not in dotted form. */
function parseIpv6(address: string): ipaddr.IPv6 | undefined {
  const end = address.slice(address.lastIndexOf(':') + 1);
  const isPlain = !address.includes('%') && (!end.includes('.') || isDotted(end));
  return isPlain && ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : undefined;
}

/**
 * Networks of IPv6 whose addresses embed the IPv4 address at which the network reaches their host, from a byte on.
 * They spell an IPv4 address: its owner could otherwise come under many spellings, and count as many addresses.
 */
const EMBEDDING: readonly (readonly [network: string, at: number])[] = [
  ['::ffff:0:0/96', 12], // IPv4-mapped (RFC 4291, section 2.5.5.2)
  ['::/96', 12], // IPv4-compatible (RFC 4291, section 2.5.5.1)
  ['::ffff:0:0:0/96', 12], // IPv4-translated (RFC 2765, section 2.1)
  ['64:ff9b::/96', 12], // IPv4/IPv6 translation (RFC 6052, section 2.1)
  ['2002::/16', 2], // 6to4 (RFC 3056, section 2)
  [TEREDO, 12],
];

function embeddedIpv4(address: ipaddr.IPv6): string | undefined {
  const [network, at = 0] = EMBEDDING.find(([each]) => address.match(ipaddr.IPv6.parseCIDR(each))) ?? [];
  const bytes = address.toByteArray().slice(at, at + 4);
  // `::` and `::1` embed nothing.
  if (network === undefined || bytes[0] === 0) return undefined;
  return bytes.map((byte) => (network === TEREDO ? byte ^ 255 : byte)).join('.');
}

/** What a network has of an IPv6 address unless it says more: what a provider gives to one customer. */
const CUSTOMER_BITS = 64;

/**
 * The network of an address that was read, such as `203.0.113.0/24`. Up to 32 bits are of IPv4, and an IPv6 address
 * then has the first 64; more are of IPv6, and an IPv4 address is then its own network.
 */
export function networkOf(address: string, bits: number): string {
  const parsed = ipaddr.parse(address);
  const isV4 = parsed.kind() === 'ipv4';
  const length = isV4 ? Math.min(bits, 32) : bits > 32 ? bits : CUSTOMER_BITS;
  const bytes = parsed.toByteArray().map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, length - 8 * i))));
  const first = ipaddr.fromByteArray(bytes);
  return `${first.kind() === 'ipv6' ? (first as ipaddr.IPv6).toRFC5952String() : first.toString()}/${length}`;
}

/** Addresses that follow each other, as numbers of 32 bits; one address is a block of its own. */
export interface IpBlock {
  /** `203.0.113.0/24`, or the address alone. */
  readonly value: string;
  readonly first: number;
  readonly last: number;
}

/** Reads an address as `readIp` does, or a CIDR block (RFC 4632). */
export function readIpBlock(text: string): IpBlock | Exclude<FormatReading, { value: string }> {
  const [address = '', length, more] = trimWhiteSpace(text).split('/');
  if (length === undefined) {
    const read = readIp(address);
    if ('problem' in read) return read;
    const number = ipNumber(read.value);
    return { value: read.value, first: number, last: number };
  }
  if (address.includes(':')) return { problem: 'is a block of IPv6 addresses: one of IPv4 was expected' };
  const read = readAddress(address);
  if ('problem' in read) return read;
  if (more !== undefined || !/^(?:[12]?\d|3[0-2])$/.test(length)) {
    return { problem: 'has no prefix length from 0 to 32 after the /' };
  }
  const size = 2 ** (32 - Number(length));
  const number = ipNumber(read.value);
  const first = number - (number % size);
  const last = first + size - 1;
  const value = `${ipAddress(first)}/${length}`;
  if (first !== number) return { problem: 'has an address that is not the first of its block', corrected: value };
  const refused = refusedRange(ipAddress(first));
  if (refused === undefined || refused !== refusedRange(ipAddress(last))) return { value, first, last };
  return { problem: `is a block of ${refused.replace(/^an? |^the /, '')} addresses: public ones were expected` };
}

/** The first octets of an address, and stars for the others or nothing. */
const FIRST_OCTETS = /^((?:\d{1,3}\.){1,3})(?:\*(?:\.\*){0,2})?$/;

/** The block that is meant by `203.0.113.*`, `203.0.113.`, `203.0.113.0/255.255.255.0` or `203.0.113.7/24`, as CIDR. */
export function blockMeant(text: string): string | undefined {
  const read = readIpBlock(inCidr(text));
  return 'first' in read ? read.value : read.corrected;
}

function inCidr(text: string): string {
  const [, octets] = FIRST_OCTETS.exec(text) ?? [];
  if (octets !== undefined) {
    const known = octets.split('.').length - 1;
    return `${octets}${Array(4 - known)
      .fill(0)
      .join('.')}/${8 * known}`;
  }
  const [address, mask = ''] = text.split('/');
  const isMask = ipaddr.IPv4.isValidFourPartDecimal(mask);
  return `${address}/${isMask ? ipaddr.IPv4.parse(mask).prefixLengthFromSubnetMask() : mask}`;
}

/** The number of an address in dotted form. */
export function ipNumber(address: string): number {
  return address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
}

/** The address of a number, in dotted form. */
export function ipAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}

function readAddress(text: string): FormatReading {
  const value = trimWhiteSpace(text);
  if (isDotted(value)) return { value };
  const ipv6 = parseIpv6(value);
  const embedded = ipv6 && embeddedIpv4(ipv6);
  if (embedded !== undefined) return { value: embedded };
  if (ipv6) return { problem: 'is not IPv4: the service accepts no IPv6 address' };
  return { problem: 'is not an IPv4 address in dotted form' };
}

/** `isValid` of the package would accept octal, hexadecimal and shortened forms. */
function isDotted(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text);
}

function refusedRange(address: string): string | undefined {
  const range = ipaddr.IPv4.parse(address).range();
  return Object.hasOwn(REFUSED_RANGES, range) ? REFUSED_RANGES[range] : undefined;
}
