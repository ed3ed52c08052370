/** One request to a receiver: where it may go, how it is signed, and what becomes of it. */

import { once } from 'node:events';
import { createServer } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isOfInternet } from '../../../src/platform/formats/ip.ts';
import type { ServeConfig } from '../../../src/service/config.ts';
import { findReceivers, type Receiver, send } from '../../../src/service/webhooks/receiver.ts';
import { accept, SECRET, startReceiver } from '../../support/service/receiver.ts';

const LIMIT_MS = 20_000;
const ID = '01a1f8d4-f5e8-7000-8000-000000000000';
const BODY = '{"type":"decision.made","timestamp":"2026-11-29T00:00:00.000Z","data":{}}';

const receiverOf = (url: string, more: Partial<Receiver> = {}): Receiver => {
  const secrets = [Buffer.alloc(32, 7)];
  return { name: 'cases', kinds: ['decision.made'], url: new URL(url), secrets, allow: ['127.0.0.0/8'], ...more };
};

const sendTo = (receiver: Receiver, signal = AbortSignal.timeout(LIMIT_MS)) => send(receiver, ID, BODY, signal);

test('each secret of a rotation signs, and the receiver may know either', async () => {
  const { url, arrived } = await startReceiver();
  const [earlier, later] = [Buffer.alloc(24, 1), Buffer.alloc(64, 2)];
  expect(await sendTo(receiverOf(url, { secrets: [earlier, Buffer.alloc(32, 7), later] }))).toBeUndefined();
  const [{ text = '', headers = {} } = {}] = arrived;
  expect(text).toBe(BODY);
  for (const secret of [earlier, later]) {
    const verifier = new Webhook(`whsec_${secret.toString('base64')}`);
    expect(verifier.verify(text, headers)).toEqual(JSON.parse(BODY));
    expect(() => verifier.verify(`${text} `, headers)).toThrow();
  }
});

test('a receiver that is down, breaks off, redirects or refuses has a code, and is not followed anywhere', async () => {
  const other = await startReceiver();
  const statuses = [200, 202, 299, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503];
  const { url, close } = await startReceiver(({ headers }, response) => {
    const status = Number(headers['webhook-id']);
    response.writeHead(status, { location: other.url }).end();
  });
  for (const status of statuses) {
    const code = await send(receiverOf(url), String(status), BODY, AbortSignal.timeout(LIMIT_MS));
    expect(code).toBe(status < 300 ? undefined : `HTTP_${status}`);
  }
  expect(other.arrived).toEqual([]);
  const { url: broken } = await startReceiver((_, response) => response.destroy());
  expect(await sendTo(receiverOf(broken))).toBe('ECONNRESET');
  await close();
  expect(await sendTo(receiverOf(url))).toBe('ECONNREFUSED');
  // No address is one of a name under this domain (RFC 6761, section 6.4).
  expect(await sendTo(receiverOf('https://receiver.invalid/'))).toMatch(/^(?:ENOTFOUND|EAI_AGAIN)$/);
});

test('a receiver that hangs before or within its answer is let go in time', async () => {
  const held = Promise.withResolvers<void>();
  const { url } = await startReceiver(() => held.resolve());
  const limit = new AbortController();
  const sent = sendTo(receiverOf(url), limit.signal);
  await held.promise;
  limit.abort();
  expect(await sent).toBe('TIMED_OUT');
  const { url: slow } = await startReceiver((_, response) => void response.writeHead(200).write('a body without end'));
  expect(await sendTo(receiverOf(slow))).toBeUndefined();
});

test('a receiver with TLS has to show a certificate that this machine trusts', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).end('not TLS'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { readonly port: number };
  expect(await sendTo(receiverOf(`https://127.0.0.1:${port}/`))).toMatch(/^(?:ERR_SSL|EPROTO|ECONNRESET)/);
});

describe('addresses', () => {
  /** A server that nobody may reach. */
  async function startHidden() {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as { readonly port: number };
    return { port, connections: () => connections };
  }

  const OF_HOUSE = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0.0.0.0', 'localhost', '[::1]', '[::]', '[::ffff:127.0.0.1]'],
    ...['169.254.169.254', '[fe80::1]', '[fd00:ec2::254]', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1'],
    ...[
      '[64:ff9b::7f00:1]',
      '[64:ff9b:1::a00:1]',
      '[2002:7f00:1::]',
      '[::7f00:1]',
      '[fec0::1]',
      '[200::1]',
      '224.0.0.1',
    ],
  ];

  test.each(OF_HOUSE)('of the house are not reached unless they are named: %s', async (host) => {
    const { port, connections } = await startHidden();
    for (const protocol of ['https', 'http']) {
      const receiver = receiverOf(`${protocol}://${host}:${port}/`, { allow: ['192.0.2.0/24'] });
      expect(await sendTo(receiver)).toBe('ADDRESS_NOT_ALLOWED');
    }
    expect(connections()).toBe(0);
  });

  test.each(['8.8.8.8', '[2606:4700::1111]'])('of the internet are not reached without TLS: %s', async (host) => {
    expect(await sendTo(receiverOf(`http://${host}/`))).toBe('ADDRESS_NOT_ALLOWED');
  });

  test.each(['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'])('of the internet: %s', (address) => {
    expect(isOfInternet(address)).toBe(true);
  });

  test('that are named are reached, by whatever name', async () => {
    const { url, arrived } = await startReceiver(accept);
    const { port } = new URL(url);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      expect(await sendTo(receiverOf(`http://${host}:${port}/`))).toBeUndefined();
    }
    expect(arrived).toHaveLength(3);
  });
});

describe('the variables', () => {
  const config = (more: object = {}) =>
    ({
      webhooks: [{ name: 'cases', urlVariable: 'U', secretVariable: 'S', kinds: [], ...more }],
    }) as unknown as ServeConfig;
  const U = 'https://cases.bank.example/hook?tenant=7';

  test('are a URL and a secret, or two', () => {
    const [receiver] = findReceivers(config(), { U, S: ` ${SECRET}\n${SECRET} ` });
    expect(receiver).toMatchObject({ name: 'cases', secrets: [Buffer.alloc(32, 7), Buffer.alloc(32, 7)] });
    expect(receiver?.url.href).toBe(U);
    expect(findReceivers(config({ allow: ['127.0.0.1'] }), { U: 'http://127.0.0.1/', S: SECRET })).toHaveLength(1);
    expect(findReceivers({} as ServeConfig, {})).toEqual([]);
  });

  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 5).toString('base64')}`;

  test.each([
    [{ S: SECRET }, 'U is not set'],
    [{ U }, 'S is not set'],
    [{ U: 'canary', S: SECRET }, 'U of webhook cases is malformed'],
    [{ U: 'http://canary.example/', S: SECRET }, 'a URL of https'],
    [{ U: 'https://canary:word@canary.example/', S: SECRET }, 'without a user'],
    [{ U: 'ftp://canary.example/', S: SECRET }, 'a URL of https'],
    [{ U, S: 'canary' }, 'S of webhook cases is malformed: expected whsec_'],
    [{ U, S: secretOf(32).slice(6) }, 'expected whsec_'],
    [{ U, S: secretOf(23) }, '24 to 64 bytes'],
    [{ U, S: secretOf(65) }, '24 to 64 bytes'],
    [{ U, S: `${SECRET},${SECRET}` }, '24 to 64 bytes'],
    [{ U, S: `${SECRET}!` }, '24 to 64 bytes'],
  ])('that cannot be used are refused, and not shown: %j', (env, expected) => {
    let message = '';
    try {
      findReceivers(config(), env);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(expected);
    expect(message).not.toMatch(/canary|BwcH|BQUF|cases\.bank/);
  });
});
