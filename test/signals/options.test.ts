import { describe, expect, test } from 'vitest';
import { VerdictError } from '../../src/errors.ts';
import { createVerifyClient } from '../../src/signals/client.ts';
import type { VerifyClientOptions } from '../../src/signals/options.ts';
import { readOptions } from '../../src/signals/read-options.ts';

const OPTIONS = {
  baseUrl: 'https://service.example',
  environment: 'sandbox',
  username: 'user',
  password: 'secret',
} as const;

function problemOf(options: unknown): string {
  try {
    createVerifyClient(options as VerifyClientOptions).close();
  } catch (error) {
    if (error instanceof VerdictError && error.code === 'CONFIGURATION_INVALID') return error.message;
    throw error;
  }
  return 'it was taken';
}

test('the defaults are those that are documented', () => {
  const settings = readOptions(OPTIONS);
  expect(settings).toEqual({
    ...OPTIONS,
    tokenPath: [['sessionToken'], ['token'], ['access_token'], ['data', 'token']],
    requestIdHeader: ['x-request-id', 'x-correlation-id'],
    requestIdPath: [],
    tokenLifeMs: 28_800_000,
    timeoutMs: 10_000,
    maxBodyBytes: 1_048_576,
    refreshAheadMs: 1_200_000,
    signInPauseMs: 30_000,
    maxAttempts: 4,
    backoffMs: 100,
    maxBackoffMs: 2_000,
    retryBudget: 0.2,
    retryReserve: 10,
    resendAmbiguous: false,
    allowClearText: false,
    breakerFailures: 10,
    breakerPauseMs: 5_000,
    maxConcurrent: 256,
    maxQueued: 10_000,
    now: expect.any(Function),
  });
  const before = Date.now();
  const now = settings.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

test.each([
  ['https://service.example', 'https://service.example'],
  ['https://service.example/', 'https://service.example'],
  ['http://127.0.0.1:8787//', 'http://127.0.0.1:8787'],
  ['https://service.example/prefix/', 'https://service.example/prefix'],
])('the base address %s is taken as %s', (baseUrl, taken) => {
  expect(readOptions({ ...OPTIONS, baseUrl }).baseUrl).toBe(taken);
});

test('a resend budget of 0 and a fraction of a call a second can be used', () => {
  expect(readOptions({ ...OPTIONS, retryBudget: 0, maxPerSecond: 0.5 })).toMatchObject({
    retryBudget: 0,
    maxPerSecond: 0.5,
  });
});

test.each([
  'http://localhost:8787',
  'http://LocalHost',
  'http://127.0.0.1',
  'http://127.255.255.254:1',
  'http://127.1',
  'http://0x7f000001',
  'http://[::1]:8787',
  'http://[0:0:0:0:0:0:0:1]',
  'https://service.example',
  'HTTPS://10.0.0.1',
])('%s sends nothing in clear to another machine', (baseUrl) => {
  expect(() => readOptions({ ...OPTIONS, baseUrl })).not.toThrow();
});

test.each([
  'http://service.example',
  'HTTP://service.example',
  'http://10.0.0.1',
  'http://0.0.0.0',
  'http://128.0.0.1',
  'http://[::2]',
  'http://[::ffff:10.0.0.1]',
  'http://127.0.0.1.service.example',
  'http://localhost.service.example',
  'http://notlocalhost',
])('%s sends passwords in clear to another machine, and is taken with `allowClearText` only', (baseUrl) => {
  const message = problemOf({ ...OPTIONS, baseUrl });
  expect(message).toContain('baseUrl is http to another machine');
  expect(message).toContain('use https, or set allowClearText: true');
  expect(message).not.toContain(new URL(baseUrl).host);
  expect(readOptions({ ...OPTIONS, baseUrl, allowClearText: true }).allowClearText).toBe(true);
});

describe('options cannot be used', () => {
  test.each([
    ['without a base address', { baseUrl: undefined }, 'baseUrl is missing'],
    ['with a base address that is not a URL', { baseUrl: 'secret' }, 'baseUrl has to be an http or https URL'],
    ['with a base address of another scheme', { baseUrl: 'ftp://secret' }, 'baseUrl has to be an http or https URL'],
    ['with credentials in it', { baseUrl: 'https://a:secret@b' }, 'baseUrl has to be an http or https URL'],
    ['with a user in it', { baseUrl: 'https://secret@b' }, 'baseUrl has to be an http or https URL'],
    ['with a query in it', { baseUrl: 'https://b/?secret=1' }, 'baseUrl has to be an http or https URL'],
    ['with an empty query in it', { baseUrl: 'https://b/?' }, 'baseUrl has to be an http or https URL'],
    ['with a fragment in it', { baseUrl: 'https://b/#secret' }, 'baseUrl has to be an http or https URL'],
    ['with an unknown environment', { environment: 'secret' }, 'environment has to be sandbox or production'],
    ['with an empty user name', { username: '' }, 'username has to be a non-empty text'],
    ['with a password that is a number', { password: 1234 }, 'password has to be a non-empty text'],
    ['with an empty password', { password: '' }, 'password has to be a non-empty text'],
    ['with an empty token path', { tokenPath: '' }, 'tokenPath has to be a dotted path'],
    ['with a token path that ends in a dot', { tokenPath: ['secret.'] }, 'tokenPath has to be a dotted path'],
    ['with no token path', { tokenPath: [] }, 'tokenPath has to be a dotted path'],
    ['with a token life of 0', { tokenLifeMs: 0 }, 'tokenLifeMs has to be a whole number'],
    ['with half a millisecond', { timeoutMs: 0.5 }, 'timeoutMs has to be a whole number'],
    ['with a deadline longer than a timer', { timeoutMs: 2 ** 31 }, 'timeoutMs has to be a whole number'],
    ['with a deadline in words', { timeoutMs: 'secret' }, 'timeoutMs has to be a whole number'],
    ['with an endless body', { maxBodyBytes: Number.POSITIVE_INFINITY }, 'maxBodyBytes'],
    ['with no call a day', { maxCallsPerDay: 0 }, 'maxCallsPerDay has to be a whole number from 1'],
    ['with a rate of 0 calls a second', { maxPerSecond: 0 }, 'maxPerSecond has to be a number above 0'],
    ['with a resend budget below 0', { retryBudget: -0.1 }, 'retryBudget has to be a number from 0'],
    ['with a clock that is not a function', { now: 1 }, 'now has to be a function'],
    ['with a text for a switch', { allowClearText: 'secret' }, 'allowClearText has to be true or false'],
    ['with an unknown option', { timeout: 5 }, 'unknown key "timeout" (did you mean "timeoutMs"?)'],
  ])('%s', (_, change, problem) => {
    const message = problemOf({ ...OPTIONS, ...change });
    expect(message).toContain(problem);
    expect(message).not.toMatch(/secret|1234/);
  });

  test('if they are absent', () => {
    expect(problemOf(undefined)).toContain('must be an object');
  });

  test('with all problems in one message', () => {
    expect(problemOf({})).toMatch(/baseUrl.*environment.*username.*password/);
  });
});
