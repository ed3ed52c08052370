/** Malformed requests to the sandbox -> the right status and the field, never the value. */

import { request } from 'node:http';
import { expect, test } from 'vitest';
import { CORE_SERVICE, type Sandbox } from '../../src/sandbox/index.ts';
import { about, post, signIn, start, verify } from '../support/sandbox/ask.ts';

const GOOD = about({ phoneNo: '12025550101', email: 'a@b.example', ip: '192.0.2.1' });
const PHONE = 'identityVariables.phoneNo';

function without(field: keyof typeof GOOD) {
  const { [field]: _, ...rest } = GOOD;
  return rest;
}

test.each<[string, unknown, readonly string[]]>([
  ['without countryCode', without('countryCode'), ['countryCode']],
  ['without clientReference', without('clientReference'), ['clientReference']],
  ['without service', without('service'), ['service']],
  ['without identityVariables', without('identityVariables'), ['identityVariables']],
  ['with nothing', {}, ['countryCode', 'clientReference', 'service', 'identityVariables']],
  ['that is a list', [GOOD], ['body']],
  ['that is null', null, ['body']],
  ['with a number for the country', { ...GOOD, countryCode: 7_331_733 }, ['countryCode']],
  ['with a blank reference', { ...GOOD, clientReference: ' ' }, ['clientReference']],
  ['with one service as a text', { ...GOOD, service: 'Canary Service' }, ['service']],
  ['with no services', { ...GOOD, service: [] }, ['service']],
  [
    'with services that are not names',
    { ...GOOD, service: [CORE_SERVICE, 7_331_733, ' '] },
    ['service[1]', 'service[2]'],
  ],
  ['with very many services', { ...GOOD, service: Array.from({ length: 21 }, (_, i) => `Canary ${i}`) }, ['service']],
  ['without a phone number', about({ email: 'a@b.example' }), [PHONE]],
  ['with a plus', about({ phoneNo: '+7331733733' }), [PHONE]],
  ['with separators', about({ phoneNo: '7331 733-733' }), [PHONE]],
  ['with a national number', about({ phoneNo: '07331733733' }), [PHONE]],
  ['with too many digits', about({ phoneNo: '7331733733173373' }), [PHONE]],
  ['with a number for a phone number', about({ phoneNo: 7_331_733_733 }), [PHONE]],
  ['with digits of another script', about({ phoneNo: '١٢٣٤٥٦٧٨٩' }), [PHONE]],
  ['with an email without @', about({ phoneNo: '12025550101', email: 'canary.example' }), ['identityVariables.email']],
  ['with two @', about({ phoneNo: '12025550101', email: 'canary@a@b' }), ['identityVariables.email']],
  ['with nothing after the @', about({ phoneNo: '12025550101', email: 'canary@' }), ['identityVariables.email']],
  ['with IPv6', about({ phoneNo: '12025550101', ip: '2001:db8::7331' }), ['identityVariables.ip']],
  ['with an IP part too large', about({ phoneNo: '12025550101', ip: '73.31.73.256' }), ['identityVariables.ip']],
  ['with a leading zero', about({ phoneNo: '12025550101', ip: '73.31.073.1' }), ['identityVariables.ip']],
  ['with a dot at the end', about({ phoneNo: '12025550101', ip: '73.31.73.1.' }), ['identityVariables.ip']],
  ['with three IP parts', about({ phoneNo: '12025550101', ip: '73.31.73' }), ['identityVariables.ip']],
  ['with a null email', about({ phoneNo: '12025550101', email: null }), ['identityVariables.email']],
  [
    'with a nested variable',
    about({ phoneNo: '12025550101', firstName: { canary: 1 } }),
    ['identityVariables.firstName'],
  ],
  [
    'with a value where a name should be',
    about({ phoneNo: '12025550101', 'canary@x.example': 1 }),
    ['identityVariables.(variable 2)'],
  ],
  ['with a list of variables', about(['canary']), ['identityVariables']],
  [
    'with very many variables',
    about(Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`canary${i}`, 'x']))),
    ['identityVariables'],
  ],
])('a request %s is refused with 400, its fields and no values', async (_, body, fields) => {
  const sandbox = await start();
  const { status, json, text } = await verify(sandbox, body);
  expect(status).toBe(400);
  expect(Object.values(json['problems'] ?? {}).map((problem) => problem['field'])).toEqual(fields);
  expect(Object.values(json['problems'] ?? {}).every((problem) => problem['expected'] && problem['found'])).toBe(true);
  expect(json['error']).toContain(fields[0]);
  expect(text).not.toMatch(/canary|7331|7_?331/i);
  expect(sandbox.counts).toEqual({ signIns: 1, verifies: 0, refused: 1 });
});

test('a field of a prototype counts as missing, and names such as __proto__ are ordinary names', async () => {
  const sandbox = await start();
  const inherited = `{"__proto__": ${JSON.stringify(GOOD)}}`;
  expect((await verify(sandbox, inherited)).status).toBe(400);
  const odd = '{"phoneNo":"12025550101","__proto__":"x","constructor":"y"}';
  const services = '["__proto__","toString"]';
  const body = `{"countryCode":"Global","clientReference":"R","service":${services},"identityVariables":${odd}}`;
  const { status, text } = await verify(sandbox, body);
  expect(status).toBe(200);
  expect(text).toContain('"serviceResponses":{"__proto__":{');
  expect(text).toMatch(/"verifications":\{"__proto__":"(No )?Match","constructor":"(No )?Match"\}/);
});

test.each([
  ['nothing', ''],
  ['half an object', '{"countryCode":"canary'],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['a form', 'phoneNo=canary'],
  ['thirty thousand open brackets', '['.repeat(30_000)],
])('a body that is %s is refused with 400', async (_, body) => {
  const { status, json, text } = await verify(await start(), body);
  expect(status).toBe(400);
  expect(json['error']).toContain('not JSON');
  expect(text).not.toContain('canary');
});

test('JSON nested thirty thousand deep is an ordinary malformed request', async () => {
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  const sandbox = await start();
  expect((await verify(sandbox, deep)).json['problems']).toMatchObject([{ field: 'body' }]);
  expect((await verify(sandbox, `{"service":${deep}}`)).status).toBe(400);
});

test('a body of 64 KiB is read, one more byte is refused with 413, and the connection survives both', async () => {
  const sandbox = await start();
  const token = await signIn(sandbox);
  const json = JSON.stringify(GOOD);
  expect((await verify(sandbox, json.padEnd(65_536), token)).status).toBe(200);
  expect((await verify(sandbox, json.padEnd(65_537), token)).status).toBe(413);
  expect((await verify(sandbox, json.padEnd(4_000_000), token)).status).toBe(413);
  expect((await verify(sandbox, json, token)).status).toBe(200);
});

test('a body without an end is refused with 413 and its connection closed', async () => {
  const sandbox = await start();
  const token = await signIn(sandbox);
  const answered = await new Promise((resolve, reject) => {
    const endless = request(`${sandbox.url}/api/v2/verify`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    });
    endless.on('response', (response) => {
      resolve([response.statusCode, response.headers.connection]);
      endless.destroy();
    });
    endless.on('error', reject);
    // Not a byte more than the sandbox reads: a connection closed on unread bytes is reset, and the answer may be lost.
    endless.write(Buffer.alloc(8 * 1024 * 1024 + 1, 0x20));
  });
  expect(answered).toEqual([413, 'close']);
});

test('another path is 404, another method 405, another content type 415', async () => {
  const sandbox = await start();
  const token = await signIn(sandbox);
  const bearer = { Authorization: `Bearer ${token}` };
  expect((await post(sandbox, 'verify/canary', GOOD, bearer)).status).toBe(404);
  expect((await post(sandbox, '../v1/verify', GOOD, bearer)).status).toBe(404);
  expect(await statusOf(sandbox, 'GET', bearer)).toEqual([405, 'POST']);
  expect(await statusOf(sandbox, 'DELETE', bearer)).toEqual([405, 'POST']);
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'];
  for (const type of types) {
    expect((await post(sandbox, 'verify', GOOD, { ...bearer, 'Content-Type': type })).status).toBe(415);
  }
  expect((await post(sandbox, 'verify', GOOD, { ...bearer, 'Content-Encoding': 'gzip' })).status).toBe(415);
  const charset = { ...bearer, 'Content-Type': 'Application/JSON; charset=utf-8' };
  expect((await post(sandbox, 'verify', GOOD, charset)).status).toBe(200);
  expect(sandbox.counts).toEqual({ signIns: 1, verifies: 1, refused: 8 });
});

async function statusOf(sandbox: Sandbox, method: string, headers: Record<string, string>) {
  const response = await fetch(`${sandbox.url}/api/v2/verify`, { method, headers });
  return [response.status, response.headers.get('allow')];
}

test('a sandbox reports its URL, does not start on a port in use, and can be closed twice', async () => {
  const sandbox = await start();
  expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await expect(start({ port: Number(new URL(sandbox.url).port) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await Promise.all([sandbox.close(), sandbox.close()]);
  await expect(fetch(sandbox.url)).rejects.toThrow();
});

test('closing does not wait for a request that is half sent', async () => {
  const sandbox = await start();
  const half = request(`${sandbox.url}/api/v2/verify`, { method: 'POST', headers: { 'Content-Length': 100 } });
  const broken = new Promise((resolve) => half.on('error', resolve));
  await new Promise((resolve) => half.write('{', resolve));
  await sandbox.close();
  expect(await broken).toMatchObject({ code: 'ECONNRESET' });
});
