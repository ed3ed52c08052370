/** A phone number, email or IP address -> the keyed hashes under which its records are found. */

import { createHmac, type KeyObject } from 'node:crypto';
import { VerdictError } from '../../errors.ts';
import { normaliseVariable } from '../../signals/request.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../../signals/variables.ts';
import type { Subjects } from '../entry/entry.ts';

/** An index key: with it, and only with it, a subject's hash can be computed, and numbers be tried one after the other. */
export interface IndexKey {
  /** From 1; hashes begin with it. */
  readonly number: number;
  readonly key: KeyObject;
}

/** The hash of a variable as it is sent. */
function hashOf(variable: IdentityVariable, value: string, { number, key }: IndexKey): string {
  // One mailbox is written in many ways; most providers take no notice of capitals.
  const text = variable === 'email' ? value.toLowerCase() : value;
  return `${number}:${createHmac('sha256', key).update(`${variable}|${text}`, 'utf8').digest('hex')}`;
}

/** The hashes of an applicant, with the key that is written with. */
export function subjectsOf(variables: ReadonlyMap<IdentityVariable, string>, key: IndexKey): Subjects {
  return Object.fromEntries(
    IDENTITY_VARIABLES.flatMap((variable) => {
      const value = variables.get(variable);
      return value === undefined ? [] : [[variable, hashOf(variable, value, key)]];
    }),
  );
}

/** What is looked for: the variable that it is, and all its hashes, one with each index key. */
export interface SoughtSubject {
  readonly variable: IdentityVariable;
  readonly hashes: readonly string[];
}

/**
 * The hashes of a phone number, email or IP address as somebody writes it. Throws REQUEST_INVALID, which does not repeat
 * it, for a text that is none of them.
 */
export function seekSubject(text: string, keys: readonly IndexKey[]): SoughtSubject {
  const variable = kindOf(text);
  const read = normaliseVariable(variable, text);
  if ('problem' in read) {
    throw new VerdictError('REQUEST_INVALID', `the subject, taken for ${WORDS[variable]}, ${read.problem}`);
  }
  return { variable, hashes: keys.map((key) => hashOf(variable, read.value, key)) };
}

const WORDS: Readonly<Record<IdentityVariable, string>> = {
  phoneNo: 'a phone number',
  email: 'an email',
  ip: 'an IP address',
};

function kindOf(text: string): IdentityVariable {
  if (text.includes('@')) return 'email';
  // Nobody writes a phone number in four groups with dots and no plus.
  return /^\s*\d{1,3}(\.\d{1,3}){3}\s*$/.test(text) || text.includes(':') ? 'ip' : 'phoneNo';
}
