/** From the JSON of a request's body to what was asked for, or to all that is wrong with it; values are never repeated. */

import type { Identity } from './findings.ts';

/** One thing wrong with a body. */
export interface Problem {
  readonly field: string;
  readonly expected: string;
  /** What kind of thing stands there, never the thing itself. */
  readonly found: string;
}

/** A verify request that is well formed. */
export interface VerifyRequest {
  readonly countryCode: string;
  readonly clientReference: string;
  /** Without repeats. */
  readonly services: readonly string[];
  readonly identity: Identity;
  /** The identity variables beside phone number, email and IP. */
  readonly variables: ReadonlyMap<string, string>;
}

/** What reading a body gives. */
export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** More would make an answer far larger than its request. */
const MAX_SERVICES = 20;
const MAX_VARIABLES = 50;

const TEXT = 'a text that is not blank';

// An E.164 number has at most 15 digits, and no country code begins with 0.
const PHONE_NO = /^[1-9][0-9]{3,14}$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
// RFC 5321: 64 octets before the @, 255 after.
const MAX_EMAIL = 320;
const IPV4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/;

const VARIABLE_FORMS: ReadonlyMap<string, { readonly expected: string; readonly fits: (text: string) => boolean }> =
  new Map([
    [
      'phoneNo',
      {
        expected: 'digits only: the country code and the number, 4 to 15 digits, no plus and no separators',
        fits: (text) => PHONE_NO.test(text),
      },
    ],
    [
      'email',
      {
        expected: 'an email address, with one @',
        fits: (text) => text.length <= MAX_EMAIL && EMAIL.test(text.trim()),
      },
    ],
    ['ip', { expected: 'an IPv4 address of four decimal parts', fits: (text) => IPV4.test(text) }],
  ]);

/** Reads the body of a verify request. */
export function readVerify(body: unknown): Read<VerifyRequest> {
  if (!isObject(body)) return { ok: false, problems: [wrong('body', 'an object', body)] };
  const countryCode = own(body, 'countryCode');
  const clientReference = own(body, 'clientReference');
  const services = own(body, 'service');
  const given = own(body, 'identityVariables');
  const problems = [
    ...(isText(countryCode) ? [] : [wrong('countryCode', TEXT, countryCode)]),
    ...(isText(clientReference) ? [] : [wrong('clientReference', TEXT, clientReference)]),
    ...checkServices(services),
    ...checkVariables(given),
  ];
  if (problems.length > 0) return { ok: false, problems };

  const variables = new Map(Object.entries(given as Record<string, string>));
  const email = variables.get('email')?.trim().toLowerCase();
  const identity = { phoneNo: variables.get('phoneNo') ?? '', email, ip: variables.get('ip') };
  for (const name of VARIABLE_FORMS.keys()) variables.delete(name);
  return {
    ok: true,
    value: {
      countryCode: countryCode as string,
      clientReference: clientReference as string,
      services: [...new Set(services as string[])],
      identity,
      variables,
    },
  };
}

/** The form of a sign-in body that a service takes. */
export type Environment = 'sandbox' | 'production';

/** Username and password as they were sent. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Reads the body of a sign-in: `{username, password}` in the sandbox form, `{data: {username, password}}` in the other. */
export function readSignIn(body: unknown, environment: Environment): Read<Credentials> {
  if (!isObject(body)) return { ok: false, problems: [wrong('body', 'an object', body)] };
  const nested = Object.hasOwn(body, 'data');
  if (environment === 'sandbox' && nested) {
    return {
      ok: false,
      problems: [wrong('data', 'nothing: username and password stand at the top here', own(body, 'data'))],
    };
  }
  const holder = environment === 'production' ? own(body, 'data') : body;
  if (!isObject(holder))
    return { ok: false, problems: [wrong('data', 'an object with username and password', holder)] };
  const prefix = environment === 'production' ? 'data.' : '';
  const username = own(holder, 'username');
  const password = own(holder, 'password');
  if (isText(username) && isText(password)) return { ok: true, value: { username, password } };
  return {
    ok: false,
    problems: [
      ...(isText(username) ? [] : [wrong(`${prefix}username`, TEXT, username)]),
      ...(isText(password) ? [] : [wrong(`${prefix}password`, TEXT, password)]),
    ],
  };
}

function checkServices(services: unknown): Problem[] {
  const expected = `a list of 1 to ${MAX_SERVICES} names of services`;
  if (!Array.isArray(services) || services.length === 0 || services.length > MAX_SERVICES) {
    return [wrong('service', expected, services)];
  }
  return services.flatMap((name, index) => (isText(name) ? [] : [wrong(`service[${index}]`, TEXT, name)]));
}

function checkVariables(given: unknown): Problem[] {
  if (!isObject(given)) return [wrong('identityVariables', 'an object of texts, phoneNo among them', given)];
  const entries = Object.entries(given);
  if (entries.length > MAX_VARIABLES) {
    return [wrong('identityVariables', `at most ${MAX_VARIABLES} variables`, given)];
  }
  const phoneNo = Object.hasOwn(given, 'phoneNo') ? [] : [['phoneNo', undefined] as const];
  return [...phoneNo, ...entries].flatMap(([name, value], index) => {
    const form = VARIABLE_FORMS.get(name);
    const fits = typeof value === 'string' && (form === undefined || form.fits(value));
    return fits ? [] : [wrong(`identityVariables.${shownName(name, index)}`, form?.expected ?? 'a text', value)];
  });
}

/** A name as it may be shown: a sender's mistake can put a value where a name should be. */
function shownName(name: string, index: number): string {
  return VARIABLE_FORMS.has(name) || /^[A-Za-z_]{1,40}$/.test(name) ? name : `(variable ${index + 1})`;
}

function wrong(field: string, expected: string, value: unknown): Problem {
  return { field, expected, found: kindOf(value) };
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'string') return value.trim() === '' ? 'a blank text' : 'another text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A body's own field: what stands on a prototype was not sent. */
function own(holder: object, field: string): unknown {
  return Object.hasOwn(holder, field) ? Reflect.get(holder, field) : undefined;
}
