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

/** Reads a public IPv4 address, which `::ffff:` may precede. */
export function readIp(text: string): FormatReading {
  const read = readDotted(text);
  if ('problem' in read) return read;
  const refused = refusedRange(read.value);
  return refused === undefined ? read : { problem: `is ${refused} address: a public one was expected` };
}

/** Reads a public IPv6 address, which the service does not take: its shortest form (RFC 5952). */
export function readIpv6(text: string): string | undefined {
  const address = trimWhiteSpace(text);
  if (!ipaddr.IPv6.isValid(address) || address.includes('%')) return undefined;
  const read = ipaddr.IPv6.parse(address);
  const range = read.range();
  const isRefused = Object.hasOwn(REFUSED_RANGES, range) || range === 'uniqueLocal' || range === 'ipv4Mapped';
  return isRefused ? undefined : read.toRFC5952String();
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
  const read = readDotted(address);
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

/** The number of an address in dotted form. */
export function ipNumber(address: string): number {
  return address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
}

/** The address of a number, in dotted form. */
export function ipAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}

function readDotted(text: string): FormatReading {
  // A server that listens on both protocols reports an IPv4 client in this form.
  const value = trimWhiteSpace(text).replace(/^::ffff:(?=[\d.]+$)/i, '');
  if (value.includes(':')) return { problem: 'is not IPv4: the service accepts no IPv6 address' };
  // `isValid` would accept octal, hexadecimal and shortened forms.
  if (ipaddr.IPv4.isValidFourPartDecimal(value)) return { value };
  return { problem: 'is not an IPv4 address in dotted form' };
}

function refusedRange(address: string): string | undefined {
  const range = ipaddr.IPv4.parse(address).range();
  return Object.hasOwn(REFUSED_RANGES, range) ? REFUSED_RANGES[range] : undefined;
}
