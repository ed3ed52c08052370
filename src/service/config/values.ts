/** A node of serve.yaml -> the value that it has to be, or a report of why it cannot be. */

import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { reportAt } from '../../platform/files/source.ts';
import { timeMeant, timeWords, UNIT_MS } from '../../platform/files/times.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { readFields, readInteger, readItems, readOneOf, readText } from '../../platform/yaml-fields.ts';
import { partOf } from '../auth/proxies.ts';

/** Reads a value, or reports why it cannot be used. `what` names it in messages. */
export type Read<Value> = (node: Yaml, what: string) => Value | undefined;

/** What a reader reads. */
export type Of<Reader> = Reader extends Read<infer Value> ? Value : never;

type Values<Readers> = { readonly [Key in keyof Readers]: Of<Readers[Key]> };

/** A map of known keys. A file with a problem is refused as a whole: nobody sees a required key without its value. */
export function fieldsOf<
  Required extends Record<string, Read<unknown>>,
  Optional extends Record<string, Read<unknown>>,
>(required: Required, optional: Optional): Read<Values<Required> & Partial<Values<Optional>>> {
  const readers: Record<string, Read<unknown>> = { ...required, ...optional };
  const keys = { required: Object.keys(required), optional: Object.keys(optional) };
  return (node, what) => {
    const fields = readFields(node, what, keys);
    if (!fields) return undefined;
    const values = [...fields].map(([key, { value }]) => [key, readers[key]?.(value, `\`${key}\``)] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as ReturnType<
      Read<Values<Required> & Partial<Values<Optional>>>
    >;
  };
}

export const text: Read<string> = (node, what) => readText(node, what);
export const texts: Read<readonly string[]> = (node, what) =>
  readItems(node, what)?.flatMap((item) => readText(item, `an entry of ${what}`) ?? []);
/** Addresses and networks, such as 10.0.0.0/8. */
export const networks: Read<readonly string[]> = (node, what) => {
  const read = readItems(node, what)?.flatMap((item) => {
    const text = readText(item, `an entry of ${what}`);
    if (text === undefined) return [];
    const [address = '', prefix = '0', ...more] = text.split('/');
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    if (more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits) return [text];
    reportAt(item, 'malformed', 'this is not an address or a network', { hint: 'write one such as 10.0.0.0/8' });
    return [];
  });
  if (!read || partOf(read) <= MOST_OF_ALL) return read;
  const hint = 'name the addresses of the proxies alone, or of the receiver: any other host could pretend to be one';
  return reportAt(node, 'wrong-value', `${what} has more than a sixteenth of all addresses`, { hint });
};

/** Private networks and those of a cloud have far less. */
const MOST_OF_ALL = 1 / 16;

export const oneOf =
  <Value extends string>(...values: readonly Value[]): Read<Value> =>
  (node, what) =>
    readOneOf(node, what, values);

/** A path, relative to the file. */
export const path: Read<string> = (node, what) => {
  const written = readText(node, what);
  return written === undefined ? undefined : resolve(dirname(node.source.file), written);
};

export const integer =
  (least: number, most: number): Read<number> =>
  (node, what) => {
    const value = readInteger(node, what);
    if (value === undefined || (value >= least && value <= most)) return value;
    return reportAt(node, 'wrong-value', `found ${value}; ${what} must be from ${least} to ${most}`);
  };

/** A time such as `6 seconds`, in milliseconds. */
export const duration =
  (leastMs: number): Read<number> =>
  (node, what) => {
    const such = `such as ${leastMs < UNIT_MS.minute ? '6 seconds' : '4 hours'}`;
    const answer = { hint: `write a number and a unit, ${such}` };
    const written = readText(node, what, { allowed: () => false, answer });
    if (written === undefined) return undefined;
    const [, number = '', unit = ''] = /^(\d{1,9}) (millisecond|second|minute|hour|day)s?$/.exec(written) ?? [];
    const ms = Number(number) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? 0);
    if (unit !== '' && ms >= leastMs && ms <= LONGEST_MS) return ms;
    const meant = timeMeant(written) ?? 0;
    const least = timeWords(leastMs);
    const hint =
      unit === '' && meant >= leastMs && meant <= LONGEST_MS
        ? `write "${timeWords(meant)}"`
        : `write a number and a unit, from ${least} to ${timeWords(LONGEST_MS)}, ${such}`;
    return reportAt(node, unit === '' ? 'malformed' : 'wrong-value', `${what} cannot be that time`, { hint });
  };

/** A timer waits for 24.8 days at most. */
const LONGEST_MS = 20 * UNIT_MS.day;

export const port = integer(0, 65_535);

/**
 * The name of a variable of the environment. By mistake it may be the secret itself: a URL or a key of 64 digits is
 * none, and is not shown.
 */
export const variable: Read<string> = (node, what) => {
  const name = readText(node, what);
  if (name === undefined || /^[A-Za-z_]\w{0,62}$/.test(name)) return name;
  const hint = 'write a name such as VERDICT_SECRET here, and the value into the environment';
  return reportAt(node, 'malformed', `${what} is not the name of a variable`, { hint });
};

/** Addresses that only this machine reaches. */
export const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/** What only this machine reaches may do without TLS: cookies, codes and secrets cross the network encrypted. */
export const httpUrl = (node: Yaml, what: string, example: string): string | undefined => {
  const written = readText(node, what);
  if (written === undefined) return undefined;
  const url = URL.parse(written);
  const isPlain = url?.protocol === 'http:' && LOOPBACK.includes(url.hostname.replace(/^\[|\]$/g, ''));
  const isUrl = url?.protocol === 'https:' || isPlain;
  if (isUrl && url && !url.username && !url.password && !/[?#\s]/.test(written)) return written;
  const hint = `write one such as ${example}; http is for 127.0.0.1, ::1 and localhost alone`;
  return reportAt(node, 'malformed', `${what} is not a URL of https`, { hint });
};

export function nodeAt(node: Yaml | undefined, ...keys: readonly string[]): Yaml | undefined {
  return keys.reduce((at, key) => (at?.kind === 'map' ? at.entries.get(key)?.value : undefined), node);
}
