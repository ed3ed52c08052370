import { describe, expect, test } from 'vitest';
import { VerdictError } from '../../src/errors.ts';
import {
  buildRequest,
  checkEnvelope,
  normaliseVariable,
  readRequest,
  type VerifyRequest,
} from '../../src/signals/request.ts';
import type { IdentityVariable } from '../../src/signals/variables.ts';

const REQUEST = { phoneNo: '447400123456', clientReference: 'r' };

function bodyOf(request: VerifyRequest): unknown {
  return JSON.parse(readRequest(request).body);
}

function problemOf(request: unknown): string {
  try {
    readRequest(request as VerifyRequest);
  } catch (error) {
    if (error instanceof VerdictError && error.code === 'REQUEST_INVALID' && error.carriedOut === 'no')
      return error.message;
    throw error;
  }
  return 'it was sent';
}

describe('a phone number', () => {
  test.each([
    ['+44 7400 123456', '447400123456'],
    ['+44 (0)7400 123456', '447400123456'],
    ['0044 7400 123456', '447400123456'],
    ['447400123456', '447400123456'],
    ['44 (0)7400 123456', '447400123456'],
    [' +1 (202) 555-0100\n', '12025550100'],
    ['+1.202.555.0100', '12025550100'],
    ['+1 202/555/0100', '12025550100'],
    ['+61\u00a0491\u00a0570\u00a0156', '61491570156'],
    ['+39 06 1234 5678', '390612345678'],
  ])('%j is sent as %j', (text, value) => {
    expect(normaliseVariable('phoneNo', text)).toEqual({ value });
  });

  test.each([
    ['with an unassigned country code', '+999 123 4567', '9991234567'],
    ['of 7 digits', '+2901234', '2901234'],
    ['of 15 digits', '+999123456789012', '999123456789012'],
  ])('that is invented is sent: one %s', (_, text, value) => {
    expect(normaliseVariable('phoneNo', text)).toEqual({ value });
  });

  test.each([
    ['in the national form', '07400 123456', /country code/],
    ['whose country code starts with 0', '+0740 0123456', /country code/],
    ['with letters', '+1 800 FLOWERS', /letters/],
    ['with an extension', '+44 7400 123456 ext. 5', /extension/],
    ['with an extension behind #', '+44 7400 123456 #5', /extension/],
    ['with a plus inside', '44+7400123456', /characters other than/],
    ['with two pluses', '++447400123456', /characters other than/],
    ['with a comma', '+44 7400 123456,5', /characters other than/],
    ['with separators alone', '+ ( ) -', /characters other than/],
    ['of 6 digits', '+999123', /7 to 15 digits/],
    ['of 16 digits', '+9991234567890123', /7 to 15 digits/],
    ['that is empty', ' ', /empty/],
    ['that is not there', undefined, /missing/],
    ['that is null', null, /missing/],
    ['that YAML read as a number', 447400123456, /quotes/],
    ['that is a list', ['447400123456'], /text/],
  ])('%s is refused', (_, text, problem) => {
    expect(normaliseVariable('phoneNo', text)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

describe('an email', () => {
  test.each([
    [' Ann.Other+tag@Example.com\n', 'Ann.Other+tag@Example.com'],
    ['a@b', 'a@b'],
    ['jörg@bücher.example', 'jörg@bücher.example'],
    [`${'a'.repeat(64)}@${'b.'.repeat(90)}example`, `${'a'.repeat(64)}@${'b.'.repeat(90)}example`],
  ])('%j is trimmed and otherwise sent as it is', (text, value) => {
    expect(normaliseVariable('email', text)).toEqual({ value });
  });

  test.each([
    ['without @', 'ann.example.com', /no @/],
    ['with two @', 'a@b@c', /more than one @/],
    ['with nothing before the @', '@example.com', /nothing/],
    ['with nothing after the @', 'ann@', /nothing/],
    ['with a space inside', 'ann other@example.com', /white space/],
    ['with a line break inside', 'ann@example.com\nb', /white space/],
    ['with a control character', 'ann\u0007@example.com', /control/],
    ['of 255 characters', `${'a'.repeat(243)}@example.com`, /254/],
    ['that is empty', '', /empty/],
    ['that is not a text', {}, /text/],
  ])('%s is refused', (_, text, problem) => {
    expect(normaliseVariable('email', text)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

describe('an IP address', () => {
  test.each([
    ['8.8.8.8', '8.8.8.8'],
    [' 8.8.8.8 ', '8.8.8.8'],
    ['192.0.2.1', '192.0.2.1'],
    ['198.51.100.1', '198.51.100.1'],
    ['203.0.113.255', '203.0.113.255'],
    ['172.32.0.1', '172.32.0.1'],
    ['100.128.0.1', '100.128.0.1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
  ])('%j is sent as %j', (text, value) => {
    expect(normaliseVariable('ip', text)).toEqual({ value });
  });

  test.each([
    ['of IPv6', '2001:db8::1', /IPv6/],
    ['of IPv6 on loopback', '::1', /IPv6/],
    ['that is private (10/8)', '10.1.2.3', /private/],
    ['that is private (172.16/12)', '172.31.255.255', /private/],
    ['that is private (192.168/16)', '192.168.0.1', /private/],
    ['that is private, in IPv6', '::ffff:192.168.0.1', /private/],
    ['that is loopback', '127.0.0.1', /loopback/],
    ['that is link-local', '169.254.1.1', /link-local/],
    ['of a carrier-grade NAT', '100.64.0.1', /carrier-grade NAT/],
    ['that is multicast', '224.0.0.1', /multicast/],
    ['that is broadcast', '255.255.255.255', /broadcast/],
    ['that is unspecified', '0.0.0.0', /unspecified/],
    ['in hexadecimal', '0x08.8.8.8', /dotted/],
    ['in octal', '010.8.8.8', /dotted/],
    ['in octal, in IPv6', '::ffff:010.8.8.8', /dotted/],
    ['of three parts', '8.8.8', /dotted/],
    ['of one number', '134744072', /dotted/],
    ['with a part over 255', '8.8.8.256', /dotted/],
    ['with a port', '8.8.8.8:80', /./],
    ['with a mask', '8.8.8.0/24', /dotted/],
    ['that is a host name', 'localhost', /dotted/],
  ])('%s is refused', (_, text, problem) => {
    expect(normaliseVariable('ip', text)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

test.each<[IdentityVariable, string]>([
  ['phoneNo', '+1 800 SECRET'],
  ['phoneNo', '07400777888'],
  ['email', 'secret.example'],
  ['ip', '10.66.77.88'],
  ['ip', '2001:db8::66'],
])('the problem of a %s does not repeat it', (variable, text) => {
  const result = normaliseVariable(variable, text);
  expect(result).toEqual({ problem: expect.any(String) });
  for (const part of text.split(/[\s.:]+/).filter((part) => part.length > 1)) {
    expect(JSON.stringify(result)).not.toContain(part);
  }
});

describe('the body that is sent', () => {
  test('for a phone number alone requests the global risk service', () => {
    expect(readRequest(REQUEST)).toEqual({ body: expect.any(String), requested: ['phoneNo'] });
    expect(bodyOf(REQUEST)).toEqual({
      countryCode: 'Global',
      clientReference: 'r',
      service: ['Core Intelligence Service'],
      identityVariables: { phoneNo: '447400123456' },
    });
  });

  test('has all three identity variables normalised', () => {
    const request = {
      clientReference: 'r',
      phoneNo: '+44 7400 123456',
      email: ' a@b.example ',
      ip: '::ffff:203.0.113.9',
    };
    expect(readRequest(request).requested).toEqual(['phoneNo', 'email', 'ip']);
    expect(bodyOf(request)).toMatchObject({
      identityVariables: { phoneNo: '447400123456', email: 'a@b.example', ip: '203.0.113.9' },
    });
  });

  test('of a composite request has all services and variables, the risk service first and only once', () => {
    const services = ['Global KYC', 'Core Intelligence Service', 'Global KYC'];
    const request = {
      ...REQUEST,
      countryCode: 'GB',
      services,
      variables: { firstName: 'Ann', 'date of birth': '1990-01-01' },
    };
    expect(bodyOf(request)).toEqual({
      countryCode: 'GB',
      clientReference: 'r',
      service: ['Core Intelligence Service', 'Global KYC'],
      identityVariables: { phoneNo: '447400123456', firstName: 'Ann', 'date of birth': '1990-01-01' },
    });
  });

  test('omits an email that is undefined', () => {
    const request = { ...REQUEST, email: undefined } as unknown as VerifyRequest;
    expect(readRequest(request).requested).toEqual(['phoneNo']);
  });
});

describe('a request is refused', () => {
  test.each([
    ['without a phone number', { clientReference: 'r' }, 'phoneNo is missing'],
    ['with an email that is null', { ...REQUEST, email: null }, 'email is missing'],
    ['without a reference', { phoneNo: '447400123456' }, 'clientReference is missing'],
    ['with an empty reference', { ...REQUEST, clientReference: '' }, 'clientReference has to be a text of 1 to 255'],
    ['with a blank reference', { ...REQUEST, clientReference: ' ' }, 'clientReference has to be a text of 1 to 255'],
    [
      'with a reference of 256 characters',
      { ...REQUEST, clientReference: 'r'.repeat(256) },
      'a text of 1 to 255 characters',
    ],
    ['with a line break in its reference', { ...REQUEST, clientReference: 'r\n' }, 'none of them a control character'],
    ['with an empty country code', { ...REQUEST, countryCode: '' }, 'countryCode has to be a text that is not empty'],
    ['with services that are not a list', { ...REQUEST, services: 'Global KYC' }, 'services has to be a list'],
    ['with an empty service', { ...REQUEST, services: [''] }, 'services has to be a list'],
    ['with variables that are not an object', { ...REQUEST, variables: ['a'] }, 'variables has to be an object'],
    ['with an empty variable', { ...REQUEST, variables: { name: '' } }, 'variables has to be an object'],
    ['with a variable without a name', { ...REQUEST, variables: { '': 'a' } }, 'variables has to be an object'],
    ['with a variable that is a number', { ...REQUEST, variables: { year: 1990 } }, 'variables has to be an object'],
    [
      'with a phone number among its variables',
      { ...REQUEST, variables: { phoneNo: '1' } },
      'must not contain phoneNo, email, ip',
    ],
    [
      'with an email among its variables',
      { ...REQUEST, variables: { email: 'a@b' } },
      'must not contain phoneNo, email, ip',
    ],
    [
      'with an IP address among its variables',
      { ...REQUEST, variables: { ip: '8.8.8.8' } },
      'must not contain phoneNo, email, ip',
    ],
    ['with an unknown key', { ...REQUEST, phoneNr: '1' }, 'unknown key "phoneNr" (did you mean "phoneNo"?)'],
    ['that is not an object', 'secret', 'must be an object'],
    ['that is undefined', undefined, 'must be an object'],
  ])('%s', (_, request, problem) => {
    expect(problemOf(request)).toContain(problem);
  });

  test('for its envelope before there is an applicant', () => {
    checkEnvelope({ clientReference: 'r', services: ['Global KYC'], variables: { a: 'b' }, countryCode: 'GB' });
    const bad = { clientReference: '', services: [''], variables: { ip: 'b' }, countryCode: '', email: 'a@b' };
    expect(() => checkEnvelope(bad)).toThrow(/countryCode.*services.*variables.*clientReference.*unknown key "email"/);
  });

  test('that was changed after it was built of checked parts', () => {
    const identity = { phoneNo: '447911123456', email: 'Nora@Mail.Example' };
    const envelope = { clientReference: 'r', variables: { a: 'b' } };
    const built = buildRequest(envelope, identity);
    expect(readRequest(built)).toEqual(readRequest({ ...envelope, ...identity }));
    expect(Object.isFrozen(built)).toBe(true);
    expect(problemOf({ ...built, email: 'none' })).toContain('email has no @');
  });

  test('with all its problems in one message', () => {
    const message = problemOf({
      phoneNo: '07400',
      email: 'none',
      ip: '::1',
      countryCode: '',
      clientReference: '',
      other: 1,
    });
    for (const key of ['phoneNo', 'email', 'ip', 'countryCode', 'clientReference', 'other'])
      expect(message).toContain(key);
  });

  test('without repeating a value, a key that looks like a value, or the name of a variable', () => {
    const message = problemOf({
      phoneNo: 'secret-1',
      email: 'secret-2',
      ip: 'secret-3',
      countryCode: 4,
      services: ['', 'secret-5'],
      variables: { 'secret-6': 7 },
      clientReference: '\nsecret-8',
      '+44 7400 123456': 'secret-9',
    });
    expect(message).not.toMatch(/secret|7400/);
  });
});
