/** A caller's request -> the body to send, with every field checked and identity variables normalised. */

import { type Format, readFormat } from '../platform/formats/format.ts';
import { checkedBy, type Kind, type Kinds, listOf, optionsReader } from '../platform/given/options.ts';
import { ownCopy, ownValue, readGiven } from '../platform/given/read-given.ts';
import { isObject } from '../platform/json.ts';
import { trimWhiteSpace } from '../text.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from './variables.ts';

/** A request to the service. */
export interface VerifyRequest {
  /** International: with +, with 00, or with the bare country code. Separators are removed. */
  readonly phoneNo: string;
  readonly email?: string;
  /** A public IPv4 address; an IPv4 address in IPv6 (`::ffff:a.b.c.d`) is sent as IPv4. */
  readonly ip?: string;
  /** Default: `Global`, the global service. */
  readonly countryCode?: string;
  /** Services to request in addition to the Core Intelligence Service, which is always requested. */
  readonly services?: readonly string[];
  /** Identity variables for those services, by name. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The caller's reference for this call, at most 255 characters; the answer repeats it. */
  readonly clientReference: string;
}

/** The fields of a request other than the applicant's identity variables. */
export type VerifyEnvelope = Omit<VerifyRequest, IdentityVariable>;

/** A request that can be sent. */
export interface VerifyMessage {
  /** The JSON body. */
  readonly body: string;
  /** The identity variables in it. */
  readonly requested: readonly IdentityVariable[];
}

/** The name of the risk service in the service's specification. */
export const RISK_SERVICE = 'Core Intelligence Service';

/** The longest reference. */
const MAX_REFERENCE = 255;

export const CONTROL = /\p{Cc}/u;

/**
 * An identity variable in the form that the service expects, or the problem with it; the problem never repeats it. An
 * email is sent as it is written: before the @, some servers tell capitals apart.
 */
export function normaliseVariable(
  variable: IdentityVariable,
  text: unknown,
): { readonly value: string } | { readonly problem: string } {
  if (text === undefined || text === null) return { problem: 'is missing' };
  // As a number, a phone number has lost its plus and its leading zeros.
  if (typeof text === 'number') return { problem: 'is a number: a text was expected, so put it in quotes' };
  if (typeof text !== 'string') return { problem: 'has to be a text' };
  const read = readFormat(VARIABLE_FORMATS[variable], text);
  if ('problem' in read) return { problem: read.problem };
  return variable === 'email' ? { value: trimWhiteSpace(text) } : read;
}

/** Checks a request and writes its body. Throws REQUEST_INVALID with all problems; the message repeats no value. */
export function readRequest(request: VerifyRequest): VerifyMessage {
  return readGiven('REQUEST_INVALID', 'the request', () => writeMessage(request));
}

const builtRequests = new WeakSet<VerifyRequest>();

/**
 * Builds a request of parts that were checked before: the envelope by `checkEnvelope`, the identity variables by
 * `normaliseVariable`. It is frozen, and `readRequest` does not check it again.
 */
export function buildRequest(envelope: VerifyEnvelope, identity: Pick<VerifyRequest, IdentityVariable>): VerifyRequest {
  const request = Object.freeze({ ...envelope, ...identity });
  builtRequests.add(request);
  return request;
}

function writeMessage(request: VerifyRequest): VerifyMessage {
  const checked = builtRequests.has(request) ? request : check(request);
  // Without a prototype, which may be polluted: most fields may be absent.
  const fields = ownCopy(checked) as VerifyRequest;
  const { countryCode = 'Global', clientReference, services = [], variables = {}, ...identity } = fields;
  const requested = IDENTITY_VARIABLES.filter((variable) => ownValue(identity, variable) !== undefined);
  const body = JSON.stringify({
    countryCode,
    clientReference,
    service: [...new Set([RISK_SERVICE, ...services])],
    identityVariables: Object.fromEntries([
      ...requested.map((variable) => [variable, identity[variable]]),
      ...Object.entries(variables),
    ]),
  });
  return { body, requested };
}

/** The format of each identity variable. */
export const VARIABLE_FORMATS = {
  phoneNo: 'phone',
  email: 'email',
  ip: 'ip',
} as const satisfies Readonly<Record<IdentityVariable, Format>>;

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

const FILLED_TEXT: Kind = { expected: 'a text that is not empty', is: isText };

const ENVELOPE: Kinds<VerifyEnvelope> = {
  'countryCode?': FILLED_TEXT,
  'services?': listOf(FILLED_TEXT, 'a list of non-empty texts'),
  'variables?': checkedBy('an object of texts', variablesProblem),
  clientReference: {
    expected: `a text of 1 to ${MAX_REFERENCE} characters, none of them a control character`,
    is: (value) => isText(value) && value.length <= MAX_REFERENCE && !CONTROL.test(value),
  },
};

const identityKind = (variable: IdentityVariable) =>
  checkedBy('a text', (value) => {
    const read = normaliseVariable(variable, value);
    return 'problem' in read ? read.problem : undefined;
  });

/** Checks the envelope before there is an applicant. Throws REQUEST_INVALID as `readRequest` does. */
export const checkEnvelope = optionsReader<VerifyEnvelope>('the request', ENVELOPE, 'REQUEST_INVALID');

const checkFields = optionsReader<VerifyRequest>(
  'the request',
  { phoneNo: identityKind('phoneNo'), 'email?': identityKind('email'), 'ip?': identityKind('ip'), ...ENVELOPE },
  'REQUEST_INVALID',
);

function check(request: VerifyRequest): VerifyRequest {
  const fields = checkFields(request);
  const given = IDENTITY_VARIABLES.filter((variable) => fields[variable] !== undefined);
  const identity = given.map((variable) => [variable, normaliseVariable(variable, fields[variable])] as const);
  const values = identity.flatMap(([variable, read]) => ('value' in read ? [[variable, read.value] as const] : []));
  return { ...fields, ...Object.fromEntries(values) };
}

function variablesProblem(value: unknown): string | undefined {
  const isOfTexts = isObject(value) && Object.entries(value).every(([name, text]) => isText(name) && isText(text));
  if (!isOfTexts) return 'has to be an object whose names and values are texts';
  const isFree = IDENTITY_VARIABLES.every((variable) => !Object.hasOwn(value, variable));
  return isFree
    ? undefined
    : `must not contain ${IDENTITY_VARIABLES.join(', ')}: they are fields of the request itself`;
}
