/** The JSON of a request's body -> what was requested, or every problem with it; a problem never repeats a value. */

import type { Identity } from './findings.ts';

/** One problem with a body. */
export interface Problem {
  readonly field: string;
  readonly expected: string;
  /** The kind of value found, never the value itself. */
  readonly found: string;
}

/** A well-formed verify request. */
export interface VerifyRequest {
  readonly countryCode: string;
  readonly clientReference: string;
  /** Without repeats. */
  readonly services: readonly string[];
  readonly identity: Identity;
  /** The identity variables other than phone number, email and IP. */
  readonly variables: ReadonlyMap<string, string>;
}

/** The result of reading a body. */
export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** More would make the answer far larger than the request. */
const MAX_SERVICES = 20;
const MAX_VARIABLES = 50;

const TEXT = 'a text that is not blank';

// RFC 5321: 64 octets before the @, 255 after it.
const MAX_EMAIL = 320;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const IPV4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/;

/** The variables that the risk service knows; others may be any text. */
const KNOWN_VARIABLES = new Map([
  [
    'phoneNo',
    {
      expected: 'digits only: the country code and the number, 4 to 15 digits, no plus and no separators',
      // An E.164 number has at most 15 digits, and no country code begins with 0.
      fits: (text: string) => /^[1-9][0-9]{3,14}$/.test(text),
    },
  ],
  [
    'email',
    {
      expected: 'an email address with one @',
      fits: (text: string) => text.length <= MAX_EMAIL && EMAIL.test(text.trim()),
    },
  ],
  ['ip', { expected: 'an IPv4 address of four decimal parts', fits: (text: string) => IPV4.test(text) }],
]);

/** Reads the body of a verify request. */
export function readVerify(body: unknown): Read<VerifyRequest> {
  if (!isObject(body)) return refused('body', 'an object', body);
  const { countryCode, clientReference, service, identityVariables } = ownFields(body);
  const problems = [
    ...textProblems({ countryCode, clientReference }),
    ...serviceProblems(service),
    ...variableProblems(identityVariables),
  ];
  if (problems.length > 0) return { ok: false, problems };

  const variables = new Map(Object.entries(identityVariables as Record<string, string>));
  const email = variables.get('email')?.trim().toLowerCase();
  const identity = { phoneNo: variables.get('phoneNo') ?? '', email, ip: variables.get('ip') };
  for (const name of KNOWN_VARIABLES.keys()) variables.delete(name);
  const services = [...new Set(service as string[])];
  const texts = { countryCode, clientReference } as Pick<VerifyRequest, 'countryCode' | 'clientReference'>;
  return { ok: true, value: { ...texts, services, identity, variables } };
}

/** The form of a sign-in body: `{username, password}` in the sandbox, `{data: {username, password}}` in production. */
export type Environment = 'sandbox' | 'production';

/** Username and password as sent. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Reads the body of a sign-in in the form of the environment. */
export function readSignIn(body: unknown, environment: Environment): Read<Credentials> {
  if (!isObject(body)) return refused('body', 'an object', body);
  const isNested = environment === 'production';
  const { data } = ownFields(body);
  if (!isNested && Object.hasOwn(body, 'data')) {
    return refused('data', 'nothing: username and password are top-level fields here', data);
  }
  const fields = isNested ? data : body;
  if (!isObject(fields)) return refused('data', 'an object with username and password', fields);
  const { username, password } = ownFields(fields);
  const problems = textProblems({ username, password }, isNested ? 'data.' : '');
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: { username, password } as Credentials };
}

function textProblems(fields: Readonly<Record<string, unknown>>, prefix = ''): Problem[] {
  return Object.entries(fields).flatMap(([field, value]) =>
    isText(value) ? [] : [problem(`${prefix}${field}`, TEXT, value)],
  );
}

function serviceProblems(services: unknown): Problem[] {
  if (!Array.isArray(services) || services.length === 0 || services.length > MAX_SERVICES) {
    return [problem('service', `a list of 1 to ${MAX_SERVICES} names of services`, services)];
  }
  return services.flatMap((name, index) => (isText(name) ? [] : [problem(`service[${index}]`, TEXT, name)]));
}

function variableProblems(variables: unknown): Problem[] {
  if (!isObject(variables))
    return [problem('identityVariables', 'an object of texts that includes phoneNo', variables)];
  const entries = Object.entries(variables);
  if (entries.length > MAX_VARIABLES) {
    return [problem('identityVariables', `at most ${MAX_VARIABLES} variables`, variables)];
  }
  const phoneNo = Object.hasOwn(variables, 'phoneNo') ? [] : [['phoneNo', undefined] as const];
  return [...phoneNo, ...entries].flatMap(([name, value], index) => {
    const knownVariable = KNOWN_VARIABLES.get(name);
    if (typeof value === 'string' && (knownVariable === undefined || knownVariable.fits(value))) return [];
    // A sender may have put a value in place of a name, so unusual names are not shown.
    const label = /^[A-Za-z_]{1,40}$/.test(name) ? name : `(variable ${index + 1})`;
    return [problem(`identityVariables.${label}`, knownVariable?.expected ?? 'a text', value)];
  });
}

function refused(field: string, expected: string, value: unknown): Read<never> {
  return { ok: false, problems: [problem(field, expected, value)] };
}

function problem(field: string, expected: string, value: unknown): Problem {
  return { field, expected, found: describeKind(value) };
}

function describeKind(value: unknown): string {
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

/** A copy without a prototype: a field of a prototype was not sent. */
function ownFields(body: object): Readonly<Record<string, unknown>> {
  return Object.assign(Object.create(null), body);
}
