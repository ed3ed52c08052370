/** The cookie of a session is for this host, and found among others. homes.slow.alone.test.ts has their promises. */

import { expect, test } from 'vitest';
import { createCookie } from '../../../src/service/auth/sessions.ts';

const COOKIE = createCookie('verdict', true);

test('the cookie of a session is for this host, for no script, and for no other site', () => {
  expect(COOKIE.write('value')).toBe('__Host-verdict=value; Path=/; HttpOnly; SameSite=Lax; Secure');
  expect(COOKIE.clear()).toBe('__Host-verdict=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0');
  expect(createCookie('verdict', false).write('value')).toBe('verdict=value; Path=/; HttpOnly; SameSite=Lax');
});

test.each([
  ['__Host-verdict=value', 'value'],
  ['other=1; __Host-verdict=value;__Host-verdict-sign-in=2', 'value'],
  ['x__Host-verdict=1; verdict=2; __host-verdict=3; __Host-verdict-sign-in=4', undefined],
  ['__Host-verdict', undefined],
  ['__Host-verdict=', ''],
  ['', undefined],
  [undefined, undefined],
])('the header %j has the value %j', (header, value) => {
  expect(COOKIE.read(header)).toBe(value);
});
