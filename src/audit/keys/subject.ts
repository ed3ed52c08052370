/** A phone number, email or IP address, a reference or an actor -> the keyed hashes that find its records. */

import { createHmac, type KeyObject } from 'node:crypto';
import { type Velocities, valueKey } from '../../decision/velocity.ts';
import { VerdictError } from '../../errors.ts';
import type { Facts } from '../../facts/fact.ts';
import { readFormat } from '../../platform/formats/format.ts';
import type { IdentityFormat } from '../../policy/identities.ts';
import { VARIABLE_FORMATS } from '../../signals/request.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../../signals/variables.ts';
import type { Links, Subjects } from '../entry/entry.ts';

/** The key of a subject's hash. Without it nobody can compute the hash, or guess a phone number by trying all. */
export interface IndexKey {
  /** From 1; hashes start with it. */
  readonly number: number;
  readonly key: KeyObject;
}

/** The hash of a variable in its one form, or of another text: equal texts of two kinds have two hashes. */
function hashOf(
  variable: IdentityVariable | 'reference' | 'actor' | 'link',
  form: string,
  { number, key }: IndexKey,
): string {
  return `${number}:${createHmac('sha256', key).update(`${variable}|${form}`, 'utf8').digest('hex')}`;
}

/** The hashes of an applicant with the current index key. */
export function subjectsOf(variables: ReadonlyMap<IdentityVariable, string>, key: IndexKey): Subjects {
  return Object.fromEntries(
    IDENTITY_VARIABLES.flatMap((variable) => {
      const value = variables.get(variable);
      if (value === undefined) return [];
      const read = readFormat(VARIABLE_FORMATS[variable], value);
      // INVARIANT: what was sent was read by its format before.
      if ('problem' in read) throw new TypeError(`the ${variable} that was sent ${read.problem}`);
      return [[variable, hashOf(variable, read.value, key)]];
    }),
  );
}

/** The hashes of the mailbox and of each key of some velocities, except those that the subjects have. */
export function linksOf(facts: Facts, velocities: Velocities, subjects: Subjects, key: IndexKey): Links {
  const names = new Set(['ip', 'mailbox', ...[...velocities.values()].flatMap(({ by }) => by)]);
  const links = [...names].sort().flatMap((name) => {
    const value = Object.hasOwn(subjects, name) ? undefined : valueKey(name, facts);
    return value === undefined ? [] : [[name, hashOf('link', value, key)] as const];
  });
  return Object.fromEntries(links);
}

/** The hash of a caller's reference: nobody without the key can guess it, should it be a customer's number. */
export function referenceHash(reference: string, key: IndexKey): string {
  return hashOf('reference', reference, key);
}

/** The hash of who did something, by the name that the caller gives. */
export function actorHash(by: string, key: IndexKey): string {
  return hashOf('actor', by, key);
}

/** The hash of the person whom a text identifies; undefined if it identifies nobody. */
export function subjectIn(text: string, format: IdentityFormat | undefined, key: IndexKey): string | undefined {
  const variable = IDENTITY_VARIABLES.find((one) => VARIABLE_FORMATS[one] === format) ?? kindOf(text);
  // A block of one address is that address.
  const read = readFormat(VARIABLE_FORMATS[variable], variable === 'ip' ? text.replace(/\/32\s*$/, '') : text);
  return 'problem' in read ? undefined : hashOf(variable, read.value, key);
}

/** A subject to search for: its variable, and its hashes, one with each index key. */
export interface SoughtSubject {
  readonly variable: IdentityVariable;
  readonly hashes: readonly string[];
}

/**
 * The hashes of a phone number, email or IP address as a person types it, and the one form of it. Throws
 * REQUEST_INVALID for any other text; the message does not repeat the text.
 */
export function seekSubject(text: string, keys: readonly IndexKey[]): SoughtSubject & { readonly form: string } {
  const variable = kindOf(text);
  const read = readFormat(VARIABLE_FORMATS[variable], text);
  if ('problem' in read) {
    throw new VerdictError('REQUEST_INVALID', `the subject, read as ${WORDS[variable]}, ${read.problem}`);
  }
  return { variable, form: read.value, hashes: keys.map((key) => hashOf(variable, read.value, key)) };
}

const WORDS: Readonly<Record<IdentityVariable, string>> = {
  phoneNo: 'a phone number',
  email: 'an email',
  ip: 'an IP address',
};

function kindOf(text: string): IdentityVariable {
  if (text.includes('@')) return 'email';
  // Nobody writes a phone number as four groups with dots and no plus.
  return /^\s*\d{1,3}(\.\d{1,3}){3}\s*$/.test(text) || text.includes(':') ? 'ip' : 'phoneNo';
}
